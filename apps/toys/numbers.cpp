#include "apps/toys/numbers.h"

#include <array>

#include "apps/toys/toy.h"
#include "autograd/error.h"

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

std::string english_below_hundred(std::uint64_t n) {
  if (n < 20) return english_small[n];
  std::string text = english_tens[n / 10];
  if (n % 10 != 0) text += std::string("-") + english_small[n % 10];
  return text;
}

std::string english_below_thousand(std::uint64_t n) {
  if (n < 100) return english_below_hundred(n);
  std::string text = std::string(english_small[n / 100]) + " hundred";
  if (n % 100 != 0) text += " and " + english_below_hundred(n % 100);
  return text;
}

/// In German, the unit comes before the ten: 21 is "one and twenty".
std::string german_below_hundred(std::uint64_t n) {
  if (n < 20) return german_small[n];
  const std::string unit = n % 10 == 0 ? "" : std::string(german_small[n % 10]) + "und";
  return unit + german_tens[n / 10];
}

std::string german_below_thousand(std::uint64_t n) {
  if (n < 100) return german_below_hundred(n);
  std::string text = std::string(german_small[n / 100]) + "hundert";
  if (n % 100 != 0) text += german_below_hundred(n % 100);
  return text;
}

/// Draws one to six digits, all lengths with the same probability. Of uniform numbers, 90 % have six digits.
class Numbers : public Toy {
 public:
  ToyDescription description() const override {
    return {"numbers",
            "English number words -> German: \"twenty-one\" -> \"einundzwanzig\"",
            "char",
            {20000, 500, 500}};
  }

  std::uint64_t distinct_sources() const override { return 1000000; }

  SentencePair draw(Random& random) const override {
    std::uint64_t low = 1;
    for (std::uint64_t digits = random.below(6); digits > 0; --digits) low *= 10;
    const std::uint64_t number = low == 1 ? random.below(10) : low + random.below(9 * low);
    return {english_number(number), german_number(number)};
  }
};

void check_range(std::uint64_t number) {
  if (number > 999999)
    fail("number words go up to 999999, and {} is larger; choose a smaller number", number);
}

}  // namespace

std::string english_number(std::uint64_t number) {
  check_range(number);
  if (number < 1000) return english_below_thousand(number);
  const std::uint64_t rest = number % 1000;
  std::string text = english_below_thousand(number / 1000) + " thousand";
  if (rest == 0) return text;
  return text + (rest < 100 ? " and " : " ") + english_below_thousand(rest);
}

std::string german_number(std::uint64_t number) {
  check_range(number);
  const std::uint64_t rest = number % 1000;
  std::string text = number < 1000 ? "" : german_below_thousand(number / 1000) + "tausend";
  if (number < 1000 || rest != 0) text += german_below_thousand(rest);
  return number % 100 == 1 ? text + "s" : text;
}

std::unique_ptr<Toy> make_numbers() { return std::make_unique<Numbers>(); }

}  // namespace regard::toys
