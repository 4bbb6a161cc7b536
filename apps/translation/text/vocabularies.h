#pragma once

#include <string>

#include "apps/translation/text/vocabulary.h"

namespace regard::translation {

/// The vocabularies of both sides. A joint vocabulary stands in both places.
struct Vocabularies {
  Vocabulary source, target;
  std::string subwords = {};  ///< with tokeniser sentencepiece: the bytes of its model
};

}  // namespace regard::translation
