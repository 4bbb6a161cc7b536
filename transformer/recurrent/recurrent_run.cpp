// How a recurrent decoder runs through target tokens: all steps at once where it can, step by step where a
// step needs the context of the step before.
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "transformer/recurrent/recurrent_decoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

/// The rows of a packed batch, step by step instead of sentence by sentence: first all first tokens, then all
/// second tokens, and so on. The longest sentence is first, so the sentences that run at a step are the first
/// ones of the step before.
struct TimeMajor {
  explicit TimeMajor(const std::vector<Index>& offsets) : order(offsets.size() - 1) {
    const auto length = [&](std::int32_t i) { return offsets[to_size(i) + 1] - offsets[to_size(i)]; };
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
    places.resize(to_size(offsets.back()));
    const Index longest = order.empty() ? 0 : length(order.front());
    for (Index t = 0; t < longest; ++t) {
      for (const std::int32_t sentence : order) {
        if (length(sentence) <= t) break;
        const Index row = offsets[to_size(sentence)] + t;
        places[to_size(row)] = static_cast<std::int32_t>(packed.size());
        packed.push_back(static_cast<std::int32_t>(row));
      }
      begin.push_back(to_index(packed.size()));
    }
  }

  Index steps() const { return to_index(begin.size()) - 1; }
  /// Sentences that run at step t.
  Index running(Index t) const { return begin[to_size(t) + 1] - begin[to_size(t)]; }

  std::vector<std::int32_t> order;   ///< the sentences, longest first
  std::vector<Index> begin{0};       ///< step t has the time-major rows begin[t] .. begin[t + 1]
  std::vector<std::int32_t> packed;  ///< the packed row of each time-major row
  std::vector<std::int32_t> places;  ///< the time-major row of each packed row
};

/// Rows begin .. end of the queries attend to the memory of sequence i.
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

/// function(x) of each tensor x of a state.
template <class Function>
RecurrentDecoder::State map(const RecurrentDecoder::State& state, const Function& function) {
  const auto of = [&](const Tensor& x) { return x ? function(x) : x; };
  RecurrentDecoder::State result{.output = of(state.output)};
  for (const nn::RecurrentState& layer : state.layers) result.layers.push_back({of(layer.h), of(layer.c)});
  return result;
}

RecurrentDecoder::State first_rows(const RecurrentDecoder::State& state, Index rows) {
  return map(state, [&](const Tensor& x) { return x.size(0) == rows ? x : slice(x, 0, 0, rows); });
}

/// All tensors of a state, in a fixed order.
std::vector<Tensor> parts(const RecurrentDecoder::State& state) {
  std::vector<Tensor> result{state.output};
  for (const nn::RecurrentState& layer : state.layers) result.insert(result.end(), {layer.h, layer.c});
  return result;
}

/// Copies row k of all parts of `from` to row places[k] of `to`, for k = first, …, without gradients.
void put_rows(const RecurrentDecoder::State& to, const RecurrentDecoder::State& from,
              std::span<const std::int32_t> places, Index first) {
  const std::vector<Tensor> targets = parts(to), sources = parts(from);
  for (std::size_t i = 0; i < targets.size(); ++i)
    for (Index k = first; sources[i] && k < to_index(places.size()); ++k) {
      const Index width = sources[i].size(1);
      std::copy_n(sources[i].data() + k * width, width, targets[i].data() + places[to_size(k)] * width);
    }
}

