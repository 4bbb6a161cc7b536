#include "transformer/recurrent/recurrent_decoder.h"

#include <numeric>
#include <utility>

#include "autograd/ops.h"
#include "autograd/ops/ranges.h"
#include "transformer/recurrent/recurrent_encoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

nn::Recurrent::Settings rnn_settings(const RecurrentConfig& config, Index memory_width) {
  return {.input = config.d_model + (config.attention.context_enters_cell() ? memory_width : 0) +
                   (config.attention.input_feeding ? config.d_model : 0),
          .hidden = config.d_model,
          .layers = config.decoder_layers,
          .dropout = config.dropout};
}

Index states_per_layer(const RecurrentConfig& config) { return nn::shape_of(config.cell).states; }

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
  return weighted_sum(normalise(Tensor::zeros({ranges.pairs()}), ranges), memory.rows, ranges);
}

/// Decoding with a recurrent decoder. Each row of the state belongs to a hypothesis. Each step begins with a
/// new matrix of rows, the row of its parent for each continuation. So a hypothesis can be continued twice,
/// moved or dropped.
class RecurrentDecodingState : public DecodingState {
 public:
  RecurrentDecodingState(RecurrentDecoder& decoder, const Memory& memory)
      : DecodingState(memory.sources()),
        decoder_(decoder),
        memory_(decoder.prepare(memory)),
        state_(decoder.first_state(memory)),
        positions_(to_size(memory.sources()), 0) {}

 protected:
  Tensor step(const std::vector<Continuation>& continuations, const std::vector<Index>& sources) override {
    PackedSequences tokens;
    std::vector<std::int32_t> parents, started;
    for (const auto& [parent, read] : continuations) {
      tokens.append(read);
      parents.push_back(static_cast<std::int32_t>(parent));
      started.push_back(positions_[to_size(parent)]);
    }
    state_ = take_rows(state_, parents);
    Tensor rows =
        decoder_.run({tokens, sources, started, memory_}, state_, RecurrentDecoder::Keep::last_state, {});
    for (std::size_t i = 0; i < started.size(); ++i)
      started[i] += static_cast<std::int32_t>(tokens.length(to_index(i)));
    positions_ = std::move(started);
    return rows;
  }

 private:
  RecurrentDecoder& decoder_;
  RecurrentDecoder::PreparedMemory memory_;
  RecurrentDecoder::State state_;
  std::vector<std::int32_t> positions_;  ///< tokens that each hypothesis has read
};

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
  if (a.kind != RecurrentAttentionKind::none)
    attention.emplace(nn::Attention::Settings{.query_width = d,
                                              .memory_width = memory_width,
                                              .score = a.score,
                                              .normaliser = a.normaliser,
                                              .window = a.window,
                                              .radius = a.radius,
                                              .score_width = a.width,
                                              .positions = a.positions,
                                              .own_score = a.own_score},
                      random);
  if (a.kind == RecurrentAttentionKind::hard) hard.emplace(a.hard);
  if (attention || a.fixed_context)
    output.emplace(d + memory_width + (a.context_enters_cell() ? d : 0), d, random);
  if (!states_fit(config, states))
    for (Index i = 0; i < config.decoder_layers * states_per_layer(config); ++i)
      first_layers.emplace_back(states.empty() ? memory_width : states.back() / config.directions(), d,
                                random);
}

RecurrentDecoder::PreparedMemory RecurrentDecoder::prepare(const Memory& memory) const {
  PreparedMemory prepared{.offsets = memory.offsets};
  if (attention) prepared.keys = attention->prepare(memory.rows);
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

Tensor RecurrentDecoder::loss(const Batch& batch, const Memory& memory, const Generator& generator,
                              const CrossEntropyOptions& options) {
  const PackedSequences& target = batch.target_input;
  const Index divide_by = options.divide_by > 0 ? options.divide_by : target.tokens();
  const auto lambda = static_cast<Real>(config_.attention.doubly_stochastic);
  if (lambda > 0 && output_dropout.training()) {
    DoublyStochasticTerm weights(target.tokens());
    const Tensor rows = decode(target, memory, {.doubly_stochastic = &weights});
    return generator.cross_entropy(rows, batch.target_output, options) +
           weights.term(lambda, memory.offsets, target.offsets, divide_by);
  }
  if (hard && hard->samples_in_training()) {
    AttentionSamples samples = hard->begin(target.sentences());
    const Tensor rows = decode(target, memory, {.samples = &samples});
    Tensor log_probabilities;
    CrossEntropyOptions with_probabilities = options;
    with_probabilities.log_probabilities = &log_probabilities;
    const Tensor loss = generator.cross_entropy(rows, batch.target_output, with_probabilities);
    return loss + hard->term(samples, target.offsets, log_probabilities, divide_by);
  }
  return Decoder::loss(batch, memory, generator, options);
}

Tensor RecurrentDecoder::decode(const PackedSequences& target, const Memory& memory, const Terms& terms) {
  std::vector<Index> sources(to_size(memory.sources()));
  std::iota(sources.begin(), sources.end(), Index{0});
  State state = first_state(memory);
  const PreparedMemory prepared = prepare(memory);
  return run({target, sources, std::vector<std::int32_t>(sources.size(), 0), prepared}, state, Keep::nothing,
             terms);
}

std::unique_ptr<DecodingState> RecurrentDecoder::begin(const Memory& memory) {
  return std::make_unique<RecurrentDecodingState>(*this, memory);
}

Tensor RecurrentDecoder::output_of(const Tensor& state, const Tensor& context, const Tensor& y) {
  if (!output) return output_dropout(state);
  std::vector<Tensor> parts{state, context};
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

EncoderDecoder make_recurrent(const RecurrentConfig& config, const EmbeddingSettings& settings,
                              Random& random) {
  check(config);
  const Embeddings embeddings = make_embeddings(settings, random);
  auto encoder = std::make_unique<RecurrentEncoder>(config, embeddings.source, random);
  auto decoder = std::make_unique<RecurrentDecoder>(config, embeddings.target, encoder->width(),
                                                    encoder->state_widths(), random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}}}  // namespace regard::REGARD_PRECISION::transformer
