#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/real.h"

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

/// A gold alignment (Och and Ney 2003, section 4.1): S, the links that are sure, and P, the links that are
/// possible. S is a subset of P. Both are sorted and contain no link twice.
struct GoldAlignment {
  Alignment sure, possible;
};

/// Reads a line of a gold file: sure links "i-j" and possible links "i?j" or "ipj" between blanks; none for
/// an empty line. Throws Error, with the name of the line, for a text that is no link.
GoldAlignment parse_gold(std::string_view text, const std::string& name);

/// Reads a gold file, one sentence pair per line; it may be compressed with gzip. Throws Error that names the
/// file, and the line if a text in it is no link.
std::vector<GoldAlignment> read_gold(const std::string& path);

/// Throws Error, with the name of the line, for a link that is beyond one of the sentences.
void check_positions(const GoldAlignment& gold, Index source_tokens, Index target_tokens,
                     const std::string& name);

}  // namespace regard::translation
