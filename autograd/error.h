#pragma once

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <utility>

namespace regard {

/// The one exception that regard throws: a sentence that says what was wrong, where, and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Two kinds of it that can be told apart, for those who know better what to do.

/// Memory ran out.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

/// What a model computes is no longer a number.
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
