#pragma once

#include <cstdint>
#include <string>

namespace regard::toys {

/// Returns the number in British English, 0 ≤ number ≤ 999,999: "one thousand two hundred and twenty-one",
/// "three thousand and six".
std::string english_number(std::uint64_t number);

/// Returns the number as one German word, 0 ≤ number ≤ 999,999: "eintausendzweihunderteinundzwanzig". Uses
/// the long forms "einhundert" and "eintausend", not "hundert" and "tausend". English says "one hundred", so
/// each English word then has a German counterpart.
std::string german_number(std::uint64_t number);

/// Returns the gold alignment of the characters of both: a possible link between each character of a word and
/// each character of its counterpart. The hyphen of "twenty-one" and "und" are counterparts; blanks and "and"
/// have none.
std::string number_alignment(std::uint64_t number);

}  // namespace regard::toys
