#include "transformer/teacher_forcing.h"

#include <algorithm>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

void check(const Batch& batch, Index vocabulary) {
  if (batch.target_input.ids.size() != batch.target_output.size())
    fail("score: the decoder reads {} tokens, but {} are to be scored", batch.target_input.ids.size(),
         batch.target_output.size());
  for (const std::int32_t id : batch.target_output)
    if (id < 0 || id >= vocabulary)
      fail("score: there is no token {} in a target vocabulary of {}", id, vocabulary);
}

/// log p of each target token.
std::vector<double> token_log_probabilities(const EncoderDecoder& model, const Tensor& hidden,
                                            const std::vector<std::int32_t>& targets) {
  std::vector<double> result;
  visit_logits(model, hidden, [&](Index first, const Tensor& logits) {
    const LargestLogits normaliser = largest_logits(logits, 1);
    for (Index row = 0; row < logits.size(0); ++row) {
      const Index target = targets[to_size(first + row)];
      result.push_back(static_cast<double>(logits.data()[row * logits.size(1) + target]) -
                       static_cast<double>(normaliser.log_sum_exp[to_size(row)]));
    }
  });
  return result;
}

}  // namespace

std::vector<ForcedScore> score(EncoderDecoder& model, const Batch& batch) {
  const Span span("score", Span::Kind::other);
  check(batch, model.target_vocabulary());
  const NoGrad no_grad;
  const Tensor hidden = model.hidden(batch);
  const std::vector<double> all = token_log_probabilities(model, hidden, batch.target_output);
  std::vector<ForcedScore> result;
  for (std::size_t i = 0; i + 1 < batch.target_input.offsets.size(); ++i) {
    ForcedScore& of_pair = result.emplace_back();
    of_pair.token_log_probabilities.assign(all.begin() + batch.target_input.offsets[i],
                                           all.begin() + batch.target_input.offsets[i + 1]);
    for (const double log_probability : of_pair.token_log_probabilities)
      of_pair.log_probability += log_probability;
  }
  return result;
}

void visit_logits(const EncoderDecoder& model, const Tensor& hidden,
                  const std::function<void(Index, const Tensor&)>& visit) {
  constexpr Index rows_at_a_time = 512;
  for (Index first = 0; first < hidden.size(0); first += rows_at_a_time)
    visit(first, model.generator(slice(hidden, 0, first, std::min(first + rows_at_a_time, hidden.size(0)))));
}

}}}  // namespace regard::REGARD_PRECISION::transformer
