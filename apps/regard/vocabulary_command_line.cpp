// The options of `regard vocabulary`.
#include "apps/regard/options.h"

namespace regard::program {

void add_vocabulary(CLI::App& app, Vocabulary& command, Action& action) {
  CLI::App* const sub = app.add_subcommand(
      "vocabulary", "Learn subwords (a SentencePiece model) from raw text, or look at how they cut it");
  translation::SubwordSettings& learning = command.learning;
  CLI::Option* const input =
      sub->add_option("--input", command.inputs, "Text, one sentence a line; may be given many times")
          ->allow_extra_args(false);
  CLI::Option* const output = sub->add_option("--output", command.output, "File to write the model to");
  sub->add_option("--size", learning.size, "Entries of the vocabulary, the 4 special tokens included")
      ->capture_default_str()
      ->check(CLI::Range(translation::subword_sizes.least, translation::subword_sizes.most))
      ->needs(input);
  sub->add_option("--type", command.type, "bpe (Sennrich et al. 2016) or unigram (Kudo 2018)")
      ->capture_default_str()
      ->needs(input);
  sub->add_option("--character-coverage", learning.character_coverage,
                  "Share of the text's characters to be known; the rarest of the others become <unk>")
      ->capture_default_str()
      ->check(CLI::Range(translation::character_coverages.least, translation::character_coverages.most))
      ->needs(input);
  input->needs(output);
  output->needs(input);
  CLI::Option* const model =
      sub->add_option("--model", command.model, "Show this model; with --encode or --decode, use it")
          ->excludes(input);
  CLI::Option* const encode =
      sub->add_flag("--encode", command.encode, "Cut the lines of standard input into pieces")->needs(model);
  sub->add_flag("--decode", command.decode, "Join the pieces on each line of standard input")
      ->needs(model)
      ->excludes(encode);
  sub->footer(
      "Examples:\n"
      "  regard vocabulary --input train.en --input train.de --size 8000 --output subwords.model\n"
      "  regard vocabulary --model subwords.model --encode < train.en\n"
      "  regard vocabulary --model subwords.model");
  sub->callback([&] { action = [&] { return run(command); }; });
}

}  // namespace regard::program
