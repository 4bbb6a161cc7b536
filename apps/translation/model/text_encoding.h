#pragma once

#include <memory>
#include <string>

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"

namespace regard::translation {

/// Turns text into token numbers and back.
struct TextEncoding {
  Vocabularies vocabularies;
  std::unique_ptr<Tokeniser> tokeniser;
};

/// Loads the text encoding of the model directory with these settings. Throws Error if a file is missing,
/// damaged, of a newer format, or does not fit the others. The message names the file.
TextEncoding load_text_encoding(const std::string& directory, const Settings& settings);

}  // namespace regard::translation
