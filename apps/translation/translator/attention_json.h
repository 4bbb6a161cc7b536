#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "apps/translation/files/json.h"
#include "autograd/machine/real.h"
#include "transformer/attention_layers.h"

namespace regard::translation {

/// "encoder", "decoder" or "source".
const char* name_of(transformer::AttentionKind kind);

/// Mean over the queries of the entropy -sum_j a_j log a_j of a head, in nats: 0 if each query looks at one
/// key, log(keys) if each looks at all keys alike. weights[heads, queries, keys].
double entropy(const Tensor& weights, Index head);

/// The word for the keys to which a head gives more than half of its weight, in the mean over the queries:
/// "previous", "next" or "same" (the key before, after or at the position of the query), "begin" or "end"
/// (the first or the last key); empty if there are no such keys. Queries without such a key do not count. If
/// several words fit, the one with the largest weight is returned. weights[heads, queries, keys].
std::string_view looks_at(const Tensor& weights, Index head);

/// All attention weights of one sentence of a pass: an array with an object for each attention of the model,
///   {"name", "kind": "encoder" | "decoder" | "source", "layer", "queries", "keys",
///    "heads": [{"weights": [queries * keys numbers, row by row], "entropy", "looks_at"}]}
/// The weights are rounded to 7 decimals. An attention over the positions of an image has no looks_at. Empty
/// for a model without attention.
Json attention_json(const transformer::ForcedPass& pass, Index sentence);

}  // namespace regard::translation
