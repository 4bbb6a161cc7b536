#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "autograd/graph.h"

namespace regard::experiments {

namespace {

/// Words 4 to 43, and the same words in another order.
struct Orders {
  std::vector<std::int32_t> words, permuted;
  std::vector<std::size_t> order;  ///< permuted[i] is words[order[i]]
};

Orders random_order(std::uint64_t seed) {
  Orders orders{
      .words = std::vector<std::int32_t>(40), .permuted = {}, .order = std::vector<std::size_t>(40)};
  std::iota(orders.words.begin(), orders.words.end(), 4);
  std::iota(orders.order.begin(), orders.order.end(), 0);
  toys::Random random(seed);
  random.shuffle(orders.order);
  for (const std::size_t at : orders.order) orders.permuted.push_back(orders.words[at]);
  return orders;
}

/// The greatest difference between the output for the permuted words and the permuted output for the words.
double difference(const Tensor& rows, const Tensor& of_permuted, const Orders& orders) {
  double worst = 0;
  for (std::size_t i = 0; i < orders.order.size(); ++i)
    for (Index c = 0; c < rows.size(1); ++c)
      worst = std::max(worst, std::abs(static_cast<double>(of_permuted.at({to_index(i), c}) -
                                                           rows.at({to_index(orders.order[i]), c}))));
  return worst;
}

}  // namespace

Experiment order_of_inputs() {
  return {
      .id = "D1",
      .claim = "Self-attention does not know the order: with a permuted input, the output is permuted.",
      .source = "lecture notes, some of which say \"invariant\"; the word is equivariant",
      .published = "",
      .method =
          "Encoders and a decoder of two layers with random weights read 40 different words, and the same "
          "words in another order. The greatest difference between the output of the permuted words and "
          "the permuted output.",
      .rule =
          "It holds if the difference is below 0.0001 without positions in every seed, and above 0.1 with "
          "positions, with a recurrence, and with a causal mask.",
      .minutes = 0.1,
      .variants = {{"no positions", {"model.positions.kind=none"}},
                   {"sinusoidal positions", {"model.positions.kind=sinusoidal"}},
                   {"recurrence", {"model.encoder=recurrent"}},
                   {"no positions, causal mask", {"model.positions.kind=none"}}},
      .run =
          [](const Job& job) {
            const NoGrad no_grad;
            transformer::EncoderDecoder model = untrained(job, {}, 40);
            const Orders orders = random_order(static_cast<std::uint64_t>(job.seed));
            const auto read = [&](const std::vector<std::int32_t>& words) {
              transformer::PackedSequences sequence;
              sequence.append(words);
              const transformer::Memory memory = model.encode(sequence);
              return job.variant == "no positions, causal mask" ? model.decode(sequence, memory)
                                                                : memory.rows;
            };
            return Measurements{
                {"difference", {difference(read(orders.words), read(orders.permuted), orders)}}};
          },
      .decide = [](const Results& results) -> Decision {
        const auto at = [&](const char* variant) { return results.range(variant, "difference"); };
        const Range none = at("no positions");
        const bool others = at("sinusoidal positions").least > 0.1 && at("recurrence").least > 0.1 &&
                            at("no positions, causal mask").least > 0.1;
        return {none.most >= 1e-4 ? Verdict::does_not_hold
                : others          ? Verdict::holds
                                  : Verdict::holds_in_part,
                fmt::format("The outputs differ by {:.1e} without positions, {:.1f} with sinusoids, {:.1f} "
                            "with a recurrence, and {:.1f} with a causal mask.",
                            none.mean, at("sinusoidal positions").mean, at("recurrence").mean,
                            at("no positions, causal mask").mean)};
      },
      .columns = {{"greatest difference", "difference", -1}},
      .figures = {{.title = "Difference", .measurement = "difference", .y_label = "greatest difference"}}};
}

}  // namespace regard::experiments
