#pragma once

#include <compare>
#include <string>
#include <vector>

#include "autograd/machine/real.h"

namespace regard::translation {

/// A link between two tokens of a sentence pair, which are translations of each other. Positions count tokens
/// from 0, without <s> and </s>.
struct Link {
  Index source = 0, target = 0;

  auto operator<=>(const Link&) const = default;
};

using Alignment = std::vector<Link>;

/// The alignment in the Pharaoh format, "0-0 1-2": source position, "-", target position.
std::string alignment_text(const Alignment& alignment);

}  // namespace regard::translation