/// The attention of a run over target tokens. If somebody records it, its weights are those of all steps.
class AttentionToMemory {
 public:
  AttentionToMemory(RecurrentDecoder& decoder, const RecurrentDecoder::Input& input,
                    const RecurrentDecoder::Terms& terms)
      : decoder_(decoder), input_(input), terms_(terms) {
    if (!decoder.attention || !nn::AttentionModule::is_recorded()) return;
    for (std::size_t i = 0; i < input.sources.size(); ++i) {
      const Segment all = segment(input, input.tokens.offsets[i], input.tokens.offsets[i + 1], i);
      weights_.push_back(Tensor::zeros({1, all.query_end - all.query_begin, all.key_end - all.key_begin}));
    }
    queries_ = Tensor::zeros({input.tokens.tokens(), decoder.width()});
    const nn::Attention::KeysAndValues& keys = input.memory.keys;
    decoder.attention->record(weights_,
                              nn::AttentionInputs{queries_, keys.key, keys.value});  // the steps fill both
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
    const nn::Attention::Result found = (*decoder_.attention)(query, input_.memory.keys, segments, positions);
    if (!weights_.empty()) record_weights(found, query, rows, sequences);
    if (terms_.doubly_stochastic != nullptr) terms_.doubly_stochastic->add(found, rows);
    if (!decoder_.hard) return found.context;
    return decoder_.attention->without_heads_off(
        decoder_.hard->choose(found, input_.memory.keys.value, rows, sequences, terms_.samples));
  }

 private:
  void record_weights(const nn::Attention::Result& found, const Tensor& query,
                      std::span<const std::int32_t> rows, std::span<const std::int32_t> sequences) const {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto i = to_size(sequences[k]);
      const Tensor& matrix = weights_[i];
      const Index token = rows[k] - input_.tokens.offsets[i];
      std::copy_n(found.weights.data() + found.ranges.offsets[k], found.ranges.count(to_index(k)),
                  matrix.data() + token * matrix.size(2) + found.ranges.position[k]);
      const Index width = queries_.size(1);
      std::copy_n(query.data() + to_index(k) * width, width, queries_.data() + rows[k] * width);
    }
  }

  RecurrentDecoder& decoder_;
  const RecurrentDecoder::Input& input_;
  RecurrentDecoder::Terms terms_;
  nn::AttentionWeights weights_;
  Tensor queries_;  ///< of all tokens, if somebody records
};

/// One step of the sequences that still run: it makes s_t, c_t and o_t from s_(t-1), o_(t-1) and y_(t-1).
struct Step {
  RecurrentDecoder& decoder;
  const AttentionToMemory& attention;
  std::span<const std::int32_t> rows, sequences;  ///< as the attention reads them
  const Tensor& weight_of_rest;                   ///< see PreparedMemory
  Tensor y, gates_of_y;                           ///< y_(t-1), and its part of the cell's gates
  RecurrentDecoder::State state;
  Tensor c = {};

  const Tensor& s() const { return state.layers.back().h; }
  const Tensor& o() const { return state.output; }  ///< empty without input feeding

  void attend() { c = attention(s(), rows, sequences); }
  /// The cell reads y and those of these inputs that are not empty.
  void run_cell(std::vector<Tensor> rest) {
    std::erase_if(rest, [](const Tensor& x) { return !x; });
    const Tensor gates_of_rest =
        linear(rest.size() == 1 ? rest.front() : concat(rest, 1), weight_of_rest, {});
    state.layers = decoder.rnn.step_from_gates(gates_of_y + gates_of_rest, state.layers).states;
  }
  /// Only with input feeding: the next step reads o. Otherwise run_steps computes the o of all steps at once.
  void make_output() {
    if (o()) state.output = decoder.output_of(s(), c, y);
  }
};

// Bahdanau et al. 2015. Input feeding is not in the paper; it adds o_(t-1) to the inputs of f. (Without it,
// run_steps computes o_t after the last step.)
void context_first(Step& step) {
  step.attend();                      // eqs. 5 and 6:  c_t = sum_j alpha_tj h_j, with the alpha_t of s_(t-1)
  step.run_cell({step.c, step.o()});  // section 3.1:   s_t = f(s_(t-1), y_(t-1), c_t)
  step.make_output();                 // eq. 4:         o_t = g(y_(t-1), s_t, c_t)
}

// Luong et al. 2015, with input feeding. (Without it, run_at_once needs no steps.)
void state_first(Step& step) {
  step.run_cell({step.o()});  // section 3.3:   s_t = f(s_(t-1), [y_(t-1); o_(t-1)])
  step.attend();              // eq. 7:         c_t = sum_j alpha_tj h_j, with the alpha_t of s_t
  step.make_output();         // eq. 5:         o_t = tanh(W_c [s_t; c_t])
}

using TakeStep = void (*)(Step&);

