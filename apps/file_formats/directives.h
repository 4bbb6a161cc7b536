#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/text/patterns.h"

namespace regard::files {

/// What stays as it is in a text: entities such as &nbsp; and the directives that a program replaces in its
/// messages, such as %s and {name}.
class Directives {
 public:
  /// `flags` are those of a message in PO, such as "fuzzy, c-format".
  explicit Directives(const std::string& flags);
  /// Entities alone.
  static const Directives& none();

  /// The directives and entities in a text, from left to right. They point into it.
  std::vector<std::string_view> matches(std::string_view text) const { return patterns_.matches(text); }
  /// True if a character would begin or end a directive, and stands twice where it is text, as % in %%.
  bool is_doubled(char c) const { return doubled_.find(c) != std::string::npos; }

  /// Writes into each directive its number, if it has none: "%s of %s" becomes "%1$s of %2$s".
  std::string with_numbers(std::string_view text) const;
  /// Takes the numbers of with_numbers out again if they are in order. Otherwise they stay; nothing if the
  /// program cannot read them.
  std::optional<std::string> without_numbers(const std::string& text) const;

 private:
  bool can_have_numbers_ = false;
  std::string doubled_;
  translation::Patterns patterns_;
};

}  // namespace regard::files
