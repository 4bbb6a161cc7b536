#pragma once

// What the standard library of Debian's emscripten (libc++ 14) lacks and the translator uses: algorithms that
// take a whole range. CMake includes this file before every source. With a newer library it defines nothing.

#include <version>

#ifndef __cpp_lib_ranges
#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace std::ranges {  // NOLINT

#define REGARD_WITH_PREDICATE(name)                                                                  \
  template <class Range, class Predicate>                                                            \
  constexpr auto name(Range&& range, Predicate predicate) {                                          \
    const auto holds = [&](const auto& element) -> bool { return std::invoke(predicate, element); }; \
    return std::name(std::begin(range), std::end(range), holds);                                     \
  }
REGARD_WITH_PREDICATE(all_of)
REGARD_WITH_PREDICATE(any_of)
REGARD_WITH_PREDICATE(none_of)
REGARD_WITH_PREDICATE(count_if)
REGARD_WITH_PREDICATE(find_if)
#undef REGARD_WITH_PREDICATE

template <class Range, class Value, class Projection = std::identity>
constexpr auto find(Range&& range, const Value& value, Projection projection = {}) {
  return ranges::find_if(range,
                         [&](const auto& element) { return std::invoke(projection, element) == value; });
}
template <class Range, class Value, class Projection = std::identity>
constexpr auto count(Range&& range, const Value& value, Projection projection = {}) {
  return ranges::count_if(range,
                          [&](const auto& element) { return std::invoke(projection, element) == value; });
}
template <class Range, class Value>
constexpr void replace(Range&& range, const Value& before, const Value& after) {
  std::replace(std::begin(range), std::end(range), before, after);
}
template <class Range, class Compare = std::less<>, class Projection = std::identity>
constexpr void sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::sort(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
    return std::invoke(compare, std::invoke(projection, a), std::invoke(projection, b));
  });
}
template <class Range, class Compare = std::less<>, class Projection = std::identity>
void stable_sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
    return std::invoke(compare, std::invoke(projection, a), std::invoke(projection, b));
  });
}
template <class Range, class Output>
constexpr void copy(Range&& range, Output output) {
  std::copy(std::begin(range), std::end(range), output);
}

}  // namespace std::ranges
#endif
