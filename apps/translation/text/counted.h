#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "autograd/machine/real.h"

namespace regard::translation {

/// Returns a count with its noun: "1 thread", "2 threads".
inline std::string counted(Index count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace regard::translation
