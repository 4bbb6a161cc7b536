#pragma once

#include <string>

#include "apps/translation/import/imported_model.h"

namespace regard::translation {

/// Reads a directory of Hugging Face's MarianMT, such as an OPUS-MT model: config.json,
/// generation_config.json (if it is there), model.safetensors or pytorch_model.bin, vocab.json,
/// target_vocab.json (if there are two vocabularies), source.spm and target.spm. Throws Error that names the
/// file and its fault.
ImportedModel read_marian_mt(const std::string& directory);

}  // namespace regard::translation
