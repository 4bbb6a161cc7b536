#include "apps/file_formats/directives.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace regard::files {

namespace {

/// Directives by PO's flags ("Sources of translatable strings" in the manual of GNU gettext).
struct Format {
  std::string_view flags;
  const char* pattern;
  std::string_view doubled;  ///< characters that are written twice where they are text
};
constexpr const char* braces =
    R"(\{\{|\}\}|\{(?:[^{}\s:,\[]|\[[^\]{}]*\])*(?:,\s*-?[0-9]+)?(?::(?:[^{}]|\{[^{}\s]*\})*)?\})";
constexpr const char* message_format = R"(''|'[^']*'|\{[0-9]+\s*(?:,(?:[^{}]|\{[^{}]*\})*)?\})";
constexpr const char* tildes = R"(~(?:[0-9]+\$)?(?:'.|[-+0-9,@:#vV])*\S)";
constexpr const char* printf_of_c =
    R"(%(?:\([^)]*\))?(?:[0-9]+\$)?[-+ #0'I]*(?:[0-9]+|\*(?:[0-9]+\$)?)?(?:\.(?:[0-9]+|\*(?:[0-9]+\$)?)?)?)"
    R"((?:[hlLqjzt]*[diouxXeEfFgGaAcCsSpnmr@%]|<PRI[A-Za-z0-9]+>))";
constexpr const char* printf_of_others =
    R"(%(?:[0-9]+[$:])?(?:[-+ #0,(<]|'.)*(?:\*?v)?(?:[0-9]+|\*(?:[0-9]+\$)?)?(?:\.[0-9*]*)?)"
    R"((?:hh|ll|[hlqLVztT])?[A-Za-z%])";
constexpr std::array formats{
    Format{",python-brace-format,c++-format,csharp-format,rust-format,", braces, "{}"},
    Format{",perl-brace-format,", braces, ""},
    Format{",java-format,", message_format, "'"},
    Format{",qt-format,qt-plural-format,kde-format,kde-kuit-format,ycp-format,smalltalk-format,",
           R"(%L?[0-9]{1,2}|%L?n|%%)", ""},
    Format{",lisp-format,scheme-format,", tildes, "~"},
    Format{",sh-format,", R"(\$\{[^}]*\}|\$[A-Za-z_][A-Za-z0-9_]*)", ""},
    Format{",ruby-format,", R"(%\{[^}]*\}|%[-+ #0-9.]*<[^>]*>[-+ #0-9.]*[A-Za-z]|%[-+ #0-9.*$]*[A-Za-z%])",
           "%"},
    Format{",perl-format,php-format,lua-format,object-pascal-format,java-printf-format,javascript-format,awk-"
           "format,tcl-format,",
           printf_of_others, "%"},
    Format{",boost-format,", R"(%[0-9]+%|%(?:[0-9]+\$)?\|[^|]*\||%[-+ #0-9.*$]*[A-Za-z%])", "%"},
    Format{",gcc-internal-format,gfc-internal-format,", R"(%[<>'%]|%(?:[0-9]+\$)?[-+#0-9.*$qlwzHZ]*[A-Za-z])",
           "%"}};
/// A flag that is in no list above belongs to the family of C.
constexpr Format of_c{"", printf_of_c, "%"};

constexpr std::string_view with_number =
    ",c-format,objc-format,php-format,python-brace-format,c++-format,perl-format,tcl-format,awk-format,"
    "javascript-format,elisp-format,librep-format,ruby-format,boost-format,gcc-internal-format,gfc-internal-"
    "format,";

/// A directive without a number and a name.
bool is_unnumbered(std::string_view directive) {
  if (directive.starts_with('{')) return std::string_view("}:!").find(directive[1]) != std::string_view::npos;
  const std::string_view names = directive.starts_with('%') ? "$({>:" : "$";  // or numbers
  const bool has_name =
      directive.find_first_of(names) != directive.npos && directive.find("<PRI") == directive.npos;
  const std::string_view no_arguments = directive.starts_with('%') ? "%<'m" : "~%&|";  // in C and Lisp
  return std::string_view("%~").find(directive[0]) != std::string_view::npos && !has_name &&
         no_arguments.find(directive.back()) == std::string_view::npos;
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
    const auto* const known =
        std::ranges::find_if(formats, [&](const Format& format) { return is_in(format.flags); });
    const Format& format = known == formats.end() ? of_c : *known;
    doubled_ += format.doubled;
    patterns.push_back(format.pattern);
  }
  patterns_ = translation::Patterns(patterns);
}

std::string Directives::with_numbers(std::string_view text) const {
  std::string result;
  int index = 0;
  const char* at = text.data();
  for (const std::string_view directive : matches(text)) {
    if (!is_unnumbered(directive) || (directive.starts_with('%') && !is_doubled('%'))) continue;
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
      return can_have_numbers_ && text.find('*') == text.npos && text.find("{}}") == text.npos
                 ? std::optional(text)
                 : std::nullopt;
    result.append(at, directive.data() + 1);
    at = directive.data() + 1 + number.size();
  }
  return result.append(at, text.data() + text.size());
}

}  // namespace regard::files
