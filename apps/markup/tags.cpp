#include "apps/markup/tags.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace regard::markup {

namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == ':' || c == '.';
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// True for a tag with translate="no", in HTML's ways to write it, or with the class notranslate.
bool is_said_to_stay(std::string_view tag) {
  std::string small(tag);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* const written : {" translate=\"no\"", " translate='no'", " translate=no", "notranslate"})
    if (small.find(written) != small.npos) return true;
  return false;
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
  const bool is_declaration = text[name] == '!' || text[name] == '?';
  char quote = 0, before = 0;  // the last character that is no blank
  for (std::size_t i = name; i < text.size(); before = is_blank(text[i]) ? before : text[i], ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if ((text[i] == '"' || text[i] == '\'') && (before == '=' || is_declaration)) {
      quote = text[i];  // of a value; elsewhere, it is a mistake that ends nothing
    } else if (text[i] == '>') {
      return i + 1;
    } else if (text[i] == '<') {
      return 0;
    }
  }
  return 0;
}

bool is_single(std::string_view piece) {
  constexpr std::array<std::string_view, 12> empty{"area",  "br",   "col",  "embed",  "hr",    "img",
                                                   "input", "link", "meta", "source", "track", "wbr"};
  return piece.starts_with("<!") || piece.starts_with("<?") || piece.starts_with("{") ||
         piece.starts_with("&") || piece.ends_with("/>") || piece_length(piece) > 0 ||
         std::ranges::find(empty, name_of(piece)) != empty.end();
}

std::string name_of(std::string_view tag) {
  const std::size_t begin = tag.starts_with("</") ? 2 : 1;
  std::string name;
  for (std::size_t i = begin; i < tag.size() && is_name(tag[i]); ++i)
    name += tag[i] >= 'A' && tag[i] <= 'Z' ? static_cast<char>(tag[i] - 'A' + 'a') : tag[i];
  return name;
}

std::size_t piece_length(std::string_view text) {
  const std::size_t length = tag_length(text);
  const std::string_view tag = text.substr(0, length);
  if (length == 0 || tag[1] == '/' || tag.ends_with("/>")) return 0;
  const std::string name = name_of(text);
  const bool said = is_said_to_stay(tag);
  constexpr std::array<std::string_view, 6> names{"code", "kbd", "math", "samp", "tt", "var"};
  if (!said && std::ranges::find(names, name) == names.end()) return 0;
  text = text.substr(0, said ? 100'000 : 10'000);  // so that tags without an end do not take long
  int open = 1;                                    // elements of this name
  for (std::size_t at = text.find('<', length); at != text.npos; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at);
    if (name_of(rest) != name) continue;
    const std::size_t its_length = tag_length(rest);
    if (!rest.substr(0, its_length).ends_with("/>")) open += rest.starts_with("</") ? -1 : 1;
    if (open == 0) return at + its_length;
  }
  return 0;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return result;
}

}  // namespace regard::markup
