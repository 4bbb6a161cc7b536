#include <cmath>
#include <memory>

#include "apps/experiments/measures/measures.h"
#include "autograd/graph.h"
#include "autograd/machine/memory.h"
#include "autograd/machine/random.h"
#include "autograd/ops.h"
#include "autograd/ops/attention.h"

// Measures of the memory of attention, and of the time of decoding.

namespace regard::experiments {

namespace {

constexpr Index attention_width = 64, attention_heads = 4;

/// softmax(Q K^T / sqrt(d_k)) V as it is written, one head after another. x[n, 3 width]
Tensor attention_as_written(const Tensor& x) {
  constexpr Index d_k = attention_width / attention_heads;
  std::vector<Tensor> heads;
  for (Index first = 0; first < attention_width; first += d_k) {
    const auto columns = [&](Index part) {
      const Index from = part * attention_width + first;
      return slice(x, 1, from, from + d_k);
    };
    const Tensor scores = matmul(columns(0), transpose(columns(1))) * (1 / std::sqrt(Real{d_k}));
    heads.push_back(matmul(softmax(scores), columns(2)));
  }
  return concat(heads, 1);
}

Tensor attention_in_blocks(const Tensor& x) {
  const std::vector<Index> offsets{0, x.size(0)};
  return attention(ColumnSlice(x, 0, attention_width), ColumnSlice(x, attention_width, attention_width),
                   ColumnSlice(x, 2 * attention_width, attention_width), segments(offsets, offsets),
                   {.heads = attention_heads});
}

/// What the forward keeps for the backward, and its result.
void memory_of_attention(Trial& trial) {
  const bool as_written = trial.option("formula", 0) > 0;
  for (const double length : trial.options("lengths")) {
    Random random(1);
    Tensor x = Tensor::normal({static_cast<Index>(length), 3 * attention_width}, 0, 1, random);
    x.set_requires_grad();
    const std::size_t before = memory_statistics().in_use;
    const Tensor y = as_written ? attention_as_written(x) : attention_in_blocks(x);
    const std::size_t kept = memory_statistics().in_use - before;
    trial.measured["megabytes"].push_back(static_cast<double>(kept) * 1e-6);
  }
}

constexpr Index step_vocabulary = 100, step_source = 16;

transformer::PackedSequences words_of_a_step(Index words) {
  std::vector<std::int32_t> ids(to_size(words));
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<std::int32_t>(transformer::first_word_id + to_index(i) % step_vocabulary);
  transformer::PackedSequences sequence;
  sequence.append(ids);
  return sequence;
}

/// The time in which the decoder reads one more word. With "again" it keeps nothing of the words before.
void time_of_a_step(Trial& trial) {
  const NoGrad no_grad;
  transformer::EncoderDecoder model = untrained(trial.job, step_vocabulary);
  const transformer::Source source = words_of_a_step(step_source);
  const transformer::Memory memory = model.encode(source);
  const Index calls = trial.job.many(static_cast<Index>(trial.option("calls", 31)), 1);
  for (const double length : trial.options("lengths")) {
    const auto words = static_cast<Index>(length);
    const transformer::PackedSequences target = words_of_a_step(words);
    if (trial.option("again", 0) > 0) {
      trial.measured["ms"].push_back(milliseconds(calls, [&] { model.decode(target, memory); }));
      continue;
    }
    const std::unique_ptr<transformer::DecodingState> state = model.begin(source);
    state->advance({{0, target.ids}});
    trial.measured["ms"].push_back(milliseconds(calls, [&] {
      state->advance({{0, {transformer::first_word_id}}});
    }));
  }
}

}  // namespace

std::vector<Measure> measures_of_costs() {
  return {{"memory_of_attention", "megabytes",
           "that attention keeps for its gradient, for each of lengths (formula: 1, as it is written)",
           memory_of_attention, "lengths formula", Model::none},
          {"time_of_a_step", "ms",
           "median of so many calls, after each of lengths words (again: 1, nothing is kept)", time_of_a_step,
           "lengths calls again", Model::none}};
}

}  // namespace regard::experiments
