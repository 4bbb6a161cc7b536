#pragma once

#include <cstdio>
#include <fmt/format.h>

namespace regard::translation {

/// Writes "regard: …" to standard error. Where that is full or closed, nothing happens: no work shall be lost
/// for a warning.
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(("regard: " + fmt::format(format, std::forward<Args>(args)...) + "\n").c_str(), stderr);
}

}  // namespace regard::translation
