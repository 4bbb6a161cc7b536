#pragma once

#include <nlohmann/json_fwd.hpp>

#include "apps/translation/files/json.h"
#include "autograd/real.h"
#include "transformer/attention_layers.h"
#include "transformer/teacher_forcing.h"

namespace regard::translation {

/// "encoder", "decoder" or "source".
const char* name_of(transformer::AttentionKind kind);

/// All attention weights of one sentence of a pass: an array with an object for each attention of the model,
///   {"name", "kind": "encoder" | "decoder" | "source", "layer", "queries", "keys",
///    "heads": [{"weights": [queries * keys numbers, row by row], "entropy", "looks_at"}]}
/// The weights are rounded to 7 decimals. Entropy and looks_at: transformer/attention_layers.h; an attention
/// over the positions of an image has no looks_at. Empty for a model without attention.
Json attention_json(transformer::EncoderDecoder& model, const transformer::ForcedPass& pass, Index sentence);

}  // namespace regard::translation
