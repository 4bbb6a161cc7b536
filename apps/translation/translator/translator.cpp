#include "apps/translation/translator/translator.h"

#include "apps/translation/corpus/batching.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/graph.h"

namespace regard::translation {

using transformer::Hypothesis;
using transformer::SamplingOptions;
using transformer::SearchOptions;

std::vector<Translator::Result> Translator::translate(const std::vector<std::string>& sentences,
                                                      const SearchOptions& options, Index first_line) {
  return results_of(sentences, first_line, [&](const Sources& sources, std::span<const Index>) {
    return search_all(model_.model, sources, options, batch_tokens_);
  });
}

std::vector<Translator::Result> Translator::sample(const std::vector<std::string>& sentences,
                                                   const SamplingOptions& options, Index first_line) {
  return results_of(sentences, first_line, [&](const Sources& sources, std::span<const Index> lines) {
    return sample_all(model_.model, sources, options, lines, batch_tokens_);
  });
}

std::vector<Translator::Result> Translator::results_of(
    const std::vector<std::string>& sentences, Index first_line,
    const std::function<Found(const Sources&, std::span<const Index>)>& search) {
  const Vocabulary& vocabulary = model_.vocabularies.source;
  std::vector<Result> results(sentences.size());
  Sources sources;
  std::vector<Index> lines;  // line numbers of the sources; empty sentences are not searched
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::vector<std::string> tokens = model_.tokeniser->split(sentences[i]);
    const Index line = first_line + to_index(i);
    model_.check_length(tokens.size(), fmt::format("line {}", line));
    if (tokens.empty()) {
      results[i].n_best.push_back({});
      continue;
    }
    sources.push_back(vocabulary.ids(tokens));
    lines.push_back(line);
    results[i].unknown_words = vocabulary.unknown(tokens);
  }
  const Found found = search(sources, lines);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const Hypothesis& hypothesis : found[i])
      results[to_size(lines[i] - first_line)].n_best.push_back(
          {model_.tokeniser->join(model_.vocabularies.target.tokens(hypothesis.tokens)), hypothesis.score,
           hypothesis.tokens});
  return results;
}

bool Translator::takes(const std::string& sentence) const {
  return model_.takes(model_.tokeniser->split(sentence).size());
}

void Translator::check_length(const std::string& sentence, Index line) const {
  model_.check_length(model_.tokeniser->split(sentence).size(), fmt::format("line {}", line));
}

void Translator::set_batch_tokens(Index tokens) {
  if (tokens < 1) fail("a batch of {} tokens is not possible; give at least 1", tokens);
  batch_tokens_ = tokens;
}

Translator::Attention Translator::attention(const std::string& sentence, const Translation& translation) {
  const NoGrad no_grad;
  const std::vector<std::int32_t> ids = model_.vocabularies.source.ids(model_.tokeniser->split(sentence));
  transformer::Batch batch;
  batch.source.append(with_end(ids));
  std::vector<std::int32_t> input{special::begin};
  input.insert(input.end(), translation.ids.begin(), translation.ids.end());
  batch.target_input.append(input);

  transformer::AttentionWeights weights;
  model_.model.hidden(batch, &weights);
  if (weights.memory.empty())
    fail("this model has no attention to the source, so its attention weights cannot be shown");
  const Tensor by_head = weights.memory.back().front();  // [heads, target, source]
  const Tensor average = Tensor::zeros({by_head.size(1), by_head.size(2)});
  for (Index head = 0; head < by_head.size(0); ++head)
    for (Index i = 0; i < average.size(); ++i)
      average.data()[i] += by_head.data()[head * average.size() + i] / static_cast<Real>(by_head.size(0));
  return {model_.vocabularies.source.tokens(with_end(ids)),
          model_.vocabularies.target.tokens(with_end(translation.ids)), average};
}

}  // namespace regard::translation
