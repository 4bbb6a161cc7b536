#pragma once

#include <cstdio>
#include <fmt/format.h>

namespace regard::translation {

/// Writes "regard: …" to standard error. If standard error is full or closed, nothing happens, because a
/// warning must not stop any work.
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(("regard: " + fmt::format(format, std::forward<Args>(args)...) + "\n").c_str(), stderr);
}

}  // namespace regard::translation