TakeStep step_of(AttentionOrder order) {
  switch (order) {
    case AttentionOrder::context_first:
      return context_first;
    case AttentionOrder::state_first:
      return state_first;
  }
  fail("a recurrent decoder: there is no order {}", static_cast<int>(order));
}

// The rows are computed step by step; within a step the sequences that still run stand together, longest
// first. The part of the gates that comes from the embeddings needs no recurrence, so it is one product for
// all tokens.
Tensor run_steps(RecurrentDecoder& decoder, const RecurrentDecoder::Input& input,
                 RecurrentDecoder::State& state, RecurrentDecoder::Keep keep,
                 const AttentionToMemory& attention) {
  const TimeMajor time(input.tokens.offsets);
  const Tensor y = gather(decoder.input_dropout(decoder.embedding(input.tokens.ids)), 0, time.packed);
  const Tensor gates_of_y = linear(y, input.memory.weight_of_y, decoder.rnn.weights.front().bias_ih);
  const TakeStep take_step = step_of(decoder.config().attention.order);

  RecurrentDecoder::State running = take_rows(state, time.order);
  if (keep == RecurrentDecoder::Keep::last_state)
    state = map(state, [](const Tensor& x) { return x.clone(); });
  std::vector<Tensor> states, contexts, outputs;
  for (Index t = 0; t < time.steps(); ++t) {
    const Index begin = time.begin[to_size(t)], end = time.begin[to_size(t) + 1];
    Step step{.decoder = decoder,
              .attention = attention,
              .rows = std::span(time.packed).subspan(to_size(begin), to_size(end - begin)),
              .sequences = time.order,
              .weight_of_rest = input.memory.weight_of_rest,
              .y = slice(y, 0, begin, end),
              .gates_of_y = slice(gates_of_y, 0, begin, end),
              .state = first_rows(running, end - begin)};
    take_step(step);
    if (step.o()) {
      outputs.push_back(step.o());
    } else {
      states.push_back(step.s());
      contexts.push_back(step.c);
    }
    running = std::move(step.state);
    if (keep == RecurrentDecoder::Keep::last_state)  // of the sequences that end with this step
      put_rows(state, running, std::span(time.order).first(to_size(end - begin)),
               t + 1 < time.steps() ? time.running(t + 1) : 0);
  }
  const Tensor rows =
      outputs.empty() ? decoder.output_of(concat(states, 0), concat(contexts, 0), y) : concat(outputs, 0);
  return gather(rows, 0, time.places);
}

// The contexts do not enter the cell. So the recurrence runs through all steps at once, and attention follows
// for all states together.
Tensor run_at_once(RecurrentDecoder& decoder, const RecurrentDecoder::Input& input,
                   RecurrentDecoder::State& state, const AttentionToMemory& attention) {
  const Tensor y = decoder.input_dropout(decoder.embedding(input.tokens.ids));
  Tensor context = input.memory.fixed_context ? fixed_contexts(input) : Tensor{};
  nn::Recurrent::Output states =
      decoder.rnn(context ? concat({y, context}, 1) : y, input.tokens.offsets, state.layers);
  state.layers = std::move(states.states);
  if (decoder.attention) {
    std::vector<std::int32_t> rows(to_size(input.tokens.tokens()));
    std::iota(rows.begin(), rows.end(), 0);
    context = attention(states.rows, rows, sequence_of_each_token(input.tokens));
  }
  return decoder.output_of(states.rows, context, y);
}

}  // namespace

RecurrentDecoder::State take_rows(const RecurrentDecoder::State& state, std::span<const std::int32_t> rows) {
  return map(state, [&](const Tensor& x) { return gather(x, 0, rows); });
}

bool RecurrentDecoder::steps_need_attention() const {
  return attention && (config_.attention.context_enters_cell() || config_.attention.input_feeding);
}

Tensor RecurrentDecoder::run(const Input& input, State& state, Keep keep, const Terms& terms) {
  const AttentionToMemory to_memory(*this, input, terms);
  return steps_need_attention() ? run_steps(*this, input, state, keep, to_memory)
                                : run_at_once(*this, input, state, to_memory);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
