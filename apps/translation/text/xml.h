#pragma once

#include <string>
#include <string_view>

namespace regard::translation {

/// A text as it stands between the tags, or in the quotes, of an SVG image.
inline std::string xml_text(std::string_view text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += character;
    }
  }
  return result;
}

}  // namespace regard::translation
