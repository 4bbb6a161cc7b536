#pragma once

#include "apps/translation/processes/processes.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/epoch.h"
#include "autograd/tensor.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// Computes the loss of update number `step` (from 1) and adds its gradient to `gradient`, the memory of the
/// model's gradients, which must be zero. Each process computes its shards. The result has the same bits in
/// every process, and for every number of processes. The micro-batches of an update count as one batch: the
/// loss is a sum over them, divided by the number of their target tokens. `piece`: how many numbers of the
/// gradient are sent together; 0: numbers_per_piece().
double loss_and_gradient(transformer::EncoderDecoder& model, const Tensor& gradient, const Update& update,
                         Index step, const TrainingSettings& settings, Processes& processes, Index piece = 0);

}  // namespace regard::translation
