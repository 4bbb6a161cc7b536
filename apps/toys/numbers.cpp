#include <array>

#include "apps/toys/toy.h"
#include "autograd/machine/error.h"

namespace regard::toys {
namespace {

constexpr std::array<const char*, 20> english_small = {
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<const char*, 10> english_tens = {"",      "",      "twenty",  "thirty", "forty",
                                                      "fifty", "sixty", "seventy", "eighty", "ninety"};

// The forms before another part of a word: "ein" becomes "eins" only at the end of a number. Sechzehn,
// siebzehn, sechzig and siebzig drop letters of sechs and sieben. Dreißig has ß, not z.
constexpr std::array<const char*, 20> german_small = {
    "null",     "ein",      "zwei",     "drei",     "vier",     "fünf",    "sechs",
    "sieben",   "acht",     "neun",     "zehn",     "elf",      "zwölf",   "dreizehn",
    "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"};
constexpr std::array<const char*, 10> german_tens = {"",        "",        "zwanzig", "dreißig", "vierzig",
                                                     "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"};

// The parts of a number that a word expresses. Three digits have the first five parts.
constexpr unsigned unit = 1u << 0;  ///< of two digits; all of a number below 20
constexpr unsigned ten = 1u << 1;
constexpr unsigned joint = 1u << 2;    ///< between ten and unit: the hyphen of "twenty-one", the "und"
constexpr unsigned digit = 1u << 3;    ///< the number of hundreds
constexpr unsigned hundred = 1u << 4;  ///< the word "hundred". The "and" after it has no counterpart
constexpr unsigned thousand = 1u << 10;

/// The pieces of a number word, for the three digits before the word "thousand". Their parts differ from
/// those of the last three digits.
Tokens of_thousands(Tokens pieces) {
  for (Token& piece : pieces) piece.parts <<= 5;
  return pieces;
}

Tokens english_below_hundred(std::uint64_t n) {
  if (n < 20) return {{english_small[n], unit}};
  Tokens pieces = {{english_tens[n / 10], ten}};
  if (n % 10 != 0) append(pieces, {{"-", joint}, {english_small[n % 10], unit}});
  return pieces;
}

Tokens english_below_thousand(std::uint64_t n) {
  if (n < 100) return english_below_hundred(n);
  Tokens pieces = {{english_small[n / 100], digit}, {" ", 0}, {"hundred", hundred}};
  if (n % 100 == 0) return pieces;
  pieces.push_back({" and ", 0});
  append(pieces, english_below_hundred(n % 100));
  return pieces;
}

Tokens english_pieces(std::uint64_t number) {
  if (number < 1000) return english_below_thousand(number);
  const std::uint64_t rest = number % 1000;
  Tokens pieces = of_thousands(english_below_thousand(number / 1000));
  append(pieces, {{" ", 0}, {"thousand", thousand}});
  if (rest == 0) return pieces;
  pieces.push_back({rest < 100 ? " and " : " ", 0});
  append(pieces, english_below_thousand(rest));
  return pieces;
}

/// In German, the unit comes before the ten: 21 is "one and twenty".
Tokens german_below_hundred(std::uint64_t n) {
  if (n < 20) return {{german_small[n], unit}};
  if (n % 10 == 0) return {{german_tens[n / 10], ten}};
  return {{german_small[n % 10], unit}, {"und", joint}, {german_tens[n / 10], ten}};
}

Tokens german_below_thousand(std::uint64_t n) {
  if (n < 100) return german_below_hundred(n);
  Tokens pieces = {{german_small[n / 100], digit}, {"hundert", hundred}};
  if (n % 100 != 0) append(pieces, german_below_hundred(n % 100));
  return pieces;
}

Tokens german_pieces(std::uint64_t number) {
  const std::uint64_t rest = number % 1000;
  Tokens pieces;
  if (number >= 1000) {
    pieces = of_thousands(german_below_thousand(number / 1000));
    pieces.push_back({"tausend", thousand});
  }
  if (number < 1000 || rest != 0) append(pieces, german_below_thousand(rest));
  if (number % 100 == 1) pieces.push_back({"s", unit});
  return pieces;
}

std::string joined(const Tokens& pieces) {
  std::string result;
  for (const Token& piece : pieces) result += piece.text;
  return result;
}

/// Cuts pieces into characters, the tokens of this toy.
Tokens characters(const Tokens& pieces) {
  Tokens result;
  for (const Token& piece : pieces) {
    for (const char byte : piece.text) {
      const bool begins_character = (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
      if (begins_character) result.push_back({"", piece.parts});
      result.back().text += byte;
    }
  }
  return result;
}

}  // namespace

// The links are possible, not sure: within a word, no character is more the counterpart of another than its
// neighbours.
SentencePair number_pair(std::uint64_t number) {
  if (number > 999999)
    fail("number words go up to 999999, and {} is larger; choose a smaller number", number);
  const Tokens english = english_pieces(number), german = german_pieces(number);
  return {joined(english), joined(german),
          gold_alignment(characters(english), characters(german), LinkKind::possible)};
}

// Numbers of one to six digits, all lengths with the same probability. Of uniform numbers, 90 % have six
// digits.
Toy numbers_toy() {
  return {.name = "numbers",
          .summary = "English number words -> German: \"twenty-one\" -> \"einundzwanzig\"",
          .tokeniser = "char",
          .sizes = {20000, 500, 500},
          .distinct_sources = 1000000,
          .sample =
              [](SplitMix64& random) {
                std::uint64_t low = 1;
                for (std::uint64_t digits = random.below(6); digits > 0; --digits) low *= 10;
                return number_pair(low == 1 ? random.below(10) : low + random.below(9 * low));
              },
          .has_alignments = true};
}

}  // namespace regard::toys
