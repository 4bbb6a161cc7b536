#include "apps/translation/text/fixed_parts.h"

#include <algorithm>
#include <iterator>

namespace regard::translation {

namespace {

/// The manual (apps/README.md) says which texts these find.
const std::array built_in{
    R"(https?://[^\s<>"']*[^\s<>"'.,;:!?)\]])",                // an address of the web
    R"([A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)",   // an address of mail
    R"(</?[A-Za-z][A-Za-z0-9:_.-]*(?:\s[^<>]*)?/?>)",          // a tag
    R"(&(?:[A-Za-z][A-Za-z0-9]*|#[0-9]+|#x[0-9A-Fa-f]+);)",    // an entity
    R"([#$%]?\{\{[^{}]*\}\}|[#$%]?\{[A-Za-z0-9_.:!,#%-]*\})",  // {0}, {name}, {{ name }}, ${name}, %{name}
    R"(%[A-Z][A-Z0-9_]+%)",                                    // %NAME%
    R"(%%)",
    // printf's: %s, %-5d, %.2f, %1$s, %(name)s. No blank as a flag: "50 % der" has no placeholder.
    R"(%(?:\([A-Za-z_][A-Za-z0-9_]*\)|[0-9]+\$)?[-+#0']*(?:\*|[0-9]+)?(?:\.(?:\*|[0-9]+))?)"
    R"((?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGaAcCsSpnm])",
    R"(%L?[0-9]{1,2})",  // Qt's %1
    R"(\$[A-Za-z_][A-Za-z0-9_]*)"};

/// Adds the numbers of a text: digits, with single points, commas or apostrophes between them.
void add_numbers(std::string_view text, std::vector<std::string>& numbers) {
  static const Patterns digits({R"(\b[0-9]+(?:[.,'][0-9]+)*)"});
  for (const std::string_view match : digits.matches(text))
    std::ranges::copy_if(match, std::back_inserter(numbers.emplace_back()),
                         [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Patterns fixed_patterns(const std::vector<std::string>& of_user) {
  std::vector<std::string> all = of_user;
  all.insert(all.end(), built_in.begin(), built_in.end());
  return Patterns(all);
}

FixedParts fixed_parts(std::string_view text, const Patterns& patterns) {
  FixedParts parts;
  std::size_t begin = 0;
  for (const std::string_view match : patterns.matches(text)) {
    const auto position = static_cast<std::size_t>(match.data() - text.data());
    add_numbers(text.substr(begin, position - begin), parts.numbers);
    const bool markup = match.front() == '<' || match.front() == '&';
    (markup ? parts.markup : parts.placeholders).emplace_back(match);
    begin = position + match.size();
  }
  add_numbers(text.substr(begin), parts.numbers);
  for (const FixedKind& kind : fixed_kinds) std::ranges::sort(parts.*kind.parts);
  return parts;
}

std::array<KeptParts, fixed_kinds.size()> kept_parts(const std::vector<std::string>& sources,
                                                     const std::vector<std::string>& translations,
                                                     const Patterns& patterns) {
  std::array<KeptParts, fixed_kinds.size()> result;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const FixedParts here = fixed_parts(sources[i], patterns);
    const FixedParts there = fixed_parts(translations.at(i), patterns);
    for (std::size_t kind = 0; kind < fixed_kinds.size(); ++kind) {
      const auto parts = fixed_kinds[kind].parts;
      if ((here.*parts).empty()) continue;
      ++result[kind].sentences;
      result[kind].kept += here.*parts == there.*parts;
    }
  }
  return result;
}

}  // namespace regard::translation
