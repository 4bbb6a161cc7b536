#include "apps/translation/training/sharded_loss.h"

#include <functional>
#include <span>
#include <vector>

#include "apps/translation/processes/gradient_sum.h"
#include "apps/translation/processes/message.h"
#include "apps/translation/processes/shards.h"
#include "autograd/graph.h"

namespace regard::translation {

namespace {

using LeafDone = std::function<void(std::span<const Real>)>;

/// Returns the loss of one shard and adds its gradient. The random numbers belong to the shard, so they are
/// the same in whatever process computes it. `leaf_done` hears which parameters have their gradients.
double add_shard(transformer::EncoderDecoder& model, const Update& update, Index shard, Index step,
                 const TrainingSettings& settings, const LeafDone& leaf_done) {
  double loss = 0;
  for (Index i = 0; i < update.micro_batches(); ++i) {
    const transformer::Batch batch = update.batch(i, shard);
    if (batch.target_output.empty()) continue;
    model.set_random(static_cast<std::uint64_t>(settings.seed), static_cast<std::uint32_t>(step),
                     static_cast<std::uint32_t>(i * update.shards() + shard));
    const Tensor part = model.loss(batch, {.label_smoothing = static_cast<Real>(settings.label_smoothing),
                                           .divide_by = update.targets()});
    const bool last = i + 1 == update.micro_batches();
    backward(part, {.leaf_done = last ? leaf_done : LeafDone()});
    loss += static_cast<double>(part.item());
  }
  return loss;
}

/// Returns the sum of the losses of all shards. `own` has those of this process.
double sum_of_losses(const std::vector<double>& own, Processes& processes) {
  if (processes.alone()) return tree_sum(own);
  MessageWriter message;
  for (const double loss : own) message.add(loss);
  std::vector<double> losses;
  for (const std::string& bytes : processes.all_gather(message.bytes()))
    for (MessageReader reader(bytes); !reader.at_end();) losses.push_back(reader.number<double>());
  return tree_sum(losses);
}

}  // namespace

double loss_and_gradient(transformer::EncoderDecoder& model, const Tensor& gradient, const Update& update,
                         Index step, const TrainingSettings& settings, Processes& processes, Index piece) {
  GradientSum sum(gradient, update.shards(), processes,
                  piece > 0 ? piece : numbers_per_piece(processes.count()));
  const ShardRange own = shards_of(processes.rank(), processes.count(), update.shards());
  std::vector<double> losses;
  for (Index shard = own.first; shard < own.end; ++shard) {
    const bool last = shard + 1 == own.end;
    LeafDone send;
    if (last && !processes.alone()) send = [&](std::span<const Real> part) { sum.add_part(part); };
    losses.push_back(add_shard(model, update, shard, step, settings, send));
    if (!last) sum.add_shard();
  }
  sum.finish();
  return sum_of_losses(losses, processes);
}

}  // namespace regard::translation
