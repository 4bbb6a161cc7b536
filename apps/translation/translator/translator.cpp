#include "apps/translation/translator/translator.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/text/utf8.h"
#include "apps/translation/translator/alignment.h"
#include "apps/translation/translator/attention_json.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/error.h"
#include "transformer/teacher_forcing.h"

namespace regard::translation {

using transformer::Hypothesis;
using transformer::SamplingOptions;
using transformer::SearchOptions;

Translator Translator::load(const std::string& directory, const LoadOptions& options) {
  return Translator(TranslationModel::load(directory, options));
}

Translator::Translator(TranslationModel model)
    : model_(std::make_unique<TranslationModel>(std::move(model))), batch_tokens_(default_search_tokens) {}
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;
Translator::~Translator() = default;

const SearchOptions& Translator::decoding() const { return model_->settings.decoding; }

std::vector<Translator::Result> Translator::translate(const std::vector<std::string>& sentences,
                                                      const SearchOptions& options, Index first_line,
                                                      const transformer::Prefix& prefix) {
  check_beam("beam", options.beam, model_->vocabularies.target.size());
  return results_of(sentences, options, first_line, [&](const Sources& sources, std::span<const Index>) {
    return search_all(model_->model, sources, options, batch_tokens_, deal_, prefix);
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

std::vector<Translator::Result> Translator::exact(const std::vector<std::string>& sentences,
                                                  const transformer::ExactOptions& options,
                                                  Index first_line) {
  check_beam("beam", options.search.beam, model_->vocabularies.target.size());
  std::vector<Index> incomplete;  // lines
  std::vector<Result> results = results_of(
      sentences, options.search, first_line, [&](const Sources& sources, std::span<const Index> lines) {
        Found found;
        for (const transformer::ExactResult& result : exact_all(model_->model, sources, options, deal_)) {
          if (!result.complete) incomplete.push_back(lines[found.size()]);
          found.push_back({result.best});
        }
        return found;
      });
  for (const Index line : incomplete) results[to_size(line - first_line)].complete = false;
  return results;
}

std::vector<Translator::Result> Translator::sample(const std::vector<std::string>& sentences,
                                                   const SamplingOptions& options, Index first_line) {
  return results_of(sentences, options.search, first_line,
                    [&](const Sources& sources, std::span<const Index> lines) {
                      return sample_all(model_->model, sources, options, lines, batch_tokens_, deal_);
                    });
}

std::vector<Translator::Result> Translator::results_of(
    const std::vector<std::string>& sentences, const SearchOptions& options, Index first_line,
    const std::function<Found(const Sources&, std::span<const Index>)>& search) {
  std::vector<Result> results(sentences.size());
  Sources sources;
  std::vector<Index> lines;  // line numbers of the sources; empty sentences are not searched
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const Index line = first_line + to_index(i);
    std::vector<std::int32_t> numbers = source(sentences[i], line, &results[i].unknown_words);
    if (numbers.empty()) {
      results[i].n_best.push_back({});
      continue;
    }
    results[i].difference = model_->sources.difference(sentences[i], to_index(numbers.size()));
    sources.push_back(std::move(numbers));
    lines.push_back(line);
  }
  const Found found = search(sources, lines);
  for (std::size_t i = 0; i < found.size(); ++i)
    results[to_size(lines[i] - first_line)].n_best = translations_of(found[i], sources[i], options);
  return results;
}

std::vector<Translation> Translator::translations_of(const std::vector<Hypothesis>& hypotheses,
                                                     const std::vector<std::int32_t>& source,
                                                     const SearchOptions& options) {
  cut_off_ += std::ranges::any_of(hypotheses, [&](const Hypothesis& hypothesis) {
    return reached_limit(model_->model.encoder(), source, options, hypothesis.tokens);
  });
  std::vector<Translation> translations;
  for (const Hypothesis& hypothesis : hypotheses)
    translations.push_back({model_->tokeniser->join(model_->vocabularies.target.tokens(hypothesis.tokens)),
                            hypothesis.score, hypothesis.tokens});
  return translations;
}

std::vector<std::vector<Translation>> Translator::translate_sources(const Sources& sources,
                                                                    const SearchOptions& options) {
  check_beam("beam", options.beam, model_->vocabularies.target.size());
  std::vector<std::vector<Translation>> translations;
  for (const auto& found : search_all(model_->model, sources, options, batch_tokens_, deal_))
    translations.push_back(translations_of(found, sources[translations.size()], options));
  return translations;
}

bool Translator::takes(const std::string& sentence) const {
  return model_->settings.images() != nullptr || model_->takes(model_->tokeniser->split(sentence).size());
}

std::vector<std::string> Translator::split(const std::string& sentence, Index line) const {
  std::vector<std::string> tokens = model_->tokeniser->split(sentence);
  model_->check_length(tokens.size(), fmt::format("line {}", line));
  return tokens;
}

std::vector<std::int32_t> Translator::source(const std::string& sentence, Index line,
                                             std::vector<std::string>* unknown) const {
  const ImageSettings* const images = model_->settings.images();
  if (images != nullptr)
    return sentence.empty() ? std::vector<std::int32_t>() : image_source(sentence, *images);
  const std::vector<std::string> tokens = split(sentence, line);
  if (unknown != nullptr) *unknown = model_->vocabularies.source.unknown(tokens);
  return model_->vocabularies.source.ids(tokens);
}

std::vector<std::int32_t> Translator::source(const images::Image& image) const {
  const ImageSettings* const settings = model_->settings.images();
  if (settings == nullptr) fail("this model reads text, so it cannot read an image; give it sentences");
  return as_source(model_image(image, "the image", *settings));
}

std::vector<std::string> Translator::tokens(const std::string& sentence) const {
  return model_->settings.images() != nullptr ? std::vector<std::string>()
                                              : model_->tokeniser->split(sentence);
}

std::vector<std::string> Translator::target_tokens(const Translation& translation) const {
  return model_->vocabularies.target.tokens(translation.ids);
}

void Translator::check_source(const std::string& sentence, Index line) const {
  if (model_->settings.images() == nullptr) check_no_image(sentence, fmt::format("line {}", line));
  source(sentence, line);
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
    std::vector<std::int32_t> numbers = source(sources[i], line);
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

Translator::Attention Translator::attention(const std::string& sentence, const Translation& translation) {
  const transformer::Batch batch = pair_of(sentence, translation);
  SourceAttention found = std::move(source_attention(model_->model, batch).front());
  Attention attention{
      .source_tokens = {},
      .target_tokens = model_->vocabularies.target.tokens(transformer::with_end(translation.ids)),
      .weights = std::move(found.weights),
      .plane = found.plane};
  if (!attention.plane) attention.source_tokens = model_->vocabularies.source.tokens(batch.source.ids);
  return attention;
}

transformer::Batch Translator::pair_of(const std::string& sentence, const Translation& translation) const {
  ParallelCorpus corpus;
  corpus.source.push_back(source(sentence, 1));
  corpus.target.push_back(translation.ids);
  const std::size_t pair = 0;
  return make_batch(corpus, {&pair, 1});
}

std::string Translator::attention_json(const std::string& sentence, const Translation& translation,
                                       Index line, Index rank) {
  const transformer::Batch batch = pair_of(sentence, translation);
  const transformer::ForcedPass pass = forced_pass(model_->model, batch);
  Json json{{"line", line}, {"rank", rank}, {"text", translation.text}};
  if (pass.memory.planes.empty())
    json["source_tokens"] = model_->vocabularies.source.tokens(batch.source.ids);
  else
    json["plane"] = {{"rows", pass.memory.planes.front().height},
                     {"columns", pass.memory.planes.front().width}};
  json["target_tokens"] = model_->vocabularies.target.tokens(batch.target_output);
  json["attention"] = translation::attention_json(pass, 0);
  return json.dump();
}

std::vector<std::vector<Alignment>> Translator::alignments(const std::vector<std::string>& sentences,
                                                           const std::vector<Result>& results) {
  ParallelCorpus corpus;  // a pair for each translation
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto numbers = source(sentences[i], to_index(i) + 1);
    for (const Translation& translation : results[i].n_best) {
      corpus.source.push_back(numbers);
      corpus.target.push_back(translation.ids);
    }
  }
  std::vector<Alignment> found = align_all(model_->model, corpus);
  std::vector<std::vector<Alignment>> result(sentences.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i)
    for (std::size_t n = results[i].n_best.size(); n > 0; --n) result[i].push_back(std::move(found[next++]));
  return result;
}

}  // namespace regard::translation
