#include <algorithm>
#include <fmt/ranges.h>
#include <iostream>
#include <unistd.h>

#include "apps/regard/commands.h"
#include "apps/regard/line_reader.h"
#include "apps/regard/search.h"
#include "apps/regard/unknown_words.h"
#include "apps/translation/files/files.h"
#include "apps/translation/subwords/subwords.h"
#include "autograd/error.h"

namespace regard::program {

namespace {

using translation::SubwordTokeniser;

void learn(const Vocabulary& command) {
  translation::SubwordSettings settings = command.learning;
  settings.type = chosen(translation::subword_types, command.type, "--type");
  translation::check_output("--output", command.output, command.inputs);
  std::vector<std::vector<std::string>> texts;
  for (const std::string& path : command.inputs) texts.push_back(translation::read_lines(path));
  const translation::LearntSubwords learnt =
      translation::learn_subwords({texts.begin(), texts.end()}, settings);
  translation::write_file(command.output, learnt.bytes);
  fmt::print("{}; written to {}\n", summary(learnt, settings), command.output);
}

void show(const SubwordTokeniser& tokeniser) {
  const auto& pieces = tokeniser.pieces().entries;
  fmt::print("type         {}\nsize         {}\n", to_string(tokeniser.pieces().type), pieces.size());
  constexpr std::size_t shown = 20;
  std::vector<std::string> first;
  for (std::size_t id = 0; id < std::min(pieces.size(), shown); ++id) first.push_back(pieces[id].text);
  fmt::print("pieces       {}{}\n", fmt::join(first, " "), pieces.size() > shown ? " …" : "");
}

void encode_line(const std::string& line, const SubwordTokeniser& tokeniser, Index number) {
  const std::vector<std::string> tokens = tokeniser.split(line);
  std::cout << fmt::format("{}\n", fmt::join(tokens, " "));
  warn_of_unknown_words(fmt::format("line {}", number), tokeniser.vocabulary().unknown(tokens));
}

void decode_line(const std::string& line, const SubwordTokeniser& tokeniser) {
  std::cout << tokeniser.join(translation::make_tokeniser("word")->split(line)) << '\n';
}

void cut_or_join(const Vocabulary& command, const SubwordTokeniser& tokeniser) {
  LineReader reader(STDIN_FILENO);
  Index number = 0;
  for (auto some = reader.read(lines_at_a_time); !some.empty(); some = reader.read(lines_at_a_time)) {
    for (const std::string& text : some) {
      const std::string line = translation::clean_line(text, "standard input", ++number);
      if (command.encode)
        encode_line(line, tokeniser, number);
      else
        decode_line(line, tokeniser);
    }
    if (!std::cout.flush()) fail("cannot write the text: standard output is full or closed");
  }
}

}  // namespace

int run(const Vocabulary& command) {
  if (!command.inputs.empty()) {
    learn(command);
    return 0;
  }
  if (command.model.empty())
    fail("vocabulary: give --input FILE and --output FILE to learn one, or --model FILE to look at one");
  const SubwordTokeniser tokeniser(translation::read_file(command.model), command.model);
  if (command.encode || command.decode)
    cut_or_join(command, tokeniser);
  else
    show(tokeniser);
  return 0;
}

}  // namespace regard::program
