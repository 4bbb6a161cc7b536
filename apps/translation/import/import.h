#pragma once

#include <string>

#include "apps/translation/import/imported_model.h"

namespace regard::translation {

/// Reads a model of another program. Throws Error that names the file and its fault, or says which files are
/// missing.
ImportedModel read_model(const std::string& directory);

}  // namespace regard::translation
