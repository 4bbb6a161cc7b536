#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/toys/toys.h"

namespace regard::toys {

Toy brackets_toy();
Toy dates_toy();
Toy numbers_toy();
Toy pronouns_toy();
Toy sentences_toy();

/// Returns a day in one of the 16 English formats, 0 ≤ format < 16, and in ISO 8601. Each pair (day, format)
/// gives a different text.
SentencePair date_pair(std::chrono::sys_days day, std::size_t format);

/// Returns a number in British English and as one German word, 0 ≤ number ≤ 999,999: "one thousand and six",
/// "eintausendsechs". German has the long forms "einhundert" and "eintausend": English says "one hundred", so
/// each English word then has a German counterpart. The alignment has a possible link between each character
/// of a word and each character of its counterpart. The hyphen of "twenty-one" and "und" are counterparts;
/// blanks and "and" have none.
SentencePair number_pair(std::uint64_t number);

/// A token of a sentence, and the parts of the meaning that it expresses, as bits. A token without parts has
/// no counterpart in another language.
struct Token {
  std::string text;
  unsigned parts;
  std::size_t clause = 0;  ///< the clause to which the parts belong, in a sentence of several
};
using Tokens = std::vector<Token>;

inline void append(Tokens& tokens, const Tokens& more) {
  tokens.insert(tokens.end(), more.begin(), more.end());
}

/// The two kinds of links of a gold alignment (Och and Ney 2003), as their files write them.
enum class LinkKind : char { sure = '-', possible = '?' };

/// Links all tokens of both sides that share a part of the same clause. Returns the links in the Pharaoh
/// format: "0-0 1-2" links source token 0 to target token 0 and source token 1 to target token 2. They are in
/// the order of the target tokens.
std::string gold_alignment(const Tokens& source, const Tokens& target, LinkKind kind);

}  // namespace regard::toys
