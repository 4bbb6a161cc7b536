#pragma once

#include "apps/translation/corpus/corpus.h"

namespace regard::translation {

/// Moves a share of the pairs out of a text, for validation, and returns them. Both texts keep their order. A
/// hash of the source decides, so pairs with equal sources go together, and the same text is divided in the
/// same way everywhere. Case and what as_read (files/utf8.h) makes equal do not count. Throws Error if one of
/// both texts would have no pair.
ParallelText hold_out(ParallelText& text, double share);

}  // namespace regard::translation
