// How a recurrent decoder runs through target tokens: all steps at once where it can, step by step where a
// step needs the context of the step before.
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "autograd/ops.h"
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

/// The sequence of each token.
std::vector<std::int32_t> sequence_of_each_token(const PackedSequences& tokens) {
  std::vector<std::int32_t> sequences;
  for (Index i = 0; i < tokens.sentences(); ++i)
    sequences.insert(sequences.end(), to_size(tokens.length(i)), static_cast<std::int32_t>(i));
  return sequences;
}

/// The fixed context of each token's source.
Tensor fixed_contexts(const RecurrentDecoder::Input& input) {
  std::vector<std::int32_t> sources;
  for (const std::int32_t i : sequence_of_each_token(input.tokens))
    sources.push_back(static_cast<std::int32_t>(input.sources[to_size(i)]));
  return gather(input.memory.fixed_context, 0, sources);
}

Tensor first_rows(const Tensor& x, Index rows) { return !x || x.size(0) == rows ? x : slice(x, 0, 0, rows); }

RecurrentDecoder::State first_rows(const RecurrentDecoder::State& state, Index rows) {
  RecurrentDecoder::State result{.output = first_rows(state.output, rows)};
  for (const nn::RecurrentState& layer : state.layers)
    result.layers.push_back({first_rows(layer.h, rows), first_rows(layer.c, rows)});
  return result;
}

/// Looks at the memory for a run over target tokens, and collects what it saw.
class Looker {
 public:
  Looker(RecurrentDecoder& decoder, const RecurrentDecoder::Input& input, const RecurrentDecoder::Seen& seen)
      : decoder_(decoder), input_(input), seen_(seen) {
    if (seen.weights == nullptr) return;
    seen.weights->clear();
    for (std::size_t i = 0; i < input.sources.size(); ++i) {
      const Segment all = segment(input, input.tokens.offsets[i], input.tokens.offsets[i + 1], i);
      seen.weights->push_back(
          Tensor::zeros({1, all.query_end - all.query_begin, all.key_end - all.key_begin}));
    }
  }

  /// The contexts of the queries, which are those of the tokens in `rows` (packed). `sequences` has the
  /// sequence of each query.
  Tensor operator()(const Tensor& query, std::span<const std::int32_t> rows,
                    std::span<const std::int32_t> sequences) const {
    Segments segments;
    std::vector<std::int32_t> positions;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto i = to_size(sequences[k]);
      if (k == 0 || sequences[k] != sequences[k - 1])
        segments.push_back(segment(input_, to_index(k), to_index(k), i));
      ++segments.back().query_end;
      positions.push_back(input_.positions[i] + rows[k] -
                          static_cast<std::int32_t>(input_.tokens.offsets[i]));
    }
    const nn::Attention::Result found =
        (*decoder_.attention)(query, input_.memory.source, segments, positions);
    if (seen_.weights != nullptr) keep_weights(found, rows, sequences);
    if (seen_.looks != nullptr) seen_.looks->add(found, rows);
    if (!decoder_.hard) return found.context;
    return decoder_.attention->head_mask(
        decoder_.hard->choose(found, input_.memory.source.value, rows, sequences, seen_.draws));
  }

 private:
  void keep_weights(const nn::Attention::Result& found, std::span<const std::int32_t> rows,
                    std::span<const std::int32_t> sequences) const {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto i = to_size(sequences[k]);
      const Tensor& matrix = (*seen_.weights)[i];
      const Index token = rows[k] - input_.tokens.offsets[i];
      std::copy_n(found.weights.data() + found.ranges.offsets[k], found.ranges.count(to_index(k)),
                  matrix.data() + token * matrix.size(2) + found.ranges.position[k]);
    }
  }

  RecurrentDecoder& decoder_;
  const RecurrentDecoder::Input& input_;
  RecurrentDecoder::Seen seen_;
};

}  // namespace

RecurrentDecoder::State take_rows(const RecurrentDecoder::State& state, std::span<const std::int32_t> rows) {
  const auto take = [&](const Tensor& x) { return x ? gather(x, 0, rows) : x; };
  RecurrentDecoder::State result{.output = take(state.output)};
  for (const nn::RecurrentState& layer : state.layers)
    result.layers.push_back({take(layer.h), take(layer.c)});
  return result;
}

bool RecurrentDecoder::steps_need_attention() const {
  return attention && (config_.attention.context_enters_cell() || config_.attention.input_feeding);
}

Tensor RecurrentDecoder::run(const Input& input, State& state, Keep keep, const Seen& seen) {
  return steps_need_attention() ? run_steps(input, state, keep, seen) : run_at_once(input, state, seen);
}

// Nothing that attention finds enters the cell. So the recurrence runs through all steps at once, and
// attention follows for all states together.
Tensor RecurrentDecoder::run_at_once(const Input& input, State& state, const Seen& seen) {
  const Tensor y = input_dropout(embedding(input.tokens.ids));
  Tensor context = config_.attention.fixed_context ? fixed_contexts(input) : Tensor{};
  nn::Recurrent::Output states =
      rnn(context ? concat({y, context}, 1) : y, input.tokens.offsets, state.layers);
  state.layers = std::move(states.states);
  if (attention) {
    std::vector<std::int32_t> rows(to_size(input.tokens.tokens()));
    std::iota(rows.begin(), rows.end(), 0);
    context = Looker(*this, input, seen)(states.rows, rows, sequence_of_each_token(input.tokens));
  }
  return combine(states.rows, context, y);
}

namespace {

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
Tensor RecurrentDecoder::run_steps(const Input& input, State& state, Keep keep, const Seen& seen) {
  const TimeMajor time(input.tokens.offsets);
  const bool context_first = config_.attention.context_enters_cell(), feeds = config_.attention.input_feeding;
  const Tensor y = gather(input_dropout(embedding(input.tokens.ids)), 0, time.packed);
  const Tensor gates_of_y = linear(y, input.memory.weight_of_y, rnn.weights.front().bias_ih);
  const Looker look(*this, input, seen);

  State running = take_rows(state, time.order), ended;
  std::vector<Tensor> states, contexts, outputs;
  for (Index t = 0; t < time.steps(); ++t) {
    running = first_rows(running, time.running(t));
    const auto rows =
        std::span(time.packed).subspan(to_size(time.begin[to_size(t)]), to_size(time.running(t)));
    Tensor context;
    if (context_first) context = look(running.layers.back().h, rows, time.order);
    std::vector<Tensor> rest;
    if (context_first) rest.push_back(context);
    if (feeds) rest.push_back(running.output);
    const Tensor gates =
        slice(gates_of_y, 0, time.begin[to_size(t)], time.begin[to_size(t) + 1]) +
        linear(rest.size() == 1 ? rest.front() : concat(rest, 1), input.memory.weight_of_rest, {});
    running.layers = rnn.step_from_gates(gates, running.layers).states;
    const Tensor& s = running.layers.back().h;
    if (!context_first) context = look(s, rows, time.order);
    if (feeds) {
      running.output = combine(s, context, slice(y, 0, time.begin[to_size(t)], time.begin[to_size(t) + 1]));
      outputs.push_back(running.output);
    } else {
      states.push_back(s);
      contexts.push_back(context);
    }
    if (keep == Keep::last_state) copy_ended(ended, running, time, t);
  }
  if (keep == Keep::last_state) state = std::move(ended);
  return gather(feeds ? concat(outputs, 0) : combine(concat(states, 0), concat(contexts, 0), y), 0,
                time.places);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
