#include "apps/regard/streams/terminal_width.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace regard::program {

std::size_t terminal_width() {
  if (const char* const given = std::getenv("COLUMNS"); given != nullptr) {
    const std::string_view text = given;
    std::size_t width = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error == std::errc() && end == text.data() + text.size() && width > 0) return width;
  }
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : std::numeric_limits<std::size_t>::max();
}

}  // namespace regard::program
