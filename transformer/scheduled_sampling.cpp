#include "transformer/scheduled_sampling.h"

#include <limits>
#include <vector>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "transformer/teacher_forcing.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

/// The likeliest token after each token that the decoder reads.
std::vector<std::int32_t> predictions(EncoderDecoder& model, const Batch& batch) {
  const NoGrad no_grad;
  std::vector<std::int32_t> result;
  visit_logits(model, model.hidden(batch), [&](Index, const Tensor& logits) {
    const LargestLogits largest = largest_logits(logits, 3);  // two of them may be <pad> and <s>
    for (Index row = 0; row < logits.size(0); ++row) {
      Index i = row * largest.count;
      while (largest.positions[to_size(i)] == padding_id ||
             largest.positions[to_size(i)] == sentence_begin_id)
        ++i;
      result.push_back(largest.positions[to_size(i)]);
    }
  });
  return result;
}

}  // namespace

void replace_by_predictions(EncoderDecoder& model, Batch& batch, double share, RandomStream stream) {
  if (!(share >= 0 && share <= 1)) fail("scheduled sampling: the share is {}; it must be from 0 to 1", share);
  if (model.target_vocabulary() <= sentence_end_id)
    fail("scheduled sampling: the target vocabulary has {} entries; it needs at least {}, up to </s>",
         model.target_vocabulary(), sentence_end_id + 1);
  std::vector<std::int32_t> predicted;
  model.eval();
  try {
    predicted = predictions(model, batch);
  } catch (const NotFinite&) {  // the loss will not be finite either, and the training reports it
  } catch (...) {
    model.train();
    throw;
  }
  model.train();
  if (predicted.empty()) return;
  stream.layer = std::numeric_limits<std::uint32_t>::max();  // no dropout has this number
  Random random(stream.key());
  PackedSequences& input = batch.target_input;
  for (Index i = 0; i < input.sentences(); ++i)
    for (Index row = input.offsets[to_size(i)] + 1; row < input.offsets[to_size(i) + 1]; ++row)
      if (random.uniform() < share) input.ids[to_size(row)] = predicted[to_size(row - 1)];
}

}}}  // namespace regard::REGARD_PRECISION::transformer
