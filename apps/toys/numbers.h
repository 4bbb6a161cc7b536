#pragma once

#include <cstdint>
#include <string>

namespace regard::toys {

/// British usage, 0 ≤ number ≤ 999,999: "one thousand two hundred and twenty-one", "three thousand and six".
std::string english_number(std::uint64_t number);

/// One word, 0 ≤ number ≤ 999,999: "eintausendzweihunderteinundzwanzig". The long forms "einhundert" and
/// "eintausend", not "hundert" and "tausend": English says "one hundred", so each word has its counterpart.
std::string german_number(std::uint64_t number);

}  // namespace regard::toys
