#include <array>

#include "apps/gradcheck/table.h"

namespace regard::gradcheck_table {

void add_scores(Table& table) {
  // Two sentences: 3 queries and 4 keys, 2 queries and 5 keys; all keys, or those near a position.
  const Segments sentences = segments({0, 3, 5}, {0, 4, 9});
  const KeyRanges all = all_keys(sentences);
  const KeyRanges near = keys_near(sentences, std::array<double, 5>{0.0, 2.3, 3.0, 1.6, 9.0}, 1);
  const auto pairs = [](const KeyRanges& ranges) { return Shape{ranges.pairs()}; };

  for (const auto& [name, ranges] : {std::pair{"", all}, std::pair{": a window", near}}) {
    const std::string detail = name;
    const KeyRanges these = ranges;
    table.add("dot_scores" + detail, {{5, 3}, {9, 3}},
              [=](Inputs x) { return dot_scores(x[0], x[1], these, Real(0.7)); });
    table.add("additive_scores" + detail, {{5, 3}, {9, 3}, {3}},
              [=](Inputs x) { return additive_scores(x[0], x[1], x[2], these); });
    table.add("position_scores" + detail, {{5, 6}}, [=](Inputs x) { return position_scores(x[0], these); });
    table.add("range_softmax" + detail, {pairs(these)}, [=](Inputs x) { return range_softmax(x[0], these); });
    table.add("range_sparsemax" + detail, {pairs(these)},
              [=](Inputs x) { return range_sparsemax(x[0], these); });
    table.add("range_relu" + detail, {pairs(these)}, [=](Inputs x) { return range_relu(x[0], these); });
    table.add("gaussian_weights" + detail, {pairs(these), {5, 1}},
              [=](Inputs x) { return gaussian_weights(x[0], x[1], Real(1.5), these); });
    table.add("weighted_sum" + detail, {pairs(these), {9, 3}},
              [=](Inputs x) { return weighted_sum(x[0], x[1], these); });
  }
  table.add("dot_scores: a matrix with itself", {{5, 3}}, [](Inputs x) {
    return dot_scores(x[0], x[0], all_keys(self_segments({2, 3})));
  });
  table.add("additive_scores: a matrix with itself", {{5, 3}, {3}}, [](Inputs x) {
    return additive_scores(x[0], x[0], x[1], all_keys(self_segments({2, 3})));
  });
}

}  // namespace regard::gradcheck_table
