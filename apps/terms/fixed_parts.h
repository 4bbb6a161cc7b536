#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/text/patterns.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// The parts of a sentence that a translation has as well, unchanged. Each list is sorted.
struct FixedParts {
  std::vector<std::string> placeholders;  ///< %s, {0}, $name, addresses and the user's patterns
  std::vector<std::string> markup;        ///< tags and entities: <b>, &amp;
  /// Their digits in ASCII, as 1,000.5 is 1.000,5 in other languages. What may be one number or two keeps its
  /// separator: "1 234", "6:30".
  std::vector<std::string> numbers;
};

/// The kinds of fixed parts, for loops over them.
struct FixedKind {
  const char* name;
  std::vector<std::string> FixedParts::*parts;
};
inline constexpr std::array fixed_kinds{FixedKind{"placeholders", &FixedParts::placeholders},
                                        FixedKind{"markup", &FixedParts::markup},
                                        FixedKind{"numbers", &FixedParts::numbers}};

/// True if both have the same parts of a kind, each as often. Numbers that may be one or two, such as "1
/// 234", count as one in both, or as two in both.
bool same_parts(const FixedKind& kind, const FixedParts& one, const FixedParts& other);

/// Returns the patterns of placeholders and markup: those of a user, which come first, and regard's own.
/// Throws Error as Patterns does.
Patterns fixed_patterns(const std::vector<std::string>& of_user = {});

/// Finds the fixed parts of a text, which must be UTF-8. A match that begins with < or & is markup, any other
/// one a placeholder. Numbers have decimal digits of any script; digits within a match, or after a letter of
/// a script with small and capital letters, are none.
FixedParts fixed_parts(std::string_view text, const Patterns& patterns);

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
