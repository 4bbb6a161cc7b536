// How a recurrent decoder runs through target tokens: all steps at once where it can, step by step where a
// step needs the context of the step before.
#include <algorithm>
#include <span>
#include <utility>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/linear.h"
#include "autograd/ops/shapes.h"
#include "transformer/recurrent/recurrent_decoder.h"
#include "transformer/recurrent/time_major.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

/// Rows begin .. end of the queries look at the memory of sequence i.
Segment segment(const RecurrentDecoder::Input& input, Index begin, Index end, std::size_t i) {
  const std::vector<Index>& offsets = input.memory.offsets;
  const auto source = to_size(input.sources[i]);
  return {begin, end, offsets[source], offsets[source + 1]};
}

/// The positions of all tokens in their whole sequences.
std::vector<std::int32_t> token_positions(const RecurrentDecoder::Input& input) {
  std::vector<std::int32_t> result = positions(input.tokens);
  for (Index i = 0; i < input.tokens.sentences(); ++i)
    for (Index row = input.tokens.offsets[to_size(i)]; row < input.tokens.offsets[to_size(i) + 1]; ++row)
      result[to_size(row)] += input.positions[to_size(i)];
  return result;
}

/// The fixed context of each token's source.
Tensor fixed_contexts(const RecurrentDecoder::Input& input) {
  std::vector<std::int32_t> sources;
  for (Index i = 0; i < input.tokens.sentences(); ++i)
    sources.insert(sources.end(), to_size(input.tokens.length(i)),
                   static_cast<std::int32_t>(input.sources[to_size(i)]));
  return gather(input.memory.fixed_context, 0, sources);
}

Tensor first_rows(const Tensor& x, Index rows) { return !x || x.size(0) == rows ? x : slice(x, 0, 0, rows); }

RecurrentDecoder::State first_rows(const RecurrentDecoder::State& state, Index rows) {
  RecurrentDecoder::State result{.output = first_rows(state.output, rows)};
  for (const nn::RecurrentState& layer : state.layers)
    result.layers.push_back({first_rows(layer.h, rows), first_rows(layer.c, rows)});
  return result;
}

}  // namespace

RecurrentDecoder::State take_rows(const RecurrentDecoder::State& state, std::span<const std::int32_t> rows) {
  const auto take = [&](const Tensor& x) { return x ? gather(x, 0, rows) : x; };
  RecurrentDecoder::State result{.output = take(state.output)};
  for (const nn::RecurrentState& layer : state.layers)
    result.layers.push_back({take(layer.h), take(layer.c)});
  return result;
}

Tensor RecurrentDecoder::run(const Input& input, State& state, Keep keep, LayerAttention* weights) {
  const bool steps_need_attention =
      attention && (config_.attention.context_enters_cell() || config_.attention.input_feeding);
  return steps_need_attention ? run_steps(input, state, keep, weights) : run_at_once(input, state, weights);
}

// Nothing that attention finds enters the cell. So the recurrence runs through all steps at once, and
// attention follows for all states together.
Tensor RecurrentDecoder::run_at_once(const Input& input, State& state, LayerAttention* weights) {
  const Tensor y = input_dropout(embedding(input.tokens.ids));
  Tensor context = config_.attention.fixed_context ? fixed_contexts(input) : Tensor{};
  nn::Recurrent::Output states =
      rnn(context ? concat({y, context}, 1) : y, input.tokens.offsets, state.layers);
  state.layers = std::move(states.states);
  if (attention) {
    Segments segments;
    for (std::size_t i = 0; i + 1 < input.tokens.offsets.size(); ++i)
      segments.push_back(segment(input, input.tokens.offsets[i], input.tokens.offsets[i + 1], i));
    const nn::Attention::Result found =
        (*attention)(states.rows, input.memory.source, segments, token_positions(input));
    if (weights != nullptr) *weights = nn::weight_matrices(found.weights, found.ranges, segments);
    context = found.context;
  }
  return combine(states.rows, context, y);
}

namespace {

/// The weights of a decoder that runs step by step, one matrix [1, tokens, keys] per sequence.
class CollectedWeights {
 public:
  CollectedWeights(const RecurrentDecoder::Input& input, LayerAttention* matrices) : matrices_(matrices) {
    if (matrices == nullptr) return;
    matrices->clear();
    for (std::size_t i = 0; i < input.sources.size(); ++i) {
      const Segment all = segment(input, input.tokens.offsets[i], input.tokens.offsets[i + 1], i);
      matrices->push_back(Tensor::zeros({1, all.query_end - all.query_begin, all.key_end - all.key_begin}));
    }
  }
  /// The weights of step t: query k is of sequence order[k].
  void add(const nn::Attention::Result& found, const std::vector<std::int32_t>& order, Index t) {
    if (matrices_ == nullptr) return;
    for (Index k = 0; k < found.ranges.queries(); ++k) {
      const Tensor& matrix = (*matrices_)[to_size(order[to_size(k)])];
      std::copy_n(found.weights.data() + found.ranges.offsets[to_size(k)], found.ranges.count(k),
                  matrix.data() + t * matrix.size(2) + found.ranges.position[to_size(k)]);
    }
  }

