#pragma once

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "apps/translation/corpus/paths.h"
#include "apps/translation/settings/choices.h"
#include "autograd/real.h"

namespace regard::translation {

// The kinds of settings. Each kind checks values and describes the values that it allows.

/// true or false.
struct Flag {};

/// Any text.
struct Text {
  std::string what = "text";
};

/// Any texts.
struct Texts {
  std::string what = "a list of texts";
};

/// The files of a text: one path, several, or none.
struct Files {};

/// The numbers from `low` to `high`. Both are included unless they are marked as excluded.
struct Range {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;
  bool high_excluded = false;

  /// Compares with an excluded limit in float, because weights are computed in float: a value must not round
  /// to the limit.
  bool holds(double x) const {
    return (low_excluded ? static_cast<float>(x) > static_cast<float>(low) : x >= low) &&
           (high_excluded ? static_cast<float>(x) < static_cast<float>(high) : x <= high);
  }

  std::string text() const {
    if (high == std::numeric_limits<double>::infinity())
      return fmt::format("{} {}", low_excluded ? "above" : "of at least", low);
    return fmt::format("from {} to {}{}", low, high_excluded ? "below " : "", high);
  }

  /// The same for whole numbers. Each has an upper limit, so that sums and products of two settings fit an
  /// Index. It is a billion if the range gives none.
  Range whole() const {
    Range range = *this;
    if (std::isinf(high)) range.high = 1e9;
    return range;
  }
};

/// A list of at most this many whole numbers, each in this range.
struct WholeNumbers {
  Range each;
  Index most = 0;
};

inline Range at_least(double low) { return {.low = low}; }
/// Widths of tensors: a product of three of them and their bytes fit an Index.
inline Range size_from(double low) { return {.low = low, .high = 65536}; }
inline Range above(double low) { return {.low = low, .low_excluded = true}; }
inline Range from_to(double low, double high) { return {.low = low, .high = high}; }
inline Range from_to_below(double low, double high) {
  return {.low = low, .high = high, .high_excluded = true};
}

inline std::string allowed(const bool&, const Flag&) { return "true or false"; }
inline std::string allowed(const std::string&, const Text& text) { return text.what; }
inline std::string allowed(const std::vector<std::string>&, const Texts& texts) { return texts.what; }
inline std::string allowed(const Paths&, const Files&) { return "a path, a list of paths, or \"\" for none"; }
inline std::string allowed(const double&, const Range& range) { return "a number " + range.text(); }
inline std::string allowed(const Index&, const Range& range) {
  return "a whole number " + range.whole().text();
}

inline std::string allowed(const std::vector<Index>&, const WholeNumbers& numbers) {
  return fmt::format("a list of at most {} whole numbers, each {}", numbers.most,
                     numbers.each.whole().text());
}

template <class T>
std::string allowed(const T&, const Choices<T>& choices) {
  return list_of_names(choices);
}

template <class T, class Kind>
std::string allowed(const std::optional<T>&, const Kind& kind) {
  return allowed(T{}, kind) + ", or null";
}

}  // namespace regard::translation
