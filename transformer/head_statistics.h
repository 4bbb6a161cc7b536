#pragma once

#include <string_view>

#include "autograd/index.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Mean over the queries of the entropy -sum_j a_j log a_j of a head, in nats: 0 if each query looks at one
/// key, log(keys) if each looks at all keys alike. weights[heads, queries, keys].
double entropy(const Tensor& weights, Index head);

/// The word for the keys to which a head gives more than half of its weight, in the mean over the queries:
/// "previous", "next" or "same" (the key before, after or at the position of the query), "begin" or "end"
/// (the first or the last key); empty if there are no such keys. Queries without such a key do not count. If
/// several words fit, the one with the largest weight is returned. weights[heads, queries, keys].
std::string_view looks_at(const Tensor& weights, Index head);

}}}  // namespace regard::REGARD_PRECISION::transformer
