#include <algorithm>
#include <fmt/ranges.h>
#include <iostream>
#include <optional>

#include "apps/regard/command_line.h"
#include "apps/regard/failures.h"
#include "apps/regard/options.h"
#include "apps/regard/streams.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/translator/translator.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

struct Score {
  ModelOptions model;
  std::string source, target;
  std::string tsv;  ///< replaces source and target
  Search search;    ///< only the length penalty and the threads
  bool tokens = false;
  bool skip_too_long = false;
};

/// Tokeniser::split, or split_target.
using Split = std::vector<std::string> (translation::Tokeniser::*)(std::string_view) const;

/// Warns of unknown words. Throws Error that names the line of a sentence that is too long for the model; but
/// with `skipped`, warns and adds the line's number (from 0) to `skipped`.
void check_sentences(const translation::TranslationModel& model, Split split,
                     const translation::Vocabulary& vocabulary, const std::vector<std::string>& lines,
                     const std::string& path, std::vector<std::size_t>* skipped) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string place = fmt::format("{}, line {}", path, i + 1);
    const std::vector<std::string> tokens = (*model.tokeniser.*split)(lines[i]);
    if (skipped != nullptr && !model.takes(tokens.size())) {
      translation::remark("{} is too long; it has no score", place);
      skipped->push_back(i);
      continue;
    }
    model.check_length(tokens.size(), place);
    warn_of_unknown_words(place, vocabulary.unknown(tokens));
  }
}

/// `target_tokens` are those of the target without </s>.
void write(const transformer::ForcedScore& score, const std::vector<std::string>& target_tokens,
           const transformer::SearchOptions& options, const Score& settings) {
  const std::size_t tokens = score.token_log_probabilities.size();
  const double penalty = length_penalty(options, to_index(tokens));
  std::cout << fmt::format("{:.4f}\t{:.4f}\t{}", score.log_probability / penalty, score.log_probability,
                           tokens);
  if (settings.tokens)
    std::cout << fmt::format("\t{:.4f}\t{}{}</s>", fmt::join(score.token_log_probabilities, " "),
                             fmt::join(target_tokens, " "), target_tokens.empty() ? "" : " ");
  std::cout << '\n';
}

/// Scores pairs and writes one line per pair. A pair without a source sentence has no score, so its line is
/// empty.
void score_pairs(translation::Translator& translator, const std::vector<std::string>& sources,
                 const std::vector<std::string>& targets, const transformer::SearchOptions& options,
                 const Score& settings) {
  std::vector<std::optional<transformer::ForcedScore>> scores;
  run_model(settings.model.origin(), "shorter sentences",
            [&] { scores = translator.score(sources, targets); });
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i])
      write(*scores[i], translator.model().tokeniser->split_target(targets[i]), options, settings);
    else
      std::cout << '\n';
  }
  flush_output();
}

int run(const Score& settings) {
  if (settings.tsv.empty() && (settings.source.empty() || settings.target.empty()))
    fail("--source and --target, or --tsv, are required; see regard score --help");
  check_standard_output(std::vector<std::string>{settings.source, settings.target, settings.tsv});
  translation::Translator translator =
      translation::Translator::load(settings.model.directory, load_options(settings.model));
  const translation::TranslationModel& model = translator.model();
  const translation::Settings& of_model = model.settings;
  const transformer::SearchOptions options = search_options(settings.search, translator.model());
  check(options);
  translation::ParallelText text = translation::read_parallel(settings.source, settings.target, settings.tsv,
                                                              of_model.source_files().get());
  std::vector<std::size_t> too_long;
  std::vector<std::size_t>* const skipped = settings.skip_too_long ? &too_long : nullptr;
  const auto file = [&](const std::string& side) { return settings.tsv.empty() ? side : settings.tsv; };
  if (!of_model.model.reads_files())
    check_sentences(model, &translation::Tokeniser::split, model.vocabularies.source, text.source,
                    file(settings.source), skipped);
  check_sentences(model, &translation::Tokeniser::split_target, model.vocabularies.target, text.target,
                  file(settings.target), skipped);
  for (const std::size_t line : too_long) text.source[line] = text.target[line] = "";  // no source: no score
  for (std::size_t begin = 0; begin < text.source.size(); begin += lines_at_a_time) {
    const auto some = [&](const std::vector<std::string>& lines) {
      const auto first = lines.begin() + static_cast<std::ptrdiff_t>(begin);
      return std::vector(
          first, first + static_cast<std::ptrdiff_t>(std::min(lines_at_a_time, lines.size() - begin)));
    };
    score_pairs(translator, some(text.source), some(text.target), options, settings);
  }
  return 0;
}

}  // namespace

void add_score(const Command& program) {
  const Command command =
      program.add("score", "Print the probability that a model gives to given translations");
  Score& score = command.runs<Score>(run);
  add_model(command, score.model);
  command.option("--source", score.source,
                 "Sentences, one per line; or the paths of images, relative to the directory of this file");
  command.option("--target", score.target, "Their translations, one per line");
  command.option("--tsv", score.tsv, "File with lines \"source TAB target\"; replaces --source and --target",
                 {.excludes = {"--source", "--target"}});
  command.option("--tokens", score.tokens,
                 "Also write the log-probability of each token and, after a tab, these tokens");
  command.option("--skip-too-long", score.skip_too_long,
                 "Write an empty line for a pair that is too long for the model; without this option, such a "
                 "pair ends the program");
  add_settings(command, {"decoding.length_penalty", "decoding.alpha"}, score.search.given);
  add_threads(command, score.search.threads);
  command.footer(
      "Output per line: score, tab, log-probability, tab, number of tokens with </s>. The score is the\n"
      "log-probability divided by the length penalty.\n"
      "Example:\n"
      "  regard score build/model --source build/toy/test.source --target build/toy/test.target");
}

}  // namespace regard::program
