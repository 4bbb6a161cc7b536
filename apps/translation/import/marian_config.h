#pragma once

#include <string>
#include <vector>

#include "apps/translation/import/npz_file.h"
#include "apps/translation/settings/settings.h"

namespace regard::translation {

// The texts of Marian in YAML. Only marian_config.cpp includes the library, whose header takes seconds.

/// The settings of a model of Marian, from the configuration in its file and from decoder.yml, if the
/// directory has it. Throws Error that names the key of a form that regard does not have.
Settings marian_settings(const NpzFile& model, const std::string& directory);

/// Reads vocab.yml: tokens and their ids. Returns the tokens in the order of the ids.
std::vector<std::string> read_vocabulary_yaml(const std::string& path);

}  // namespace regard::translation
