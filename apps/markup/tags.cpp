#include "apps/markup/tags.h"

namespace regard::markup {

namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == ':' || c == '.';
}

}  // namespace

std::size_t tag_length(std::string_view text) {
  if (text.starts_with("<!--")) {
    const std::size_t end = text.find("-->", 4);
    return end == text.npos ? 0 : end + 3;
  }
  const std::size_t name = text.starts_with("</") ? 2 : 1;
  const auto begins_name = [](char c) {
    return c == '!' || c == '?' || (is_name(c) && (c < '0' || c > '9') && c != '-' && c != '.');
  };
  if (name >= text.size() || text[0] != '<' || !begins_name(text[name])) return 0;
  char quote = 0;
  for (std::size_t i = name; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '>') {
      return i + 1;
    } else if (text[i] == '<') {
      return 0;
    }
  }
  return 0;
}

std::string name_of(std::string_view tag) {
  const std::size_t begin = tag.starts_with("</") ? 2 : 1;
  std::string name;
  for (std::size_t i = begin; i < tag.size() && is_name(tag[i]); ++i)
    name += tag[i] >= 'A' && tag[i] <= 'Z' ? static_cast<char>(tag[i] - 'A' + 'a') : tag[i];
  return name;
}

}  // namespace regard::markup
