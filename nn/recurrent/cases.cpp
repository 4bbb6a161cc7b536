#include "nn/recurrent/cases.h"

#include "autograd/checks/table.h"
#include "nn/recurrent/recurrence.h"

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

std::vector<GradientCase> recurrence_cases() {
  Table table;
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
  return std::move(table.cases);
}

}  // namespace regard::gradcheck_table
