// The settings of recurrent encoders and decoders, in the section `model`.
#include "apps/recurrent/recurrent.h"
#include "apps/translation/settings/settings_description.h"

namespace regard::translation {

namespace {

const Need recurrent_parts{{{"model.encoder", "recurrent"}}, {{"model.decoder", "recurrent"}}};
const Need recurrent_encoder{{{"model.encoder", "recurrent"}}};
const Need recurrent_decoder{{{"model.decoder", "recurrent"}}};

/// A recurrent decoder that looks at the memory, with such a value of a further setting.
Need looking(const std::vector<Condition>& further = {}, const std::string& kinds = "soft hard") {
  Need need{{{"model.decoder", "recurrent"}, {"model.attention.kind", kinds}}};
  need.front().insert(need.front().end(), further.begin(), further.end());
  return need;
}

void describe_attention(const Section& model, transformer::RecurrentAttention& attention) {
  using enum nn::ScoreKind;
  using enum nn::AttentionWindow;
  using enum transformer::AttentionOrder;
  using enum transformer::RecurrentAttentionKind;
  const Section table =
      model.section("attention", "How a recurrent decoder looks at the memory.", {.need = looking()});
  const Section with_decoder = table.with({.need = recurrent_decoder});
  with_decoder.add("kind", attention.kind, {{"none", none}, {"soft", soft}, {"hard", hard}},
                   "soft: the context is the mean of the memory under the weights (Bahdanau et al. 2015). "
                   "hard: one position, drawn in training (Xu et al. 2015). none: the decoder gets the "
                   "encoder's last state and nothing else.",
                   {.identity = Identity::always});
  table.add("score", attention.score,
            {{"dot", dot},
             {"scaled_dot", scaled_dot},
             {"general", general},
             {"additive", additive},
             {"linear_concat", linear_concat},
             {"location", location},
             {"cosine", cosine}},
            "Score of a decoder state s and a memory row h. dot: s.h. scaled_dot: s.h/sqrt(d). general: s W "
            "h. additive: v.tanh(W s + U h). linear_concat: w.[s; h]. location: W s, by position. cosine: "
            "beta cos(s, h).",
            {.identity = Identity::always});
  table.add("normaliser", attention.normaliser, normalisers, about_normalisers,
            {.identity = Identity::always});
  table.add("window", attention.window, {{"global", global}, {"local_m", local_m}, {"local_p", local_p}},
            "Positions that a step looks at (Luong et al. 2015, section 3.2). global: all. local_m: those "
            "near its own position. local_p: those near a position that it predicts.",
            {.identity = Identity::always});
  table.add("radius", attention.radius, whole(1), "D of the local windows: positions on either side.",
            {.need = looking({{"model.attention.window", "local_m local_p"}}), .identity = Identity::always});
  table.add("order", attention.order, {{"context_first", context_first}, {"state_first", state_first}},
            "context_first: look with the last state; the context enters the cell (Bahdanau et al. 2015). "
            "state_first: look with the new state (Luong et al. 2015).");
  table.add("input_feeding", attention.input_feeding, flag(),
            "The output of a step enters the next one (Luong et al. 2015, section 3.3).");
  with_decoder.add(
      "fixed_context", attention.fixed_context, flag(),
      "Kind none: the encoder's last state enters every step (Cho et al. 2014), not only the first.");
  table.add("width", attention.width, size_from(0), "Score additive: width of W s + U h; 0: d_model.",
            {.need = looking({{"model.attention.score", "additive"}})});
  table.add("positions", attention.positions, whole(1, most_positions),
            "Score location: tokens of the longest source, with </s>.",
            {.need = looking({{"model.attention.score", "location"}})});
  table.add("doubly_stochastic", attention.doubly_stochastic, at_least(0),
            "Kind soft: lambda of the term of the loss that wants each position to be looked at equally much "
            "altogether (Xu et al. 2015, section 4.2.1); 0: none.");
  const Section of_hard =
      table.section("hard", "For kind hard (Xu et al. 2015, section 4.1).", {.need = looking({}, "hard")});
  of_hard.add("expectation", attention.hard.expectation, flag(),
              "After training, take the mean under the weights instead of the likeliest position.");
  of_hard.add(
      "mean_share", attention.hard.mean_share, from_to(0, 1),
      "Share of the sentences that take the mean in training, too, because its gradient has no noise.");
  of_hard.add("mean_steps", attention.hard.mean_steps, whole(0),
              "Steps in which that share falls from 1 to mean_share, on a line.");
  of_hard.add("reward_weight", attention.hard.reward_weight, at_least(0),
              "lambda_r: weight of the gradient that REINFORCE estimates.");
  of_hard.add("entropy_weight", attention.hard.entropy_weight, at_least(0),
              "lambda_e: weight of the entropy of the weights.");
}

}  // namespace

void describe_recurrent(const Section& table, transformer::RecurrentConfig& recurrent) {
  const Section encoder = table.with({.need = recurrent_encoder});
  table.add("cell", recurrent.cell, {{"gru", nn::Cell::gru}, {"lstm", nn::Cell::lstm}},
            "Recurrent: gru (Cho et al. 2014) or lstm (Hochreiter and Schmidhuber 1997).",
            {.need = recurrent_parts});
  encoder.add("bidirectional", recurrent.bidirectional, flag(),
              "Recurrent encoder: one recurrence from each end.");
  encoder.add(
      "encoder_width", recurrent.encoder_width, size_from(0),
      "Recurrent encoder: width of the state in each direction; 0: d_model divided by the directions.");
  encoder.add("reverse_source", recurrent.reverse_source, flag(),
              "Recurrent encoder: read the source from its end (Sutskever et al. 2014, section 3.3).",
              {.identity = Identity::always});
  describe_attention(table, recurrent.attention);
}

}  // namespace regard::translation
