#include "nn/general_attention/cases.h"

#include <array>

#include "autograd/checks/table.h"
#include "nn/general_attention/pairs.h"

namespace regard::gradcheck_table {

std::vector<GradientCase> pair_cases() {
  Table table;
  // Two sentences: 3 queries and 4 keys, 2 queries and 5 keys; all keys, or those near a position.
  const Segments sentences = segments({0, 3, 5}, {0, 4, 9});
  const KeyRanges all = all_keys(sentences);
  const KeyRanges near = keys_near(sentences, std::array<double, 5>{0.0, 2.3, 3.0, 1.6, 9.0}, 1);
  for (const auto& [name, ranges] : {std::pair{"", all}, std::pair{": a window", near}}) {
    const std::string detail = name;
    const KeyRanges these = ranges;
    table.add("additive_scores" + detail, {{5, 3}, {9, 3}, {3}},
              [=](Inputs x) { return additive_scores(x[0], x[1], x[2], these); });
    table.add("gaussian_weights" + detail, {{these.pairs()}, {5, 1}},
              [=](Inputs x) { return gaussian_weights(x[0], x[1], Real(1.5), these); });
  }
  table.add("additive_scores: a matrix with itself", {{5, 3}, {3}}, [](Inputs x) {
    return additive_scores(x[0], x[0], x[1], all_keys(self_segments({2, 3})));
  });
  return std::move(table.cases);
}

}  // namespace regard::gradcheck_table
