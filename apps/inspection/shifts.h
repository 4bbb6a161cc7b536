#pragma once

#include <cstdint>
#include <vector>

#include "autograd/machine/real.h"

namespace regard::translation {

/// Lines whose translations seem to be in other lines: line i of the source belongs to line i + offset of the
/// target.
struct Shift {
  Index first = 0, last = 0;  ///< lines from 0; the last one belongs to it
  Index offset = 0;
  double as_it_is = 0, shifted = 0;  ///< the correlation of the lengths without and with the offset
};

/// Guesses where two files are out of step, from the lengths of their lines in characters. Long sentences
/// have long translations, so the logarithms of the lengths are correlated in translations and not in other
/// pairs. In blocks of 128 lines, each offset of up to 32 lines is tried. A block is shifted if an offset
/// gives a correlation of at least 0.5, and 0.3 more than none. A shift of fewer lines than a block may be
/// missed. Both files have the same number of lines.
std::vector<Shift> find_shifts(const std::vector<std::uint32_t>& source,
                               const std::vector<std::uint32_t>& target);

}  // namespace regard::translation
