// The options of searching translations, of `regard translate` and of `regard score`.
#include "apps/regard/options.h"

namespace regard::program {

void add_length_penalty(CLI::App& app, Search& search) {
  app.add_option("--length-penalty", search.length_penalty, "wu: ((5 + n)/6)^alpha; power: n^alpha");
  app.add_option("--alpha", search.alpha, "Exponent of the length penalty; 0: none");
}

void add_search(CLI::App& app, Search& search) {
  app.add_option("--beam", search.beam, "Hypotheses kept at each step; 1: greedy");
  add_length_penalty(app, search);
  app.add_option("--patience", search.patience,
                 "End when PATIENCE * beam translations are finished and no unfinished one is ahead; 0: when "
                 "no other can be better");
  app.add_option("--max-length-ratio", search.max_length_ratio,
                 "A translation ends after RATIO * source tokens + CONSTANT tokens");
  app.add_option("--max-length-constant", search.max_length_constant, "See --max-length-ratio");
  app.add_option("--min-length", search.min_length, "Fewest tokens of a translation");
  app.add_option("--max-length", search.max_length, "Most tokens of a translation; 0: as the ratio says");
  app.add_option("--no-repeat-ngram", search.no_repeat_ngram,
                 "No sequence of so many tokens twice in a translation; 0: any");
  app.add_option("--repetition-penalty", search.repetition_penalty,
                 "Above 1, tokens that were said already become less likely");
  app.add_flag("--no-unk", search.no_unk, "No <unk> in translations: another word takes its place");
  add_threads(app, search.threads);
}

namespace {
/// Each of them wants --sample, and that wants no other way to choose.
void add_sampling(CLI::App& app, Translate& command) {
  CLI::Option* const sample = app.add_flag(
      "--sample", command.sample, "Draw translations instead of searching the best; --n-best says how many");
  for (const char* of_a_search : {"--beam", "--patience", "--attention"})
    sample->excludes(app.get_option(of_a_search));
  transformer::SamplingOptions& sampling = command.sampling;
  app.add_option("--temperature", sampling.temperature,
                 "Logits are divided by it; below 1: nearer to greedy search, which 0 is")
      ->capture_default_str()
      ->needs(sample);
  app.add_option("--top-k", sampling.top_k, "Draw from the K likeliest tokens; 0: from all")
      ->capture_default_str()
      ->needs(sample);
  app.add_option("--top-p", sampling.top_p,
                 "Draw from the fewest tokens that together have this share of the probability")
      ->capture_default_str()
      ->needs(sample);
  app.add_option("--seed", sampling.seed, "Another seed, other translations")
      ->capture_default_str()
      ->check(not_negative)
      ->needs(sample);
}
}  // namespace

void add_translate(CLI::App& app, Translate& command, Action& action) {
  CLI::App* const sub =
      app.add_subcommand("translate", "Translate the lines of standard input, or what you type at a prompt");
  sub->add_option("MODEL_DIR", command.model, "What regard train wrote")->required();
  add_weights(*sub, command.weights);
  add_search(*sub, command.search);
  sub->add_option(
         "--n-best", command.n_best,
         "Translations of each sentence, without --sample at most --beam; above 1, its line number and a "
         "tab stand before each")
      ->capture_default_str();
  sub->add_flag("--scores", command.scores,
                "Write the score and a tab before each translation; of an empty line, the tab alone");
  sub->add_flag("--attention", command.attention,
                "Draw below each translation where the decoder looked while it wrote each word");
  sub->add_flag(
      "--skip-too-long", command.skip_too_long,
      "An empty translation for a sentence that is too long for the model, instead of ending there");
  add_sampling(*sub, command);
  sub->footer(
      "How to search, where no option says it, stands in the model's configuration (decoding).\n"
      "Examples:\n"
      "  regard translate build/model < source.txt > translation.txt\n"
      "  regard translate build/model --beam 8 --n-best 3 --scores < source.txt\n"
      "  regard translate build/model --sample --temperature 0.7 --top-p 0.9 --n-best 5 < source.txt\n"
      "  regard translate build/model");
  sub->callback([&] { action = [&] { return run(command); }; });
}

void add_score(CLI::App& app, Score& command, Action& action) {
  CLI::App* const sub = app.add_subcommand("score", "Say how likely a model finds given translations");
  sub->add_option("MODEL_DIR", command.model, "What regard train wrote")->required();
  add_weights(*sub, command.weights);
  sub->add_option("--source", command.source, "Sentences, one a line")->required();
  sub->add_option("--target", command.target, "Their translations, one a line")->required();
  sub->add_flag("--tokens", command.tokens, "Write the log-probability of each token, too");
  sub->add_flag("--skip-too-long", command.skip_too_long,
                "An empty line for a pair that is too long for the model, instead of ending there");
  add_length_penalty(*sub, command.search);
  add_threads(*sub, command.search.threads);
  sub->footer(
      "Writes for each line: score, tab, log-probability, tab, number of tokens with </s>.\n"
      "Example:\n"
      "  regard score build/model --source build/toy/test.source --target build/toy/test.target");
  sub->callback([&] { action = [&] { return run(command); }; });
}

}  // namespace regard::program
