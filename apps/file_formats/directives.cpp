#include "apps/file_formats/directives.h"

#include <cctype>
#include <fmt/format.h>

namespace regard::files {

namespace {

/// Formats of PO's flags. A flag that none of them has is one of C's family.
struct Format {
  const char* flags;
  const char* pattern;
};
constexpr Format braces{
    ",python-brace-format,perl-brace-format,c++-format,csharp-format,java-format,rust-format,",
    R"(\{\{|\{[^} ]*\})"};
constexpr Format qt{",qt-format,qt-plural-format,kde-format,kde-kuit-format,", R"(%L?[0-9]{1,2}|%L?n)"};
constexpr const char* percent_pattern =
    R"(%(?:\([^)]*\))?(?:[0-9]+\$)?[-+ #0'I]*[0-9*]*(?:\.[0-9*]*)?[hlLqjzt]*[diouxXeEfFgGaAcCsSpnmr@%])";
constexpr std::string_view with_number = ",c-format,objc-format,php-format,python-brace-format,c++-format,";

/// A directive without a number and a name.
bool is_unnumbered(std::string_view directive) {
  if (directive.starts_with('{')) return std::string_view("}:!").find(directive[1]) != std::string_view::npos;
  return directive.starts_with('%') && directive.find_first_of("$(") == directive.npos &&
         !directive.ends_with('%');
}

/// The number with this index as it stands after the first character of a directive.
std::string number_in(std::string_view directive, int index) {
  return directive.starts_with('{') ? fmt::format("{}", index) : fmt::format("{}$", index + 1);
}

}  // namespace

const Directives& Directives::none() {
  static const Directives none("");
  return none;
}

Directives::Directives(const std::string& flags) {
  std::vector<std::string> patterns{"&#?[A-Za-z0-9]+;"};
  static const translation::Patterns words({R"([^\s,]+)"});
  for (const std::string_view flag : words.matches(flags)) {
    if (!flag.ends_with("-format") || flag.starts_with("no-")) continue;
    const std::string listed = fmt::format(",{},", flag);
    const auto is_in = [&](std::string_view list) { return list.find(listed) != list.npos; };
    if (is_in(with_number)) can_have_numbers_ = true;
    const bool is_percent = !is_in(braces.flags) && !is_in(qt.flags);
    if (is_percent) percent_ = true;
    patterns.push_back(is_percent ? percent_pattern : is_in(qt.flags) ? qt.pattern : braces.pattern);
  }
  patterns_ = translation::Patterns(patterns);
}

std::string Directives::with_numbers(std::string_view text) const {
  std::string result;
  int index = 0;
  const char* at = text.data();
  for (const std::string_view directive : matches(text)) {
    if (!is_unnumbered(directive) || (directive.starts_with('%') && !percent_)) continue;
    result.append(at, directive.data() + 1);
    result += number_in(directive, index++);
    at = directive.data() + 1;
  }
  return result.append(at, text.data() + text.size());
}

std::optional<std::string> Directives::without_numbers(const std::string& text) const {
  std::string result;
  int index = 0;
  const char* at = text.data();
  for (const std::string_view directive : matches(text)) {
    if (directive.starts_with('&') || std::isdigit(static_cast<unsigned char>(directive[1])) == 0) continue;
    const std::string number = number_in(directive, index++);
    if (!directive.substr(1).starts_with(number))
      return can_have_numbers_ && text.find('*') == text.npos ? std::optional(text) : std::nullopt;
    result.append(at, directive.data() + 1);
    at = directive.data() + 1 + number.size();
  }
  return result.append(at, text.data() + text.size());
}

}  // namespace regard::files
