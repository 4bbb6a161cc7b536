#include "transformer/recurrent/recurrent_decoder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "autograd/ops.h"
#include "transformer/recurrent/recurrent_decoding.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

nn::Recurrent::Settings rnn_settings(const RecurrentConfig& config, Index memory_width) {
  return {.input = config.d_model + (config.attention.context_enters_cell() ? memory_width : 0) +
                   (config.attention.input_feeding ? config.d_model : 0),
          .hidden = config.d_model,
          .layers = config.decoder_layers,
          .dropout = config.dropout};
}

Index states_per_layer(const RecurrentConfig& config) { return config.cell == nn::Cell::lstm ? 2 : 1; }

/// True if the encoder's last states can be the decoder's first states as they are.
bool states_fit(const RecurrentConfig& config, const std::vector<Index>& states) {
  const std::vector<Index> own(to_size(config.decoder_layers * states_per_layer(config)), config.d_model);
  return states == own && !config.bidirectional;
}

/// The mean of the rows of each source.
Tensor mean_rows(const Memory& memory) {
  std::vector<Index> queries(memory.offsets.size());
  std::iota(queries.begin(), queries.end(), Index{0});
  const KeyRanges ranges = all_keys(segments(queries, memory.offsets));
  const Tensor weights = Tensor::empty({ranges.pairs()});
  for (Index i = 0; i < ranges.queries(); ++i)
    std::fill_n(weights.data() + ranges.offsets[to_size(i)], ranges.count(i),
                1 / static_cast<Real>(ranges.count(i)));
  return weighted_sum(weights, memory.rows, ranges);
}

}  // namespace

RecurrentDecoder::RecurrentDecoder(const RecurrentConfig& config, const nn::Embedding& target,
                                   Index memory_width, const std::vector<Index>& states, Random& random)
    : embedding(target),
      input_dropout(config.embedding_dropout),
      output_dropout(config.dropout),
      rnn(config.cell, rnn_settings(config, memory_width), random),
      config_(config),
      memory_width_(memory_width) {
  const RecurrentAttention& a = config.attention;
  const Index d = config.d_model;
  if (a.kind != Looking::none)
    attention.emplace(nn::Attention::Settings{.query_width = d,
                                              .memory_width = memory_width,
                                              .score = a.score,
                                              .normaliser = a.normaliser,
                                              .window = a.window,
                                              .radius = a.radius,
                                              .score_width = a.width,
                                              .positions = a.positions},
                      random);
  if (a.kind == Looking::hard) hard.emplace(a.hard);
  if (attention || a.fixed_context)
    output.emplace(d + memory_width + (a.context_enters_cell() ? d : 0), d, random);
  if (!states_fit(config, states))
    for (Index i = 0; i < config.decoder_layers * states_per_layer(config); ++i)
      first_layers.emplace_back(states.empty() ? memory_width : states.back() / config.directions(), d,
                                random);
}

RecurrentDecoder::PreparedMemory RecurrentDecoder::prepare(const Memory& memory) const {
  PreparedMemory prepared{.offsets = memory.offsets};
  if (attention) prepared.source = attention->prepare(memory.rows);
  if (config_.attention.fixed_context) prepared.fixed_context = summary(memory);
  if (steps_need_attention()) {
    const Tensor& weight = rnn.weights.front().weight_ih;
    prepared.weight_of_y = slice(weight, 1, 0, config_.d_model);
    prepared.weight_of_rest = slice(weight, 1, config_.d_model, weight.size(1));
  }
  return prepared;
}

// The first state is the encoder's last state if the layers match (Sutskever et al. 2014), otherwise
//   s_0 = tanh(W x)
// with x = ←h_1, the last state of the backward direction, for a bidirectional encoder (Bahdanau et al. 2015,
// appendix A.2.2), x = the last state of the top layer for other recurrent encoders (Cho et al. 2014), and x
// = the mean of the memory for an encoder without states (Xu et al. 2015, section 3.1.2).
RecurrentDecoder::State RecurrentDecoder::first_state(const Memory& memory) const {
  std::vector<Tensor> states = memory.final_states;
  if (!first_layers.empty()) {
    const Tensor last = summary(memory);
    const Index width = first_layers.front().weight.size(1);
    const Tensor x = last.size(1) == width ? last : slice(last, 1, last.size(1) - width, last.size(1));
    states.clear();
    for (const nn::Linear& layer : first_layers) states.push_back(tanh(layer(x)));
  }
  State state;
  const auto per_layer = to_size(states_per_layer(config_));
  for (std::size_t i = 0; i < states.size(); i += per_layer)
    state.layers.push_back({states[i], per_layer == 2 ? states[i + 1] : Tensor{}});
  if (config_.attention.input_feeding) state.output = Tensor::zeros({memory.sources(), width()});
  return state;
}

/// The one vector per source that a decoder without attention knows: the last h of the top layer, or the mean
/// of the memory.
Tensor RecurrentDecoder::summary(const Memory& memory) const {
  if (memory.final_states.empty()) return mean_rows(memory);
  return memory.final_states[memory.final_states.size() - to_size(states_per_layer(config_))];
}

Tensor RecurrentDecoder::decode(const PackedSequences& target, const Memory& memory,
                                AttentionWeights* weights) {
  return decode(target, memory,
                Seen{.weights = attention && weights != nullptr ? layer_of(&weights->memory, 0) : nullptr});
}

Tensor RecurrentDecoder::decode_to_train(const PackedSequences& target, const Memory& memory,
                                         std::vector<LossTerm>& terms) {
  const double lambda = config_.attention.doubly_stochastic;
  if (lambda > 0 && output_dropout.training()) {
    Looks looks(target.tokens());
    Tensor rows = decode(target, memory, Seen{.looks = &looks});
    terms.push_back(looks.term(static_cast<Real>(lambda), memory.offsets, target.offsets));
    return rows;
  }
  if (!hard || !hard->draws_in_training()) return decode(target, memory, Seen{});
  Draws draws = hard->begin(target.sentences());
  Tensor rows = decode(target, memory, Seen{.draws = &draws});
  terms.push_back(hard->term(draws, target.offsets));
  return rows;
}

Tensor RecurrentDecoder::decode(const PackedSequences& target, const Memory& memory, const Seen& seen) {
  std::vector<Index> sources(to_size(memory.sources()));
  std::iota(sources.begin(), sources.end(), Index{0});
  State state = first_state(memory);
  const PreparedMemory prepared = prepare(memory);
  return run({target, sources, std::vector<std::int32_t>(sources.size(), 0), prepared}, state, Keep::nothing,
             seen);
}

std::unique_ptr<DecodingState> RecurrentDecoder::begin(const Memory& memory) {
  return std::make_unique<RecurrentDecodingState>(*this, memory);
}

Tensor RecurrentDecoder::combine(const Tensor& states, const Tensor& context, const Tensor& y) {
  if (!output) return output_dropout(states);
  std::vector<Tensor> parts{states, context};
  if (config_.attention.context_enters_cell()) parts.push_back(y);
  return output_dropout(tanh((*output)(concat(parts, 1))));
}

void RecurrentDecoder::visit(nn::Visitor& visitor) {
  visitor(input_dropout);
  visitor("first_layers", first_layers);
  visitor("rnn", rnn);
  if (attention) visitor("attention", *attention);
  if (hard) visitor("hard", *hard);
  if (output) visitor("output", *output);
  visitor(output_dropout);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
