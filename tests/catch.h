#pragma once

// Catch2 version 2 (Debian 12) or 3. The tests use only the names below, which are the same in both, and
// never Catch:: itself (tests/structure.py checks it).
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif
using Catch::Matchers::Matches;
using Catch::Matchers::StartsWith;

#include "autograd/machine/error.h"

/// The message of the regard::Error that `expression` must throw.
#define MESSAGE_OF(expression)                         \
  [&]() -> std::string {                               \
    try {                                              \
      static_cast<void>(expression);                   \
    } catch (const regard::Error& error) {             \
      return error.what();                             \
    }                                                  \
    return "(no error was thrown by " #expression ")"; \
  }()

/// Checks that a text contains another.
#define CHECK_CONTAINS(text, part) CHECK_THAT(text, ContainsSubstring(part))

/// Checks that an expression throws an Error, and that its message contains a text.
#define CHECK_ERROR(expression, part) CHECK_CONTAINS(MESSAGE_OF(expression), part)
