#pragma once

#include <concepts>
#include <cstddef>
#include <fmt/core.h>
#include <stdexcept>
#include <string>
#include <utility>

#include "autograd/machine/real.h"

// Errors, and conversions of numbers that cannot fail in silence.

namespace regard {

/// Every exception that regard throws. Its text says what was wrong, where, and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Two subclasses of Error, for callers that can recover. The translator has two more.

/// Memory ran out.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

/// The model produced NaN or infinity.
class NotFinite : public Error {
 public:
  using Error::Error;
};

/// Throws an Error with a formatted message: `fail("{}: expected {} columns, got {}", op, want, got)`.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

/// Converts an integer to another integer type. Throws Error if the value does not fit. Not for kernel files,
/// which must not share inline functions with other files (autograd/kernels/kernel.h).
template <std::integral To, std::integral From>
constexpr To checked_cast(From value) {
  if (!std::in_range<To>(value))
    throw Error("the number " + std::to_string(value) + " does not fit the integer type it is converted to");
  return static_cast<To>(value);
}

/// The two conversions that occur everywhere: the standard library counts with std::size_t, regard with
/// Index. Both throw Error if the value does not fit.
template <std::integral From>
constexpr std::size_t to_size(From value) {
  return checked_cast<std::size_t>(value);
}
/// See to_size().
template <std::integral From>
constexpr Index to_index(From value) {
  return checked_cast<Index>(value);
}

}  // namespace regard