 private:
  LayerAttention* matrices_;
};

/// Copies rows first .. last of `from`, which belong to sequences order[first] .. order[last], to those rows
/// of `to`.
void copy_ended(Tensor& to, const Tensor& from, const std::vector<std::int32_t>& order, Index first,
                Index last) {
  if (!from) return;
  const Index width = from.size(1);
  if (!to) to = Tensor::empty({to_index(order.size()), width});
  for (Index k = first; k < last; ++k)
    std::copy_n(from.data() + k * width, width, to.data() + order[to_size(k)] * width);
}

/// Copies the state of the sequences that end with step t, without gradients.
void copy_ended(RecurrentDecoder::State& to, const RecurrentDecoder::State& from, const TimeMajor& time,
                Index t) {
  const Index first = t + 1 < time.steps() ? time.running(t + 1) : 0, last = time.running(t);
  to.layers.resize(from.layers.size());
  for (std::size_t layer = 0; layer < to.layers.size(); ++layer) {
    copy_ended(to.layers[layer].h, from.layers[layer].h, time.order, first, last);
    copy_ended(to.layers[layer].c, from.layers[layer].c, time.order, first, last);
  }
  copy_ended(to.output, from.output, time.order, first, last);
}

}  // namespace

// The rows are computed step by step; within a step the sequences that still run stand together, longest
// first. The part of the gates that comes from the embeddings needs no recurrence, so it is one product for
// all tokens.
Tensor RecurrentDecoder::run_steps(const Input& input, State& state, Keep keep, LayerAttention* weights) {
  const TimeMajor time(input.tokens.offsets);
  const bool context_first = config_.attention.context_enters_cell(), feeds = config_.attention.input_feeding;
  const Tensor y = gather(input_dropout(embedding(input.tokens.ids)), 0, time.packed);
  const nn::Recurrent::Weights& first_layer = rnn.weights.front();
  const Index of_y = config_.d_model, all = first_layer.weight_ih.size(1);
  const Tensor gates_of_y = linear(y, slice(first_layer.weight_ih, 1, 0, of_y), first_layer.bias_ih);
  const Tensor weight_of_rest = slice(first_layer.weight_ih, 1, of_y, all);
  CollectedWeights collected(input, weights);

  State running = take_rows(state, time.order), ended;
  std::vector<Tensor> states, contexts, outputs;
  for (Index t = 0; t < time.steps(); ++t) {
    running = first_rows(running, time.running(t));
    Segments segments;
    std::vector<std::int32_t> at;
    for (Index k = 0; k < time.running(t); ++k) {
      const auto i = to_size(time.order[to_size(k)]);
      segments.push_back(segment(input, k, k + 1, i));
      at.push_back(input.positions[i] + static_cast<std::int32_t>(t));
    }
    nn::Attention::Result found;
    const auto look = [&] {
      found = (*attention)(running.layers.back().h, input.memory.source, segments, at);
      collected.add(found, time.order, t);
    };
    std::vector<Tensor> rest;
    if (context_first) {
      look();
      rest.push_back(found.context);
    }
    if (feeds) rest.push_back(running.output);
    const Tensor gates = slice(gates_of_y, 0, time.begin[to_size(t)], time.begin[to_size(t) + 1]) +
                         linear(rest.size() == 1 ? rest.front() : concat(rest, 1), weight_of_rest, {});
    running.layers = rnn.step_from_gates(gates, running.layers).states;
    if (!context_first) look();
    const Tensor& s = running.layers.back().h;
    if (feeds) {
      running.output =
          combine(s, found.context, slice(y, 0, time.begin[to_size(t)], time.begin[to_size(t) + 1]));
      outputs.push_back(running.output);
    } else {
      states.push_back(s);
      contexts.push_back(found.context);
    }
    if (keep == Keep::last_state) copy_ended(ended, running, time, t);
  }
  if (keep == Keep::last_state) state = std::move(ended);
  return gather(feeds ? concat(outputs, 0) : combine(concat(states, 0), concat(contexts, 0), y), 0,
                time.places);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
