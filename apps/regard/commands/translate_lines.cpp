// The lines of `regard translate`: checked, translated and written.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>

#include "apps/regard/commands/translate.h"
#include "apps/regard/failures.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/error.h"

namespace regard::program {

namespace {

using translation::Translator;

/// Lines that can be translated, and the problem of the line after them.
struct Lines {
  Index first;  ///< number of the first line, from 1
  std::vector<std::string> texts;
  std::string problem;  ///< empty: no problem
};

/// Checks the lines that were read, until one has a problem. With --skip-too-long, replaces a sentence that
/// is too long by an empty one and warns.
Lines check_lines(const Translator& translator, const std::vector<std::string>& read, Index first,
                  const Translate& settings) {
  Lines lines{first, {}, {}};
  for (const std::string& line : read) {
    const Index number = first + to_index(lines.texts.size());
    try {
      std::string text =
          settings.images.empty() ? translation::clean_line(line, "standard input", number) : line;
      if (settings.skip_too_long && !translator.takes(text)) {
        translation::warn("line {} is too long; its translation is empty", number);
        text.clear();
      }
      translator.check_source(text, number);
      lines.texts.push_back(std::move(text));
    } catch (const Error& error) {
      lines.problem = error.what();
      break;
    }
  }
  return lines;
}

/// Translates lines and, in the first process, writes the translations in the same order.
void write_translations(const TranslateRun& run, const Lines& lines) {
  const auto& [settings, translator, options, processes, attention] = run;
  std::vector<std::vector<translation::Alignment>> alignments;
  const std::vector<Translator::Result> results =
      run.translate(lines.texts, lines.first, [&](const std::vector<Translator::Result>& translated) {
        if (run.settings.alignments) alignments = run.translator.alignments(lines.texts, translated);
      });
  if (!processes.first()) return;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Index number = lines.first + to_index(i);
    run.warn_of(results[i], number);
    if (!results[i].difference.empty())
      translation::warn(
          "line {}: {}; the translation may leave out a part, so give one sentence per line, or --document",
          number, results[i].difference);
    for (std::size_t n = 0; n < results[i].n_best.size(); ++n) {
      const translation::Translation& translation = results[i].n_best[n];
      if (settings.n_best > 1) std::cout << number << '\t';
      if (settings.scores)
        std::cout << (translation.score ? fmt::format("{:.4f}\t", *translation.score) : "\t");
      std::cout << translation.text;
      if (settings.alignments)
        std::cout << fmt::format("\t{}\t{}\t{}", alignment_text(alignments[i][n]),
                                 fmt::join(translator.tokens(lines.texts[i]), " "),
                                 fmt::join(translator.target_tokens(translation), " "));
      std::cout << '\n';
      attention.show(lines.texts[i], translation, number, to_index(n) + 1);
    }
  }
  flush_output();
}

}  // namespace

std::vector<Translator::Result> TranslateRun::translate(
    const std::vector<std::string>& sentences, Index first,
    const std::function<void(const std::vector<Translator::Result>&)>& also) const {
  const char* const remedy = !settings.sample      ? search_remedy(options.search.beam)
                             : settings.n_best > 1 ? "a smaller --n-best"
                                                   : "shorter sentences";
  std::vector<Translator::Result> results;
  run_model(settings.model.origin(), remedy, [&] {
    if (settings.sample)
      results = translator.sample(sentences, options, first);
    else if (settings.exact)
      results = translator.exact(sentences, {options.search, settings.most_expansions}, first);
    else
      results = translator.translate(sentences, options.search, first, translator.prefix(settings.prefix));
    if (also) also(results);
  });
  return results;
}

void TranslateRun::warn_of(const Translator::Result& result, Index line) const {
  warn_of_unknown_words(fmt::format("line {}", line), result.unknown_words);
  if (!result.complete)
    translation::warn(
        "line {}: the exact search ended after {} expansions; there may be a more probable translation; give "
        "more --most-expansions or a wider --beam",
        line, settings.most_expansions);
}

std::string translate_lines(const TranslateRun& run, const std::vector<std::string>& read, Index first) {
  const Lines lines = check_lines(run.translator, read, first, run.settings);
  write_translations(run, lines);
  return lines.problem;
}

}  // namespace regard::program
