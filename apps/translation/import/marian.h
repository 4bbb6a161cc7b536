#pragma once

#include <string>

#include "apps/translation/import/imported_model.h"

namespace regard::translation {

/// Reads a Transformer of Marian: one file *.npz with its configuration inside, and its vocabularies, which
/// are source.spm and target.spm with *.vocab.yml (or *.src.vocab.yml and *.trg.vocab.yml), or one file *.spm
/// whose pieces are the vocabulary. decoder.yml, if it is there, has the settings of the search. Throws Error
/// that names the file and its fault, and asks if the files fit several of these descriptions.
ImportedModel read_marian(const std::string& directory);

}  // namespace regard::translation
