// Recurrences: the same bits on any number of threads, alone or among others, and the smallest shapes.
#include "nn/recurrent/recurrence.h"

#include "tests/autograd/same_bits.h"
#include "tests/autograd/small_sizes.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("the same bits on any number of threads: recurrences") {
  std::vector<Index> lengths;
  for (Index i = 0; i < 120; ++i) lengths.push_back(1 + i * 7 % 11);
  const std::vector<Index> at = offsets(lengths);
  for (const TimeSteps& steps : {TimeSteps(at), TimeSteps(at, Direction::backward), TimeSteps(offsets({70})),
                                 TimeSteps::one_step(300), TimeSteps::one_step(1)}) {
    const Index rows = steps.rows(), sentences = steps.sentences();
    INFO(sentences << " sentences, " << rows << " rows");
    check_bits("gru", {{rows, 3 * 20}, {3 * 20, 20}, {3 * 20}, {sentences, 20}},
               [&](Inputs x) { return gru(x[0], x[1], x[2], x[3], steps); });
    check_bits("lstm", {{rows, 4 * 20}, {4 * 20, 20}, {4 * 20}, {sentences, 20}}, [&](Inputs x) {
      const LstmResult result = lstm(x[0], x[1], x[2], x[3], {}, steps);
      return concat({result.output, result.cells}, 0);
    });
  }
}

TEST_CASE("a sentence of a recurrence has the same bits alone as among others") {
  std::vector<Index> lengths;
  for (Index i = 0; i < 45; ++i) lengths.push_back(2 + i * 7 % 11);
  const std::vector<Index> at = offsets(lengths);
  const Tensor gates = normal({at.back(), 60}, 1), weight = normal({60, 20}, 2), bias = normal({60}, 3);
  const auto run = [&](const Tensor& of, const std::vector<Index>& sentences) {
    const std::vector<Tensor> in = leaves({of});
    const Tensor y = gru(in[0], weight, bias, {}, TimeSteps(sentences));
    sum(y * y).backward();
    return std::vector<Tensor>{y.detach(), in[0].grad()};
  };
  const std::vector<Tensor> together = run(gates, at);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto rows = [&](const Tensor& of) { return slice(of, 0, at[i], at[i + 1]).clone(); };
    CHECK(same_bits(run(rows(gates), {0, lengths[i]}), {rows(together[0]), rows(together[1])}));
  }
}

TEST_CASE("recurrences of few rows or none") {
  for (const Index sentences : {0, 1, 9})
    for (const Index width : {1, 3}) {
      const TimeSteps steps = TimeSteps::one_step(sentences);
      check("gru", {sentences, width}, {{sentences, 3 * width}, {3 * width, width}, {3 * width}},
            [&](Inputs x) { return gru(x[0], x[1], x[2], {}, steps); });
      check("lstm", {sentences, width}, {{sentences, 4 * width}, {4 * width, width}, {4 * width}},
            [&](Inputs x) { return lstm(x[0], x[1], x[2], {}, {}, steps).output; });
    }
}
