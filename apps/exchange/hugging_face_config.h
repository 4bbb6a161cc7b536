#pragma once

#include <string>
#include <vector>

#include "apps/exchange/keys.h"
#include "apps/translation/settings/settings.h"

namespace regard::exchange {

// The configuration of a MarianMT of transformers (MarianConfig and GenerationConfig) as our settings, in
// both directions.

/// model_type of M2M100, which NLLB is.
inline constexpr const char* nllb_type = "m2m_100";

/// Which matrices are one.
struct Sharing {
  bool embeddings;  ///< those of source and target, which then have one vocabulary
  bool output;      ///< the target embedding and the output projection
};

/// Reads the shape of a MarianMT or M2M100. The positions of M2M100 become learned ones. A missing key has
/// the value that it has in transformers. Throws Error that names a key whose value regard does not have.
transformer::Config shape_of(const Keys& keys);

/// The keys of config.json for a model with this shape, without those for generate().
Json config_of(const transformer::Config& shape, const Sharing& sharing);

/// Reads a search. A missing key has the value that it has in transformers, but max_length 512 and not 20,
/// which would cut off most translations. Warns about each key that changes what generate() writes and that
/// regard has no setting for. Throws Error for a value out of range.
transformer::SearchOptions search_of(const Keys& keys);

/// The keys for the search of a model. Warns about each setting of `decoding` that transformers does not
/// have.
Json generation_of(const translation::Settings& settings);

}  // namespace regard::exchange
