#include <fmt/format.h>
#include <iostream>
#include <unistd.h>

#include "apps/regard/line_reader.h"
#include "apps/regard/model_failures.h"
#include "apps/regard/search.h"
#include "apps/regard/unknown_words.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/translator/translator.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"

namespace regard::program {

namespace {

using translation::Translator;

/// Lines that can be translated, and what is wrong with the one after them.
struct Lines {
  Index first;  ///< number of the first, from 1
  std::vector<std::string> texts;
  std::string problem;  ///< of the line after them; empty if there is none
};

/// Where the command says so, sentences that are too long become empty, with a warning.
Lines check_lines(const Translator& translator, const std::vector<std::string>& read, Index first,
                  const Translate& command) {
  Lines lines{first, {}, {}};
  for (const std::string& line : read) {
    const Index number = first + to_index(lines.texts.size());
    try {
      std::string text = translation::clean_line(line, "standard input", number);
      if (command.skip_too_long && !translator.takes(text)) {
        translation::warn("line {} is too long; its translation is empty", number);
        text.clear();
      }
      translator.check_length(text, number);
      lines.texts.push_back(std::move(text));
    } catch (const Error& error) {
      lines.problem = error.what();
      break;
    }
  }
  return lines;
}

const char* remedy(const Translate& command, const transformer::SamplingOptions& options) {
  if (!command.sample) return search_remedy(options.search.beam);
  return command.n_best > 1 ? "a smaller --n-best" : "shorter sentences";
}

void show_attention(Translator& translator, const std::string& text,
                    const translation::Translation& translation, const Translate& command) {
  run_model(weights_of(command.model, command.weights), "shorter sentences", [&] {
    std::cout << '\n' << translation::heat_map(translator.attention(text, translation)) << '\n';
  });
}

/// Translates lines and writes the results in order.
void translate_lines(Translator& translator, const Lines& lines, const transformer::SamplingOptions& options,
                     const Translate& command) {
  std::vector<Translator::Result> results;
  run_model(weights_of(command.model, command.weights), remedy(command, options), [&] {
    results = command.sample ? translator.sample(lines.texts, options, lines.first)
                             : translator.translate(lines.texts, options.search, lines.first);
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Index number = lines.first + to_index(i);
    warn_of_unknown_words(fmt::format("line {}", number), results[i].unknown_words);
    for (const translation::Translation& translation : results[i].n_best) {
      if (command.n_best > 1) std::cout << number << '\t';
      if (command.scores)
        std::cout << (translation.score ? fmt::format("{:.4f}\t", *translation.score) : "\t");
      std::cout << translation.text << '\n';
    }
    if (command.attention && !results[i].n_best.front().text.empty())
      show_attention(translator, lines.texts[i], results[i].n_best.front(), command);
  }
  if (!std::cout.flush()) fail("cannot write the translation: standard output is full or closed");
}

void translate_stream(Translator& translator, const transformer::SamplingOptions& options,
                      const Translate& command) {
  const bool interactive = ::isatty(STDIN_FILENO) != 0;
  const std::size_t at_a_time = interactive ? 1 : lines_at_a_time;  // a person wants an answer after each
  // What is for the person alone must not get into a file with the translations.
  const auto prompt = [&](const char* text) {
    if (interactive && ::isatty(STDERR_FILENO) != 0) std::cerr << text;
  };
  prompt("One sentence a line; end with Ctrl-D.\n> ");
  LineReader reader(STDIN_FILENO);
  Index next = 1;
  for (std::vector<std::string> read = reader.read(at_a_time); !read.empty(); read = reader.read(at_a_time)) {
    const Lines lines = check_lines(translator, read, next, command);
    translate_lines(translator, lines, options, command);
    if (!lines.problem.empty()) {
      if (!interactive) fail("{}", lines.problem);
      translation::warn("{}", lines.problem);  // a person can say it otherwise
    }
    next += to_index(read.size());
    prompt("> ");
  }
  prompt("\n");
}

}  // namespace

int run(const Translate& command) {
  Translator translator(translation::TranslationModel::load(command.model, command.weights));
  transformer::SamplingOptions options = command.sampling;
  options.search = search_options(command.search, translator.model().settings);
  options.search.n_best = command.n_best;
  if (command.sample)
    check(options);
  else
    check_search(options.search, translator.model());
  translate_stream(translator, options, command);
  return 0;
}

}  // namespace regard::program
