#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace regard::translation {

/// Finds the parts of a text that regular expressions describe, such as %[0-9]*\$?[sd] for placeholders. The
/// syntax is that of RE2 (github.com/google/re2/wiki/Syntax): Perl's without back references and look-around.
/// A search takes time in proportion to the text. Any number of threads may use one object.
class Patterns {
 public:
  /// Says whether a match of a pattern counts where it is. `match` points into `text`.
  using Counts = bool (*)(std::string_view text, std::string_view match);

  /// The matches of `in_context`, the last patterns of the list, are left out where `counts` says no. Without
  /// patterns, nothing matches. Throws Error that names the pattern if one is no regular expression, or if it
  /// matches the empty text.
  explicit Patterns(const std::vector<std::string>& patterns = {},
                    const std::vector<std::string>& in_context = {}, Counts counts = nullptr);

  /// Returns the matches from left to right; they do not overlap. At each place, the first pattern in the
  /// list that matches there is taken, and within it, the first alternative, as in Perl. The parts point into
  /// `text`, which is UTF-8.
  std::vector<std::string_view> matches(std::string_view text) const;

  bool empty() const { return any_ == nullptr; }

 private:
  std::shared_ptr<const re2::RE2> any_;  ///< all patterns in one; null if there are none
  Counts counts_;
  std::size_t group_ = 0;  ///< the capture group of the patterns in context; 0: there are none
};

/// Throws Error that begins with `name`, a setting or an option, if Patterns cannot be made of these.
void check_patterns(const std::vector<std::string>& patterns, const std::string& name);

}  // namespace regard::translation
