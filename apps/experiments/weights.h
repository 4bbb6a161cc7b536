#pragma once

#include <vector>

#include "apps/experiments/task.h"

// Measurements of attention weights.

namespace regard::experiments {

/// The decoder's weights of each pair, [target tokens, source tokens], both with </s>: last layer, mean over
/// the heads.
std::vector<Tensor> source_weights(Trained& trained, const Pairs& pairs);

/// Mean entropy of the weights with which a target token looks at the source, in nats.
double source_entropy(Trained& trained, const Pairs& pairs);

/// The share of these weights that are exactly 0, in %.
double share_of_zeros(Trained& trained, const Pairs& pairs);

/// How much the weights depend on the query: the mean, over pairs and source tokens, of the greatest minus
/// the least weight that a target token gives to it.
double query_dependence(Trained& trained, const Pairs& pairs);

}  // namespace regard::experiments
