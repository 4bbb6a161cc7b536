#pragma once

#include <string>
#include <vector>

namespace regard::toys {

/// A token of a sentence, and the parts of the meaning that it expresses, as bits. A token without parts has
/// no counterpart in another language.
struct Token {
  std::string text;
  unsigned parts;
};

/// The two kinds of links of a gold alignment (Och and Ney 2003), as their files write them.
enum class LinkKind : char { sure = '-', possible = '?' };

/// Links all tokens of both sides that share a part. Returns the links in the Pharaoh format: "0-0 1-2" links
/// source token 0 to target token 0 and source token 1 to target token 2. They are in the order of the target
/// tokens.
std::string gold_alignment(const std::vector<Token>& source, const std::vector<Token>& target, LinkKind kind);

}  // namespace regard::toys
