#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "apps/experiments/rules/results.h"
#include "apps/experiments/rules/rule.h"
#include "autograd/machine/error.h"

namespace regard::tests {

/// Values of an entry, such as "bleu(attention)[3]", one for each seed 1, 2, ...; one value stands for all.
using MadeUp = std::map<std::string, std::vector<double>>;

inline experiments::Results made_up(const MadeUp& entries, Index seeds) {
  experiments::Results results;
  for (const auto& [text, values] : entries) {
    const experiments::Formula entry = experiments::read_comparison(text + " >= 0", "made up").formula;
    auto variant = results.variants.begin();
    while (variant != results.variants.end() && variant->name != entry.variant) ++variant;
    if (variant == results.variants.end()) {
      variant = results.variants.insert(variant, {.name = entry.variant});
      for (Index seed = 1; seed <= seeds; ++seed) variant->runs.push_back({seed, {}});
    }
    for (std::size_t run = 0; run < variant->runs.size(); ++run) {
      std::vector<double>& list = variant->runs[run].measurements[entry.measurement];
      list.resize(std::max(list.size(), to_size(entry.index + 1)), std::numeric_limits<double>::quiet_NaN());
      list[to_size(entry.index)] = values.size() == 1 ? values[0] : values.at(run);
    }
  }
  return results;
}

}  // namespace regard::tests
