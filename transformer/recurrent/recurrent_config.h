#pragma once

#include <string>

#include "autograd/machine/real.h"
#include "nn/general_attention/attention.h"
#include "nn/recurrent/recurrent.h"
#include "transformer/recurrent/attention_terms.h"

// The settings of recurrent models.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Whether and how a recurrent decoder attends to the memory.
enum class RecurrentAttentionKind {
  none,  ///< it does not: the encoder's last state is all that it gets
  soft,  ///< the context is the mean of the memory under the weights (Bahdanau et al. 2015)
  hard   ///< the context is one position, sampled with the weights as probabilities (Xu et al. 2015,
         ///< section 4.1)
};

/// When the decoder looks at the memory in a step.
enum class AttentionOrder {
  context_first,  ///< with the last state s_(t-1); the context c_t enters the recurrence (Bahdanau et al.
                  ///< 2015)
  state_first     ///< with the new state s_t; the context meets it after the recurrence (Luong et al. 2015)
};

/// The attention of a recurrent decoder.
struct RecurrentAttention {
  RecurrentAttentionKind kind = RecurrentAttentionKind::soft;
  nn::ScoreKind score = nn::ScoreKind::additive;
  nn::MakeScore own_score = {};  ///< not empty: makes the score, instead of `score`
  Normaliser normaliser = Normaliser::softmax;
  nn::AttentionWindow window = nn::AttentionWindow::global;
  Index radius = 5;  ///< D of the local windows
  AttentionOrder order = AttentionOrder::context_first;
  bool input_feeding = false;  ///< the last output enters the next step (Luong et al. 2015, section 3.3)
  bool fixed_context = false;  ///< kind none: the encoder's last state enters every step (Cho et al. 2014)
  Index width = 0;             ///< of the additive score; 0: d_model
  HardAttention::Settings hard = {};
  /// Kind soft, window global: lambda of the doubly stochastic term
  /// (transformer/recurrent/attention_terms.h).
  double doubly_stochastic = 0;
  Index positions = 257;  ///< score location: tokens of the longest source, with </s>

  /// True if the context is part of the cell's input.
  bool context_enters_cell() const {
    return kind == RecurrentAttentionKind::none ? fixed_context : order == AttentionOrder::context_first;
  }
};

/// The shape of a recurrent encoder and decoder.
struct RecurrentConfig {
  Index d_model = 256;  ///< width of the embeddings and of the decoder's state
  nn::Cell cell = nn::Cell::gru;
  Index encoder_layers = 1;
  Index decoder_layers = 1;
  bool bidirectional = true;
  /// Width of the encoder's state in each direction; 0: d_model divided by the number of directions.
  Index encoder_width = 0;
  bool reverse_source = false;  ///< read the source from its end (Sutskever et al. 2014, section 3.3)
  RecurrentAttention attention = {};
  double embedding_dropout = 0.1;
  double dropout = 0.1;  ///< between layers, and on the output

  Index directions() const { return bidirectional ? 2 : 1; }  ///< of the encoder
  /// The width of the encoder's state in one direction.
  Index width_per_direction() const { return encoder_width > 0 ? encoder_width : d_model / directions(); }
};

/// The shapes of the papers, at the width of the default settings: `cho2014` (no attention, the source's last
/// state in every step), `sutskever2014` (no attention, LSTM, reversed source), `bahdanau2015` (the default
/// settings), `luong2015` (LSTM, general score, input feeding) or `xu2015` (LSTM; its encoder reads images).
/// Throws Error for any other name, listing the known.
RecurrentConfig recurrent_preset(const std::string& name);

/// Throws Error that names the settings that do not go together, and the reason.
void check(const RecurrentConfig& config);

}}}  // namespace regard::REGARD_PRECISION::transformer
