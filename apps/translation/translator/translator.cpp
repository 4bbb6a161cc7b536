#include "apps/translation/translator/translator.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/search/search_rules.h"
#include "apps/translation/translator/alignment.h"
#include "apps/translation/translator/attention_json.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/error.h"
#include "transformer/teacher_forcing.h"

namespace regard::translation {

using transformer::Hypothesis;
using transformer::SearchOptions;

Translator Translator::load(const std::string& directory, const LoadOptions& options) {
  return Translator(TranslationModel::load(directory, options));
}

Translator::Translator(TranslationModel model)
    : model_(std::make_unique<TranslationModel>(std::move(model))), batch_tokens_(default_search_tokens) {
  Settings& settings = model_->settings;
  settings.decoding = decoding_of(settings, *model_->tokeniser, model_->vocabularies);
}
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;
Translator::~Translator() = default;

const SearchOptions& Translator::decoding() const { return model_->settings.decoding; }

Translator::Source Translator::read(const std::string& sentence, Index line) const {
  Source source{.text = sentence, .line = line};
  if (const auto files = model_->settings.source_files()) {
    if (!sentence.empty()) source.ids = files->read(sentence);
    return source;
  }
  const std::string place = fmt::format("line {}", line);
  check_no_file(sentence, place);
  source.tokens = model_->tokeniser->split(model_->as_read(sentence));
  model_->check_length(source.tokens.size(), place);
  source.ids = model_->vocabularies.source.ids(source.tokens);
  source.unknown_words = model_->vocabularies.source.unknown(source.tokens);
  source.difference = model_->sources.difference(sentence, to_index(source.ids.size()));
  return source;
}

std::vector<Translator::Source> Translator::read_all(const std::vector<std::string>& sentences,
                                                     Index first_line) const {
  std::vector<Source> sources;
  for (const std::string& sentence : sentences) sources.push_back(read(sentence, first_line++));
  return sources;
}

std::vector<Translator::Result> Translator::translate_sources(std::vector<Source> sources,
                                                              const SearchOptions& options,
                                                              const transformer::Prefix& prefix) {
  check_beam("beam", options.beam, model_->searched());
  return translate_with(std::move(sources), options, [&](const Ids& ids, const std::vector<Result*>&) {
    return search_all(model_->searched(), ids, options, batch_tokens_, *processes_, prefix);
  });
}

transformer::Prefix Translator::prefix(const std::string& text) const {
  const std::vector<std::string> tokens = model_->tokeniser->split_target(text);
  model_->check_length(tokens.size(), "the prefix");
  const std::vector<std::string> unknown = model_->vocabularies.target.unknown(tokens);
  if (!unknown.empty())
    fail("the prefix has \"{}\", which is not in the target vocabulary; use other words",
         printable(unknown.front()));
  return model_->vocabularies.target.ids(tokens);
}

std::vector<Translator::Result> Translator::translate_with(
    std::vector<Source> sources, const SearchOptions& options,
    const std::function<Hypotheses(const Ids&, const std::vector<Result*>&)>& search) {
  std::vector<Result> all;
  for (Source& source : sources) all.push_back({std::move(source)});
  Ids ids;
  std::vector<Result*> results;  // empty sentences are not searched
  for (Result& result : all) {
    if (result.source.ids.empty()) {
      result.n_best.push_back({});
    } else {
      ids.push_back(result.source.ids);
      results.push_back(&result);
    }
  }
  const Hypotheses found = search(ids, results);
  for (std::size_t i = 0; i < found.size(); ++i) {
    cut_off_ += std::ranges::any_of(found[i], [&](const Hypothesis& hypothesis) {
      return reached_limit(model_->model.encoder(), ids[i], options, hypothesis.tokens);
    });
    for (const Hypothesis& hypothesis : found[i])
      results[i]->n_best.push_back(
          {model_->tokeniser->join(model_->vocabularies.target.tokens(hypothesis.tokens)), hypothesis.score,
           hypothesis.tokens});
  }
  return all;
}

std::vector<std::string> Translator::target_tokens(const Translation& translation) const {
  return model_->vocabularies.target.tokens(translation.ids);
}

std::vector<std::optional<transformer::ForcedScore>> Translator::score(
    const std::vector<std::string>& sources, const std::vector<std::string>& targets, Index first_line) {
  if (sources.size() != targets.size())
    fail("there are {} sources, but {} targets; give one translation of each sentence", sources.size(),
         targets.size());
  ParallelCorpus corpus;  // the pairs that have a source
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Index line = first_line + to_index(i);
    std::vector<std::int32_t> numbers = read(sources[i], line).ids;
    const std::vector<std::string> target = model_->tokeniser->split_target(targets[i]);
    model_->check_length(target.size(), fmt::format("line {}", line));
    if (numbers.empty()) continue;
    positions.push_back(i);
    corpus.source.push_back(std::move(numbers));
    corpus.target.push_back(model_->vocabularies.target.ids(target));
  }
  std::vector<transformer::ForcedScore> found = score_all(model_->model, corpus);
  std::vector<std::optional<transformer::ForcedScore>> result(sources.size());
  for (std::size_t i = 0; i < found.size(); ++i) result[positions[i]] = std::move(found[i]);
  return result;
}

void Translator::set_batch_tokens(Index tokens) {
  if (tokens < 1) fail("a batch of {} tokens is not possible; give at least 1", tokens);
  batch_tokens_ = tokens;
}

Translator::Attention Translator::attention(const Source& source, const Translation& translation) {
  const transformer::Batch batch = pair_of(source, translation);
  SourceAttention found = std::move(source_attention(model_->model, batch).front());
  Attention attention{
      .source_tokens = {},
      .target_tokens = model_->vocabularies.target.tokens(transformer::with_end(translation.ids)),
      .weights = std::move(found.weights),
      .plane = found.plane};
  if (!attention.plane) attention.source_tokens = model_->vocabularies.source.tokens(batch.source.ids);
  return attention;
}

transformer::Batch Translator::pair_of(const Source& source, const Translation& translation) const {
  ParallelCorpus corpus;
  corpus.source.push_back(source.ids);
  corpus.target.push_back(translation.ids);
  const std::size_t pair = 0;
  return make_batch(corpus, {&pair, 1});
}

std::string Translator::attention_json(const Source& source, const Translation& translation, Index rank) {
  const transformer::Batch batch = pair_of(source, translation);
  const transformer::ForcedPass pass = forced_pass(model_->model, batch);
  Json json{{"line", source.line}, {"rank", rank}, {"text", translation.text}};
  if (pass.memory.planes.empty())
    json["source_tokens"] = model_->vocabularies.source.tokens(batch.source.ids);
  else
    json["plane"] = {{"rows", pass.memory.planes.front().height},
                     {"columns", pass.memory.planes.front().width}};
  json["target_tokens"] = model_->vocabularies.target.tokens(batch.target_output);
  json["attention"] = translation::attention_json(pass, 0);
  return json.dump();
}

std::vector<std::vector<Alignment>> Translator::alignments(const std::vector<Result>& results) {
  ParallelCorpus corpus;  // a pair for each translation
  for (const Result& result : results)
    for (const Translation& translation : result.n_best) {
      corpus.source.push_back(result.source.ids);
      corpus.target.push_back(translation.ids);
    }
  std::vector<Alignment> found = align_all(model_->model, corpus);
  std::vector<std::vector<Alignment>> alignments;
  auto next = std::make_move_iterator(found.begin());
  for (const Result& result : results) {
    const auto begin = next;
    next += std::ssize(result.n_best);
    alignments.emplace_back(begin, next);
  }
  return alignments;
}

}  // namespace regard::translation
