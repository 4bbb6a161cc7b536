#include <array>

#include "autograd/checks/table.h"

namespace regard::gradcheck_table {

namespace {

/// Sentences of these lengths, one after another, in either direction.
TimeSteps steps(const std::vector<Index>& lengths, Direction direction = Direction::forward) {
  std::vector<Index> offsets{0};
  for (const Index length : lengths) offsets.push_back(offsets.back() + length);
  return TimeSteps(offsets, direction);
}

/// Shapes of gates, weight_hh, bias_hh and `states` initial states.
std::vector<Shape> shapes(Index gates, Index width, const TimeSteps& order, int states) {
  std::vector<Shape> result{{order.rows(), gates * width}, {gates * width, width}, {gates * width}};
  for (int i = 0; i < states; ++i) result.push_back({order.sentences(), width});
  return result;
}

}  // namespace

void add_recurrences(Table& table) {
  const TimeSteps three = steps({2, 4, 1}), backwards = steps({2, 4, 1}, Direction::backward);
  const TimeSteps many = steps({1, 3, 2, 1, 2, 1, 1, 2, 3, 1, 1, 2}), one = TimeSteps::one_step(3);
  const TimeSteps one_of_many = TimeSteps::one_step(20);

  const auto run_gru = [](const TimeSteps& order) {
    return [=](Inputs x) { return gru(x[0], x[1], x[2], x[3], order); };
  };
  table.add("gru", shapes(3, 3, three, 1), run_gru(three));
  table.add("gru: from the end", shapes(3, 3, backwards, 1), run_gru(backwards));
  table.add("gru: several blocks", shapes(3, 2, many, 1), run_gru(many));
  table.add("gru: one step", shapes(3, 3, one, 1), run_gru(one));
  table.add("gru: one step from zeros", shapes(3, 3, one, 0),
            [=](Inputs x) { return gru(x[0], x[1], x[2], {}, one); });
  table.add("gru: one step of many sentences", shapes(3, 2, one_of_many, 1), run_gru(one_of_many));
  table.add("gru: from zeros", shapes(3, 3, three, 0),
            [=](Inputs x) { return gru(x[0], x[1], x[2], {}, three); });

  const auto run_lstm = [](const TimeSteps& order) {
    return [=](Inputs x) { return lstm(x[0], x[1], x[2], x[3], x[4], order).output; };
  };
  table.add("lstm", shapes(4, 3, three, 2), run_lstm(three));
  table.add("lstm: from the end", shapes(4, 3, backwards, 2), run_lstm(backwards));
  table.add("lstm: several blocks", shapes(4, 2, many, 2), run_lstm(many));
  table.add("lstm: one step", shapes(4, 3, one, 2), run_lstm(one));
  table.add("lstm: from zeros", shapes(4, 3, three, 0),
            [=](Inputs x) { return lstm(x[0], x[1], x[2], {}, {}, three).output; });
  table.add("lstm: one tensor as both states", shapes(4, 3, three, 1),
            [=](Inputs x) { return lstm(x[0], x[1], x[2], x[3], x[3], three).output; });
  const auto last_cells = [](const TimeSteps& order) {
    return [=](Inputs x) { return lstm(x[0], x[1], x[2], x[3], x[4], order).cells; };
  };
  table.add("last_cells", shapes(4, 3, three, 2), last_cells(three));
  table.add("last_cells: one step", shapes(4, 3, one, 2), last_cells(one));
}

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
