#pragma once

#include <cstdint>
#include <vector>

#include "apps/translation/corpus/corpus.h"

namespace regard::translation {

/// What the lines of a pair seem to be, judged by the rest of the corpus.
enum class Languages : std::uint8_t {
  usual,    ///< each line is in the language of its side
  swapped,  ///< each line is in the language of the other side
  strange,  ///< a line is in another language than its side, and has at least 20 letters and blanks
};

/// Guesses for each pair whether its lines are in the languages of their sides. It needs no list of
/// languages: a model of letters learns the language of each side from up to 20,000 lines, which are spread
/// over the corpus evenly. A line is judged by the bits that its letters take: by the model of its side, by
/// that of the other side, and by one of the lines of its side that were strange before. Then all of them
/// learn again, without the lines that do not belong to them. Both sides have the same number of lines.
std::vector<Languages> guess_languages(const ParallelText& corpus);

}  // namespace regard::translation
