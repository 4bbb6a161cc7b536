#include <algorithm>
#include <fmt/ranges.h>
#include <iostream>

#include "apps/regard/command_line.h"
#include "apps/regard/failures.h"
#include "apps/regard/options.h"
#include "apps/regard/streams.h"
#include "apps/subwords/subwords.h"
#include "apps/translation/files/files.h"
#include "apps/translation/text/parts.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using translation::SubwordTokeniser;

/// Learns subwords, or shows or uses a model of subwords.
struct Vocabulary {
  std::vector<std::string> inputs;
  GivenSettings learning;  ///< size, type, ...
  std::string output;
  std::string model;  ///< the model to show or use; empty: learn one
  bool encode = false;
  bool decode = false;
};

void learn(const Vocabulary& vocabulary) {
  if (vocabulary.output.empty()) fail("vocabulary: give --output FILE, to write the model to");
  const auto settings = with_given(vocabulary.learning, {}).data.parts.of<translation::SubwordSettings>();
  const OutputFiles output({{"--output", vocabulary.output}}, vocabulary.inputs);
  std::vector<std::vector<std::string>> texts;
  for (const std::string& path : vocabulary.inputs) texts.push_back(translation::read_lines(path));
  const translation::LearntSubwords learnt = translation::learn_subwords(
      {texts.begin(), texts.end()}, settings, [](const std::string& line) { report("{}\n", line); });
  output.write({{vocabulary.output, {learnt.bytes}}});
  const SubwordTokeniser model(learnt.bytes, vocabulary.output);
  report("{}{}; written to {}\n", model.about(), origin(learnt), vocabulary.output);
}

void show(const SubwordTokeniser& tokeniser) {
  const translation::Vocabulary& pieces = tokeniser.vocabulary();
  const translation::SubwordProperties& properties = tokeniser.properties();
  fmt::print("type         {}\nsize         {}\n", to_string(tokeniser.type()), pieces.size());
  fmt::print("normalised   {}, extra blanks {}\n", properties.normalisation,
             properties.keep_blanks ? "kept" : "left out");
  fmt::print("unknown      {}\n", properties.byte_fallback ? "as bytes" : "<unk>");
  fmt::print("symbols      {}\n", properties.symbols);
  constexpr Index shown = 20;
  std::vector<std::string> first;
  for (Index id = 0; id < std::min(pieces.size(), shown); ++id) first.push_back(pieces.token(id));
  fmt::print("pieces       {}{}\n", fmt::join(first, " "), pieces.size() > shown ? " …" : "");
}

void encode_line(const std::string& line, const SubwordTokeniser& tokeniser, Index number) {
  const std::vector<std::string> tokens = tokeniser.split(line);
  std::cout << fmt::format("{}\n", fmt::join(tokens, " "));
  warn_of_unknown_words(fmt::format("line {}", number), tokeniser.vocabulary().unknown(tokens));
}

void decode_line(const std::string& line, const SubwordTokeniser& tokeniser) {
  std::vector<std::string> tokens;  // only spaces separate them: a token may contain another blank
  translation::visit_parts(line, " ", [&](std::string_view token) { tokens.emplace_back(token); });
  std::cout << tokeniser.join(tokens) << '\n';
}

void cut_or_join(const Vocabulary& vocabulary, const SubwordTokeniser& tokeniser) {
  LineReader reader;
  Index number = 0;
  for (auto some = reader.read(lines_at_a_time); !some.empty(); some = reader.read(lines_at_a_time)) {
    for (const std::string& text : some) {
      const std::string line = translation::clean_line(text, "standard input", ++number);
      if (vocabulary.encode)
        encode_line(line, tokeniser, number);
      else
        decode_line(line, tokeniser);
    }
    flush_output();
  }
}

int run(const Vocabulary& vocabulary) {
  if (!vocabulary.inputs.empty()) {
    learn(vocabulary);
    return 0;
  }
  if (vocabulary.model.empty())
    fail("vocabulary: give --input FILE and --output FILE to learn a model, or --model FILE to show one");
  const SubwordTokeniser tokeniser(read_file(vocabulary.model), vocabulary.model);
  if (vocabulary.encode || vocabulary.decode)
    cut_or_join(vocabulary, tokeniser);
  else
    show(tokeniser);
  return 0;
}

}  // namespace

void add_vocabulary(const Command& program) {
  const Command command = program.add(
      "vocabulary",
      "Learn subwords (a SentencePiece model) from raw text, or show how a model cuts text into subwords");
  Vocabulary& vocabulary = command.runs<Vocabulary>(run);
  command.option("--input", vocabulary.inputs,
                 "Text files, one sentence per line, plain or gzip; may be given several times",
                 {.several = true});
  const Command learn = command.only_with("--input");
  learn.option("--output", vocabulary.output, "File to write the model to");
  add_settings(learn,
               {"data.subwords.size", "data.subwords.type", "data.subwords.character_coverage",
                "data.subwords.normalisation", "data.subwords.keep_blanks", "data.subwords.symbols",
                "data.subwords.symbol_patterns", "data.subwords.symbol_frequency",
                "data.subwords.byte_fallback", "data.subwords.sample_lines"},
               vocabulary.learning, show_default);
  command.option("--model", vocabulary.model, "Show this model; use it with --encode or --decode",
                 {.excludes = {"--input"}});
  const Command use = command.only_with("--model");
  use.option("--encode", vocabulary.encode, "Cut the lines of standard input into pieces");
  use.option("--decode", vocabulary.decode, "Join the pieces of each line of standard input",
             {.excludes = {"--encode"}});
  command.footer(
      "Examples:\n"
      "  regard vocabulary --input train.en train.de --size 8000 --output subwords.model\n"
      "  regard vocabulary --model subwords.model --encode < train.en\n"
      "  regard vocabulary --model subwords.model");
}

}  // namespace regard::program
