#pragma once

#include "apps/translation/training/epoch.h"
#include "apps/translation/training/training.h"

namespace regard::translation {

/// The results of one step.
struct StepResult {
  Index tokens = 0;          ///< of both sides, with </s>
  double loss = 0;           ///< mean over the target tokens, with label smoothing
  double gradient_norm = 0;  ///< before clipping
};

/// Takes the step `progress.step`, on these batches of the epoch: forward and backward of each micro-batch,
/// then the update. Throws Error as fail_not_finite does if the loss or the gradient is not finite.
StepResult step(Training& training, const Epoch& epoch, const StepBatches& batches, double learning_rate);

/// Throws Diverged: `what` is not finite. The message names the step, the remedies and the existing weights.
[[noreturn]] void fail_not_finite(const Training& training, const char* what);

inline constexpr const char* against_divergence =
    "set a lower learning_rate (with schedule noam it is a factor), more warmup_steps or a "
    "gradient_clip_norm, and train in another directory or with --overwrite";

}  // namespace regard::translation
