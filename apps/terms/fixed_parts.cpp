#include "apps/terms/fixed_parts.h"

#include <algorithm>
#include <iterator>

#include "apps/translation/files/utf8.h"
#include "apps/translation/text/parts.h"

namespace regard::translation {

namespace {

/// The manual (apps/README.md) says which texts these find.
const std::array built_in{
    // An address of the web: it ends before blanks, quotes and East Asian punctuation.
    R"(https?://[^\s\pZ\p{Pi}\p{Pf}<>"'\x{3001}-\x{3011}\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF20}]*)"
    R"([^\s\pZ\p{Pi}\p{Pf}<>"'\x{3001}-\x{3011}\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF20}.,;:!?)\]])",
    R"([A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9])",  // of mail
    R"(</?[A-Za-z][A-Za-z0-9:_.-]*(?:\s[^<>]*)?/?>)",                                           // a tag
    R"(&(?:[A-Za-z][A-Za-z0-9]+|#[0-9]+|#x[0-9A-Fa-f]+);)",                                     // an entity
    R"([#$%]?\{\{[^{}]*\}\}|[#$%]?\{[A-Za-z0-9_.:!,#%-]*\})",  // {0}, {name}, {{ name }}, ${name}, %{name}
    R"(%[A-Z][A-Z0-9_]+%)",                                    // %NAME%
    R"(%%)",
    // printf's with a name or a position: %1$s, %(name)s
    R"(%(?:\([A-Za-z_][A-Za-z0-9_]*\)|[0-9]+\$)[-+#0']*(?:\*|[0-9]+)?(?:\.(?:\*|[0-9]+))?)"
    R"((?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGaAcCsSpnm@])"};

/// Those that prose may have as well (counts_in).
const std::array in_context{
    // printf's: %s, %-5d, %.2f. No blank as a flag: "50 % der" has no placeholder.
    R"(%[-+#0']*(?:\*|[0-9]+)?(?:\.(?:\*|[0-9]+))?(?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGaAcCsSpnm@])",
    R"(%L?[1-9])",  // Qt's %1
    R"(\$[A-Za-z_][A-Za-z0-9_]*)"};

/// False for a match of in_context that is prose: "100%ige", "%50" in Turkish, "%CO2", "5 $US", "Ke$ha".
bool counts_in(std::string_view text, std::string_view match) {
  const auto begin = static_cast<std::size_t>(match.data() - text.data()), end = begin + match.size();
  const auto is_digit = [](CodePoint c) { return decimal_digit(c.value) >= 0; };
  // Scripts with small and capital letters separate words by blanks.
  const auto is_letter_with_case = [](char32_t c) { return is_lowercase_letter(c) || lowercase(c) != c; };
  const CodePoint before = character_before(text, begin), after = decode_utf8(text, end);
  if (match.front() == '$') {
    static const Patterns currency({R"(^\$(?:US|CAN?|AUS?|NZ|HK|SG|A)[0-9]*$)"});
    return !is_letter_with_case(before.value) && !is_digit(before) && currency.matches(match).empty();
  }
  const char last = match.back();
  if (last >= '1' && last <= '9') {
    const bool fraction = after.value == '.' || after.value == ',';
    return !is_digit(fraction ? decode_utf8(text, end + 1) : after);
  }
  if (match.find_first_of("+#0'*.123456789") != match.npos) return true;
  const bool after_number =
      is_digit(is_blank(before.value) ? character_before(text, begin - before.size) : before);
  const auto is_one_of = [&](std::string_view letters) { return letters.find(last) != letters.npos; };
  const bool flag = match[1] == '-';
  if (is_letter_with_case(after.value))
    return !flag && !after_number && (is_one_of("dsuxXcfg") || match.ends_with("li"));
  return !after_number || (!flag && !is_one_of("aein"));
}

/// A digit of any script as that of ASCII, and one character for all separators of a kind.
char as_ascii(char32_t c) {
  if (const int digit = decimal_digit(c); digit >= 0) return static_cast<char>('0' + digit);
  if (is_blank(c)) return ' ';
  if (c == '.' || c == 0x66B || c == 0xFF0E) return '.';
  if (c == ',' || c == 0x66C || c == 0xFF0C) return ',';
  return c == ':' ? ':' : '\'';
}

/// Adds the numbers among digits with single separators between them. 1,234.56, 1.234,5, 12,34,567, 7'000,
/// 1 234 and 6:30 are one number each; 1.2.2020 is three.
void add_separated(std::string_view digits, std::vector<std::string>& numbers) {
  static const Patterns number(
      {R"(^(?:[0-9]+(?:[.,][0-9]+)?|[0-9]{1,2}(?::[0-9]{2}){1,2}|(?:[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}|)"
       R"([0-9]{1,3}(?:(?:\.[0-9]{3})+|(?:,[0-9]{3})+|(?:'[0-9]{3})+|(?: [0-9]{3})+))(?:[.,][0-9]+)?)$)"});
  if (number.matches(digits).empty()) {
    const std::string_view separators = digits.find_first_of(" :") == digits.npos ? ".,'" : " :";
    visit_parts(digits, separators, [&](std::string_view part) { add_separated(part, numbers); });
    return;
  }
  while (digits.front() == '0' && digits.find_first_of("0123456789", 1) == 1) digits.remove_prefix(1);
  std::ranges::remove_copy_if(digits, std::back_inserter(numbers.emplace_back()),
                              [](char c) { return c == '.' || c == ',' || c == '\''; });
}

/// Adds the numbers of a text.
void add_numbers(std::string_view text, std::vector<std::string>& numbers) {
  static const Patterns runs(
      {R"((?:[\p{Lu}\p{Ll}\p{Lt}_]\pM*)?\p{Nd}+)"
       R"((?:[.,:'\x{2019}\x{66B}\x{66C}\x{FF0E}\x{FF0C} \x{A0}\x{2007}\x{2009}\x{202F}]\p{Nd}+)*)"});
  // "2020 1 500" is 2020 and 1 500: blanks are within a number only before three digits.
  static const Patterns by_blanks({R"([0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]+)?(?: |$))", R"([^ ]+(?: |$))"});
  for (const std::string_view run : runs.matches(text)) {
    std::string digits;
    for (const char32_t c : decode_utf8(run)) digits += as_ascii(c);
    if (digits[0] == '\'')  // a letter: the digits after it are no number
      digits.erase(0, digits.find_first_of(" :.,'", digits.find_first_of("0123456789")));
    for (std::string_view part : by_blanks.matches(digits)) {
      if (part.ends_with(' ')) part.remove_suffix(1);
      add_separated(part, numbers);
    }
  }
}

/// The numbers where each that may be one or two is one, or two.
std::vector<std::string> read_numbers(const std::vector<std::string>& numbers, bool as_two) {
  std::vector<std::string> read;
  for (const std::string& number : numbers) {
    if (!as_two) read.emplace_back();
    visit_parts(number, " :", [&](auto part) { (as_two ? read.emplace_back() : read.back()) += part; });
  }
  std::ranges::sort(read);
  return read;
}

}  // namespace

bool same_parts(const FixedKind& kind, const FixedParts& one, const FixedParts& other) {
  const auto &here = one.*kind.parts, &there = other.*kind.parts;
  if (here == there) return true;
  return kind.parts == &FixedParts::numbers && (read_numbers(here, false) == read_numbers(there, false) ||
                                                read_numbers(here, true) == read_numbers(there, true));
}

Patterns fixed_patterns(const std::vector<std::string>& of_user) {
  std::vector<std::string> all = of_user;
  all.insert(all.end(), built_in.begin(), built_in.end());
  return Patterns(all, {in_context.begin(), in_context.end()}, counts_in);
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
      result[kind].kept += same_parts(fixed_kinds[kind], here, there);
    }
  }
  return result;
}

}  // namespace regard::translation
