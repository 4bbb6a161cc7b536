#pragma once

#include <cstddef>
#include <string_view>

#include "apps/translation/files/utf8.h"

namespace regard::translation {

/// Calls visit(character) for each character. Returns false at a byte that is not UTF-8.
template <class Visit>
bool visit_all(std::string_view line, const Visit& visit) {
  for (std::size_t position = 0; position < line.size();) {
    const auto byte = static_cast<unsigned char>(line[position]);
    const CodePoint next = byte < 0x80 ? CodePoint{byte, 1} : decode_utf8(line, position);
    if (next.size == 0) return false;
    visit(next.value);
    position += next.size;
  }
  return true;
}

}  // namespace regard::translation
