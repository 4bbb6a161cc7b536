#include <algorithm>
#include <fmt/ranges.h>
#include <iostream>
#include <span>

#include "apps/regard/model_failures.h"
#include "apps/regard/search.h"
#include "apps/regard/unknown_words.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/translator/scoring.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"

namespace regard::program {

namespace {

using Sentences = std::vector<std::vector<std::int32_t>>;

/// The sentences of a file as numbers. One that is too long for the model is an Error naming the line; or, if
/// there is a list of skipped ones, the number of the line (from 0) goes there, with a warning.
Sentences encode(const translation::TranslationModel& model, const translation::Vocabulary& vocabulary,
                 const std::vector<std::string>& lines, const std::string& path,
                 std::vector<std::size_t>* skipped) {
  Sentences result;
  for (const std::string& line : lines) {
    const std::string place = fmt::format("{}, line {}", path, result.size() + 1);
    const std::vector<std::string> tokens = model.tokeniser->split(line);
    if (skipped != nullptr && !model.takes(tokens.size())) {
      translation::warn("{} is too long; it has no score", place);
      skipped->push_back(result.size());
      result.emplace_back();
      continue;
    }
    model.check_length(tokens.size(), place);
    result.push_back(vocabulary.ids(tokens));
    warn_of_unknown_words(place, vocabulary.unknown(tokens));
  }
  return result;
}

void write(const transformer::ForcedScore& score, const transformer::SearchOptions& options,
           const Score& command) {
  const std::size_t tokens = score.token_log_probabilities.size();
  const double penalty = length_penalty(options, to_index(tokens));
  std::cout << fmt::format("{:.4f}\t{:.4f}\t{}", score.log_probability / penalty, score.log_probability,
                           tokens);
  if (command.tokens) std::cout << fmt::format("\t{:.4f}", fmt::join(score.token_log_probabilities, " "));
  std::cout << '\n';
}

/// Scores pairs and writes a line for each of them. Without a source sentence there is nothing to score, and
/// the line is empty.
void score_pairs(transformer::EncoderDecoder& model, std::span<const std::vector<std::int32_t>> sources,
                 std::span<const std::vector<std::int32_t>> targets,
                 const transformer::SearchOptions& options, const Score& command) {
  translation::ParallelCorpus corpus;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].empty()) continue;
    corpus.source.push_back(sources[i]);
    corpus.target.push_back(targets[i]);
  }
  std::vector<transformer::ForcedScore> scores;
  run_model(weights_of(command.model, command.weights), "shorter sentences",
            [&] { scores = score_all(model, corpus); });
  auto next = scores.begin();
  for (const std::vector<std::int32_t>& source : sources) {
    if (source.empty())
      std::cout << '\n';
    else
      write(*next++, options, command);
  }
  if (!std::cout.flush()) fail("cannot write the scores: standard output is full or closed");
}

}  // namespace

int run(const Score& command) {
  translation::TranslationModel model = translation::TranslationModel::load(command.model, command.weights);
  const transformer::SearchOptions options = search_options(command.search, model.settings);
  check(options);
  const translation::ParallelText text = translation::read_parallel_files(command.source, command.target);
  std::vector<std::size_t> too_long;
  std::vector<std::size_t>* const skipped = command.skip_too_long ? &too_long : nullptr;
  Sentences sources = encode(model, model.vocabularies.source, text.source, command.source, skipped);
  const Sentences targets = encode(model, model.vocabularies.target, text.target, command.target, skipped);
  for (const std::size_t line : too_long) sources[line].clear();  // as a pair without a source
  for (std::size_t begin = 0; begin < sources.size(); begin += lines_at_a_time) {
    const std::size_t count = std::min(lines_at_a_time, sources.size() - begin);
    score_pairs(model.model, std::span(sources).subspan(begin, count),
                std::span(targets).subspan(begin, count), options, command);
  }
  return 0;
}

}  // namespace regard::program
