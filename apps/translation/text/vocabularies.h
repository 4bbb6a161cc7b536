#pragma once

#include <string>

#include "apps/translation/text/vocabulary.h"

namespace regard::translation {

/// The vocabularies of both sides. With a joint vocabulary, both are the same.
struct Vocabularies {
  Vocabulary source, target;
  std::string subwords = {};  ///< the bytes of the SentencePiece model; empty with other tokenisers
};

}  // namespace regard::translation
