#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <utility>

#include "apps/regard/commands/translate.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/machine/error.h"

namespace regard::program {

using translation::Translator;

/// Reads lines until one has a problem, which is put into `problem`. With --skip-too-long, replaces a
/// sentence that is too long by an empty one and warns.
TranslateWay::Sources LineTranslation::read(const std::vector<std::string>& lines, std::string& problem) {
  TranslateWay::Sources sources;
  for (const std::string& line : lines) {
    const Index number = ++lines_;
    try {
      sources.push_back(run_.way.read(
          run_.translator,
          settings_.files.empty() ? translation::clean_line(line, "standard input", number) : line, number));
    } catch (const translation::TooLong& error) {
      if (settings_.skip_too_long) {
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

void LineTranslation::write(TranslateWay::Sources sources) {
  std::vector<std::vector<translation::Alignment>> alignments;
  const TranslateWay::Results results =
      run_.translate(std::move(sources), [&](const TranslateWay::Results& translated) {
        if (settings_.alignments) alignments = run_.translator.alignments(translated);
      });
  if (!run_.processes.first()) return;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Translator::Source& source = results[i].source;
    warn_of(results[i], source.line);
    if (!source.difference.empty())
      translation::remark(
          "line {}: {}; the translation may leave out a part, so give one sentence per line, or --document",
          source.line, source.difference);
    for (std::size_t n = 0; n < results[i].n_best.size(); ++n) {
      const translation::Translation& translation = results[i].n_best[n];
      if (settings_.n_best > 1) std::cout << source.line << '\t';
      if (settings_.scores)
        std::cout << (translation.score ? fmt::format("{:.4f}\t", *translation.score) : "\t");
      std::cout << translation.text;
      if (settings_.alignments)
        std::cout << fmt::format("\t{}\t{}\t{}", alignment_text(alignments[i][n]),
                                 fmt::join(source.tokens, " "),
                                 fmt::join(run_.translator.target_tokens(translation), " "));
      std::cout << '\n';
      attention_.show(source, translation, to_index(n) + 1);
    }
  }
  flush_output();
}

std::string LineTranslation::add(const std::vector<std::string>& lines) {
  std::string problem;
  write(read(lines, problem));
  return problem;
}

}  // namespace regard::program
