#pragma once

#include <string_view>

#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"

namespace regard::tests {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace regard::tests
