#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nn/layers.h"
#include "transformer/embeddings.h"
#include "transformer/encoder_decoder.h"
#include "transformer/recurrent/attention_terms.h"
#include "transformer/recurrent/recurrent_config.h"

// The decoders of Bahdanau, Luong and others before the Transformer.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// A recurrent decoder. In step t, with the embedding y of the token before, the state s and the context c:
///
///   context first (Bahdanau et al. 2015)         state first (Luong et al. 2015)
///   c_t = attention(s_(t-1))                     s_t = cell([y; o_(t-1)], s_(t-1))
///   s_t = cell([y; c_t], s_(t-1))                c_t = attention(s_t)
///   o_t = tanh(W_o [s_t; c_t; y] + b)            o_t = tanh(W_o [s_t; c_t] + b)
///
/// o_(t-1) is there with input feeding only; with it, it also enters the cell of a decoder with context
/// first. Without attention o_t = s_t (Sutskever et al. 2014), or, with a fixed context, the encoder's last
/// state is the c of every step, as with context first (Cho et al. 2014).
class RecurrentDecoder : public Decoder {
 public:
  /// `states` are the widths of the encoder's last states (Encoder::state_widths).
  RecurrentDecoder(const RecurrentConfig& config, const nn::Embedding& target, Index memory_width,
                   const std::vector<Index>& states, Random& random);

  Tensor decode(const PackedSequences& target, const Memory& memory) override {
    return decode(target, memory, Terms{});
  }
  /// In training, hard attention and the doubly stochastic term add to the cross-entropy.
  Tensor loss(const Batch& batch, const Memory& memory, const Generator& generator,
              const CrossEntropyOptions& options) override;
  std::unique_ptr<DecodingState> begin(const Memory& memory) override;
  Index width() const override { return config_.d_model; }
  Index memory_width() const override { return memory_width_; }
  void visit(nn::Visitor& visitor) override;
  void visit_embedding(nn::Visitor& visitor) override { visitor("tgt_embed", embedding); }

  /// All that a step hands to the next one, a row for each sequence.
  struct State {
    std::vector<nn::RecurrentState> layers = {};
    Tensor output = {};  ///< o_(t-1), with input feeding
  };
  /// All that the steps of a batch have in common.
  struct PreparedMemory {
    std::vector<Index> offsets;
    nn::Attention::KeysAndValues keys = {};  ///< with attention
    Tensor fixed_context = {};               ///< [sources, memory_width]
    /// The columns of the first layer's weight_ih for y, and those for the rest of its input; only if the
    /// steps run one after another.
    Tensor weight_of_y = {}, weight_of_rest = {};
  };
  PreparedMemory prepare(const Memory& memory) const;  ///< what all steps read of a memory
  /// The state before the first step: the encoder's last states (Memory::final_states), or what first_layers
  /// make of them. o_0 is 0.
  State first_state(const Memory& memory) const;

  /// Target tokens that continue sequences: sequence i is of source sources[i], has read positions[i] tokens
  /// before and begins from row i of the state.
  struct Input {
    const PackedSequences& tokens;
    const std::vector<Index>& sources;
    const std::vector<std::int32_t>& positions;
    const PreparedMemory& memory;
  };
  /// Where a run keeps what the terms of the loss need; null: nowhere. Hard attention samples if there is a
  /// place for its samples.
  struct Terms {
    AttentionSamples* samples = nullptr;
    DoublyStochasticTerm* doubly_stochastic = nullptr;
  };
  enum class Keep { nothing, last_state };
  /// o of each token, [tokens, width]. With Keep::last_state, `state` becomes the state after the last token
  /// of each sequence, without gradients.
  Tensor run(const Input& input, State& state, Keep keep, const Terms& terms);
  /// o_t from s_t, c_t and y_(t-1), row by row.
  Tensor output_of(const Tensor& state, const Tensor& context, const Tensor& y);
  const RecurrentConfig& config() const { return config_; }  ///< as given to the constructor

  nn::Embedding embedding;
  nn::Dropout input_dropout, output_dropout;
  nn::Recurrent rnn;
  std::optional<nn::Attention> attention;
  std::optional<HardAttention> hard;
  std::optional<nn::Linear> output;      ///< W_o, b
  std::vector<nn::Linear> first_layers;  ///< see first_state()

 private:
  Tensor summary(const Memory& memory) const;
  /// True if a step needs what attention found in the step before.
  bool steps_need_attention() const;
  Tensor decode(const PackedSequences& target, const Memory& memory, const Terms& terms);

  RecurrentConfig config_;
  Index memory_width_;
};

/// The given rows of all parts of a state.
RecurrentDecoder::State take_rows(const RecurrentDecoder::State& state, std::span<const std::int32_t> rows);

/// A recurrent encoder and a recurrent decoder, with initial weights drawn from `random`. Throws Error if the
/// settings do not go together (check).
EncoderDecoder make_recurrent(const RecurrentConfig& config, const EmbeddingSettings& embeddings,
                              Random& random);

}}}  // namespace regard::REGARD_PRECISION::transformer
