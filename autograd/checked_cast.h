#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "autograd/error.h"
#include "autograd/index.h"

namespace regard {

/// Converts an integer to another integer type. Throws Error if the value does not fit. Not for kernel files,
/// which must not share inline functions with other files (autograd/kernels/kernel.h).
template <std::integral To, std::integral From>
constexpr To checked_cast(From value) {
  if (!std::in_range<To>(value))
    fail("the number {} does not fit the integer type it is converted to", value);
  return static_cast<To>(value);
}

// The two conversions that occur everywhere: the standard library counts with std::size_t, regard with Index.
template <std::integral From>
constexpr std::size_t to_size(From value) {
  return checked_cast<std::size_t>(value);
}
template <std::integral From>
constexpr Index to_index(From value) {
  return checked_cast<Index>(value);
}

}  // namespace regard
