#pragma once

#include <string>

#include "autograd/real.h"
#include "transformer/self_attention/transformer_config.h"

namespace regard::bench {

struct LongBench {
  std::string preset = "base";  ///< the preset of the encoder layer
  Index max_length = 8192;      ///< lengths are 128, 256, … up to this
  double seconds = 1;           ///< each length repeats for at least this time
};

/// Runs one encoder layer forward and backward on one sentence of 128 tokens, 256, and so on. Prints for each
/// length the time, GFLOP/s, and the memory of tensors beside the weights. The time of attention grows with
/// the square of the length, but attention never stores a matrix [length, length], so the memory per token
/// stays about the same. Throws Error for a length below 128 or an unknown preset.
void run(const LongBench& bench);

/// Returns the number of multiplications and additions in the products of an encoder layer on one sentence,
/// forward and backward. The backward computes the scores of attention a second time; they are counted once.
double encoder_layer_flops(const transformer::Config& config, Index length);

}  // namespace regard::bench
