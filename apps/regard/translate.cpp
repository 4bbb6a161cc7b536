#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/ranges.h>
#include <iostream>
#include <unistd.h>

#include "apps/regard/search.h"
#include "apps/translation/files.h"
#include "apps/translation/translator.h"
#include "autograd/error.h"

namespace regard::program {

namespace {

using translation::Translator;

void warn_of_unknown_words(const Translator::Result& result, std::int64_t line) {
  if (result.unknown_words.empty()) return;
  fmt::print(stderr, "regard: line {}: not in the vocabulary, read as <unk>: {}\n", line,
             fmt::join(result.unknown_words, " "));
}

/// Translates lines `first_line` and following and writes the results in order.
void translate_lines(Translator& translator, const std::vector<std::string>& lines, std::int64_t first_line,
                     const transformer::SearchOptions& options, const Translate& command) {
  const auto results = translator.translate(lines, options, first_line);
  for (std::size_t i = 0; i < results.size(); ++i) {
    warn_of_unknown_words(results[i], first_line + static_cast<std::int64_t>(i));
    for (const translation::Translation& translation : results[i].n_best) {
      if (command.n_best > 1) std::cout << first_line + static_cast<std::int64_t>(i) << '\t';
      if (command.scores) std::cout << fmt::format("{:.4f}\t", translation.score);
      std::cout << translation.text << '\n';
    }
    if (command.attention && !results[i].n_best.front().text.empty())
      std::cout << '\n' << translation::heat_map(translator.attention(lines[i], options)) << '\n';
  }
  if (!std::cout.flush()) fail("cannot write the translation: standard output is full or closed");
}

void translate_stream(Translator& translator, const transformer::SearchOptions& options,
                      const Translate& command) {
  const bool interactive = ::isatty(STDIN_FILENO) != 0;
  const std::size_t at_a_time = interactive ? 1 : lines_at_a_time;  // a person wants an answer after each
  if (interactive) std::cout << "One sentence a line; end with Ctrl-D.\n> " << std::flush;
  std::vector<std::string> lines;
  std::string line;
  std::int64_t number = 0, first_line = 1;
  const auto flush = [&] {
    translate_lines(translator, lines, first_line, options, command);
    lines.clear();
    first_line = number + 1;
    if (interactive) std::cout << "> " << std::flush;
  };
  while (std::getline(std::cin, line)) {
    ++number;
    lines.push_back(translation::clean_line(line, "standard input", number));
    if (lines.size() == at_a_time) flush();
  }
  if (std::ferror(stdin) != 0) fail("cannot read standard input: {}", std::strerror(errno));
  if (!lines.empty()) flush();
  if (interactive) std::cout << '\n';
}

}  // namespace

int run(const Translate& command) {
  Translator translator(translation::TranslationModel::load(command.model));
  transformer::SearchOptions options = search_options(command.search, translator.model().settings);
  options.n_best = command.n_best;
  check(options);
  translate_stream(translator, options, command);
  return 0;
}

}  // namespace regard::program
