#include "apps/translation/training/step.h"

#include <algorithm>
#include <cmath>

#include "apps/translation/model/precisions.h"
#include "apps/translation/training/store.h"
#include "autograd/machine/error.h"
#include "transformer/scheduled_sampling.h"

namespace regard::translation {

namespace {

/// The share of the decoder's tokens that scheduled sampling replaces in this step.
double sampled_share(const TrainingSettings& training, Index step) {
  const Index steps = std::max<Index>(training.scheduled_sampling_steps, 1);
  return training.scheduled_sampling * static_cast<double>(std::min(step, steps)) /
         static_cast<double>(steps);
}

/// Adds the gradient of a micro-batch, with this number within its step, and returns its loss: the sum over
/// its target tokens, divided by `targets`.
double forward_backward(Training& training, transformer::Batch batch, std::uint32_t number, Index targets) {
  const TrainingSettings& settings = training.settings.training;
  transformer::EncoderDecoder& model = *training.model;
  const RandomStream stream{.seed = static_cast<std::uint64_t>(settings.seed),
                            .step = static_cast<std::uint32_t>(training.progress.step),
                            .part = number};
  set_random(training.dropouts, stream);
  if (const double share = sampled_share(settings, training.progress.step); share > 0)
    replace_by_predictions(model, batch, share, stream);
  const Tensor loss = model.loss(
      batch, {.label_smoothing = static_cast<Real>(settings.label_smoothing), .divide_by = targets});
  loss.backward();
  return static_cast<double>(loss.item());
}

}  // namespace

/// The micro-batches count as one batch: its loss is a sum over them, divided by the number of all their
/// target tokens. Each process computes some of them, and all get the same sums.
StepResult step(Training& training, const Epoch& epoch, const StepBatches& batches, double learning_rate) {
  const TrainingSettings& settings = training.settings.training;
  for (nn::Dropout* const dropout : training.dropouts) dropout->set_training(true);
  StepResult result{.tokens = batches.tokens};
  {
    const auto products = precisions().for_training(settings.precision);  // until the weights change
    result.loss = training.processes.sum_gradients(
        training.optimiser->gradients(), settings.shards, [&](Index position) {
          double loss = 0;
          for (const MicroBatch& some : batches.micro_batches[to_size(position)])
            loss += forward_backward(training, epoch.batch(some), some.number, batches.targets);
          return loss;
        });
  }
  result.gradient_norm =
      training.optimiser->step({.learning_rate = learning_rate, .clip_norm = settings.gradient_clip_norm});
  if (!std::isfinite(result.loss)) fail_not_finite(training, "the loss");
  if (!std::isfinite(result.gradient_norm)) fail_not_finite(training, "the gradient");
  if (training.average) training.average->update(training.progress.step);
  return result;
}

void fail_not_finite(const Training& training, const char* what) {
  throw Diverged(fmt::format("step {}: {} is not finite; {}; {}", training.progress.step, what,
                             against_divergence, location_of_weights(training)));
}

}  // namespace regard::translation
