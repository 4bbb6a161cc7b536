// The lines of `regard translate`: checked, translated and written.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <utility>

#include "apps/regard/commands/translate.h"
#include "apps/regard/failures.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using translation::Translator;
using Source = Translator::Source;

/// Reads lines until one has a problem, which is put into `problem`. With --skip-too-long, replaces a
/// sentence that is too long by an empty one and warns. The line lines[0] has the number `first`.
std::vector<Source> read(const Translator& translator, const std::vector<std::string>& lines, Index first,
                         const Translate& settings, std::string& problem) {
  std::vector<Source> sources;
  for (const std::string& line : lines) {
    const Index number = first + to_index(sources.size());
    try {
      sources.push_back(translator.read(
          settings.images.empty() ? translation::clean_line(line, "standard input", number) : line, number));
    } catch (const translation::TooLong& error) {
      if (settings.skip_too_long) {
        translation::remark("line {} is too long; its translation is empty", number);
        sources.push_back({.line = number});
        continue;
      }
      problem = error.what();
      break;
    } catch (const Error& error) {
      problem = error.what();
      break;
    }
  }
  return sources;
}

/// Translates lines and, in the first process, writes the translations in the same order.
void write_translations(const TranslateRun& run, std::vector<Source> sources) {
  const auto& [settings, translator, options, processes, attention] = run;
  std::vector<std::vector<translation::Alignment>> alignments;
  const std::vector<Translator::Result> results =
      run.translate(std::move(sources), [&](const std::vector<Translator::Result>& translated) {
        if (run.settings.alignments) alignments = run.translator.alignments(translated);
      });
  if (!processes.first()) return;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Source& source = results[i].source;
    run.warn_of(results[i], source.line);
    if (!source.difference.empty())
      translation::remark(
          "line {}: {}; the translation may leave out a part, so give one sentence per line, or --document",
          source.line, source.difference);
    for (std::size_t n = 0; n < results[i].n_best.size(); ++n) {
      const translation::Translation& translation = results[i].n_best[n];
      if (settings.n_best > 1) std::cout << source.line << '\t';
      if (settings.scores)
        std::cout << (translation.score ? fmt::format("{:.4f}\t", *translation.score) : "\t");
      std::cout << translation.text;
      if (settings.alignments)
        std::cout << fmt::format("\t{}\t{}\t{}", alignment_text(alignments[i][n]),
                                 fmt::join(source.tokens, " "),
                                 fmt::join(translator.target_tokens(translation), " "));
      std::cout << '\n';
      attention.show(source, translation, to_index(n) + 1);
    }
  }
  flush_output();
}

}  // namespace

std::vector<Translator::Result> TranslateRun::translate(
    std::vector<Source> sources,
    const std::function<void(const std::vector<Translator::Result>&)>& also) const {
  const char* const remedy = !settings.sample      ? search_remedy(options.search.beam)
                             : settings.n_best > 1 ? "a smaller --n-best"
                                                   : "shorter sentences";
  std::vector<Translator::Result> results;
  run_model(settings.model.origin(), remedy, [&] {
    if (settings.sample)
      results = translator.sample(std::move(sources), options);
    else if (settings.exact)
      results = translator.exact(std::move(sources), {options.search, settings.most_expansions});
    else
      results = translator.translate_sources(std::move(sources), options.search,
                                             translator.prefix(settings.prefix));
    if (also) also(results);
  });
  return results;
}

void TranslateRun::warn_of(const Translator::Result& result, Index line) const {
  warn_of_unknown_words(fmt::format("line {}", line), result.source.unknown_words);
  if (!result.complete)
    translation::remark(
        "line {}: the exact search ended after {} expansions; there may be a more probable translation; give "
        "more --most-expansions or a wider --beam",
        line, settings.most_expansions);
}

std::string translate_lines(const TranslateRun& run, const std::vector<std::string>& lines, Index first) {
  std::string problem;
  write_translations(run, read(run.translator, lines, first, run.settings, problem));
  return problem;
}

}  // namespace regard::program
