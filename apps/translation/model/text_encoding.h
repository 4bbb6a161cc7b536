#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"

namespace regard::translation {

/// Turns text into token numbers and back.
struct TextEncoding {
  Vocabularies vocabularies;
  std::unique_ptr<Tokeniser> tokeniser;
  std::string about = {};  ///< what the tokeniser has learnt (Tokeniser::about), and from what
};

// Its files in a model directory: vocabulary.json for both languages, or vocabulary.source.json and
// vocabulary.target.json; and those of the kind of tokeniser.

/// All names that these files may have in a directory.
std::vector<std::string> text_encoding_files(const std::string& directory);

/// True if all files exist that load_text_encoding reads.
bool has_text_encoding(const std::string& directory, const DataSettings& settings);

/// Loads the text encoding of the model directory with these settings. Throws Error if a file is missing,
/// damaged, of a newer format, or does not fit the others. The message names the file.
TextEncoding load_text_encoding(const std::string& directory, const DataSettings& settings);

/// Writes vocabularies and subwords into a model directory.
void save_vocabularies(const std::string& directory, const DataSettings& settings,
                       const Vocabularies& vocabularies);

/// Returns `file`, which belongs to the model in this directory. Throws Error if it is missing.
const std::string& present(const std::string& directory, const std::string& file);

}  // namespace regard::translation
