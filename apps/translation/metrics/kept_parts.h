#pragma once

#include <array>
#include <string>
#include <vector>

#include "apps/translation/text/fixed_parts.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// Translations that have exactly the fixed parts of one kind of their source, each as often, in any order.
struct KeptParts {
  Index sentences = 0;  ///< sources with at least one such part
  Index kept = 0;       ///< their translations that have the same ones

  double share() const { return static_cast<double>(kept) / static_cast<double>(sentences); }
};

/// One entry for each of fixed_kinds. Both lists have the same length, and are UTF-8.
std::array<KeptParts, fixed_kinds.size()> kept_parts(const std::vector<std::string>& sources,
                                                     const std::vector<std::string>& translations,
                                                     const Patterns& patterns);

}  // namespace regard::translation
