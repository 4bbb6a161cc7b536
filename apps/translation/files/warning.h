#pragma once

#include <cstdio>
#include <fmt/format.h>

namespace regard::translation {

/// Writes "regard: …" to standard error: a remark about what the program does. If standard error is full or
/// closed, nothing happens, because a remark must not stop any work.
template <class... Args>
void remark(fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(("regard: " + fmt::format(format, std::forward<Args>(args)...) + "\n").c_str(), stderr);
}

/// Writes "regard: warning: …" in the same way: something may be wrong.
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  remark("warning: {}", fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace regard::translation
