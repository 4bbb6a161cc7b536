#pragma once

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <utility>

namespace regard {

/// Every exception that regard throws. Its text says what was wrong, where, and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Two subclasses of Error, for callers that can recover.

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

}  // namespace regard
