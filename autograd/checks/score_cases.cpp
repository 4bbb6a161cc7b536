#include <array>

#include "autograd/checks/table.h"

namespace regard::gradcheck_table {

void add_scores(Table& table) {
  // Two sentences: 3 queries and 4 keys, 2 queries and 5 keys; all keys, or those near a position.
  const Segments sentences = segments({0, 3, 5}, {0, 4, 9});
  const KeyRanges all = all_keys(sentences);
  const KeyRanges near = make_ranges(sentences, [](const Segment&, Index query, Index) {
    return std::array<KeyBounds, 5>{{{0, 2}, {2, 4}, {2, 4}, {1, 3}, {3, 5}}}[to_size(query)];
  });
  const auto pairs = [](const KeyRanges& ranges) { return Shape{ranges.pairs()}; };

  for (const auto& [name, ranges] : {std::pair{"", all}, std::pair{": a window", near}}) {
    const std::string detail = name;
    const KeyRanges these = ranges;
    table.add("dot_scores" + detail, {{5, 3}, {9, 3}},
              [=](Inputs x) { return dot_scores(x[0], x[1], these, Real(0.7)); });
    for (const auto& [operation, normaliser] : {std::pair{"range_softmax", Normaliser::softmax},
                                                {"range_sparsemax", Normaliser::sparsemax},
                                                {"range_relu", Normaliser::relu},
                                                {"range_sigmoid", Normaliser::sigmoid}}) {
      // Where a query has only one score above 0, the weights of relu are constant and the gradient is 0.
      const Real shift = normaliser == Normaliser::relu ? Real(0.5) : Real(0);
      table.add(operation + detail, {pairs(these)}, [=, normaliser = normaliser](Inputs x) {
        return normalise(x[0] + shift, these, normaliser);
      });
    }
    table.add("weighted_sum" + detail, {pairs(these), {9, 3}},
              [=](Inputs x) { return weighted_sum(x[0], x[1], these); });
  }
  table.add("dot_scores: a matrix with itself", {{5, 3}}, [](Inputs x) {
    return dot_scores(x[0], x[0], all_keys(self_segments({2, 3})));
  });
}

}  // namespace regard::gradcheck_table
