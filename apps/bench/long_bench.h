#pragma once

#include <string>

#include "autograd/index.h"
#include "transformer/self_attention/config.h"

namespace regard::bench {

struct LongBench {
  std::string preset = "base";  ///< whose encoder layer
  Index max_length = 8192;      ///< lengths are 128, 256, … up to this
  double seconds = 1;           ///< to repeat each length for, at least
};

/// Runs one encoder layer forward and backward on a single sentence of 128 tokens, 256, and so on, and prints
/// for each length the time, GFLOP/s, and the memory that tensors took on top of the weights. Attention takes
/// time in proportion to the square of the length, but never holds a matrix [length, length]: memory a token
/// stays about the same. Throws Error for a length or preset that is none.
void run(const LongBench& bench);

/// Multiplications and additions of an encoder layer's products on one sentence, forward and backward.
/// Attention's scores, which the backward computes a second time, are counted once.
double encoder_layer_flops(const transformer::Config& config, Index length);

}  // namespace regard::bench
