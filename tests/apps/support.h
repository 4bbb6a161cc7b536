#pragma once

#include <string_view>

#include "autograd/error.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"

namespace regard::tests {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace regard::tests

/// Checks that an expression throws an Error, and that its message contains a text.
#define CHECK_ERROR(expression, text) CHECK_THAT(MESSAGE_OF(expression), ContainsSubstring(text))
