#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/catch.h"

// The numbers of sacreBLEU (fixtures/make_sacrebleu_fixtures.py).

namespace regard::tests {

inline const nlohmann::json& sacrebleu() {
  static const nlohmann::json loaded = [] {
    std::ifstream file(REGARD_FIXTURES "/sacrebleu.json");
    return nlohmann::json::parse(file);
  }();
  return loaded;
}

/// True if two numbers are equal except for rounding.
inline Approx close(const nlohmann::json& number) {
  return Approx(number.get<double>()).epsilon(1e-11).margin(1e-11);
}

inline void check_signature(const std::string& ours, const nlohmann::json& theirs) {
  CHECK(ours.substr(0, ours.find("|version:")) == theirs.get<std::string>());
}

}  // namespace regard::tests
