#pragma once

#include <limits>
#include <string>

#include "autograd/machine/real.h"

namespace regard::translation {

/// How a SentencePiece model cuts text.
enum class SubwordType { bpe, unigram, word, character };

/// What each means stands in settings_description.h.
struct SubwordSettings {
  SubwordType type = SubwordType::bpe;
  Index size = 8000;
  std::string model = {};
  double character_coverage = 1;
  double sampling = 0;
  Index sampling_n_best = -1;
};

/// The most subwords that a sentence of training may be cut into on each side, without </s>.
struct SubwordLimits {
  Index source = std::numeric_limits<Index>::max(), target = source;
};

}  // namespace regard::translation
