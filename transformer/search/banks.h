#pragma once

#include <vector>

#include "autograd/machine/real.h"
#include "transformer/search/search_options.h"
#include "transformer/search/step_loop.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Shares the places of a beam among the banks of a rule. `candidates` are the extensions of the unfinished
/// translations of one sentence, best first. In the result, the first `beam` have the places, best first.
///
/// Each bank gets its best candidate, then each its second best, …, from the fullest bank to the emptiest,
/// until the beam is full (Hu et al. 2019, section 3.2). The n-th best of a bank waits for all others if the
/// n-th best of a fuller bank is more probable: it has less and costs more. If there are more banks than
/// places, neighbours become one. A candidate that ends without what it needs is in bank 0.
std::vector<Extension> share_among_banks(std::vector<Extension> candidates, const TokenRule& rule,
                                         const std::vector<Unfinished>& unfinished, Index beam);

}}}  // namespace regard::REGARD_PRECISION::transformer
