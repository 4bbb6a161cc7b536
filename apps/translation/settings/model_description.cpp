// The description of the settings of a model, and of what reads each of them.
#include <iterator>

#include "apps/translation/settings/settings_description.h"

namespace regard::translation {
namespace {

/// Most positions with parameters of their own.
constexpr Index most_positions = 1'000'000;

// What reads a setting of the model.

const Need transformer_parts{{{"model.encoder", "transformer patches"}}, {{"model.decoder", "transformer"}}};
const Need layered{{{"model.encoder", "transformer recurrent text_convolutional patches"}}};
const Need of_tokens{{{"model.encoder", "transformer text_convolutional"}},
                     {{"model.decoder", "transformer"}}};
const Need text_convolutional{{{"model.encoder", "text_convolutional"}}};
const Need recurrent_parts{{{"model.encoder", "recurrent"}}, {{"model.decoder", "recurrent"}}};
const Need recurrent_encoder{{{"model.encoder", "recurrent"}}};
const Need recurrent_decoder{{{"model.decoder", "recurrent"}}};
const Need convolutional{{{"model.encoder", "convolutional"}}};
const Need patches{{{"model.encoder", "patches"}}};

/// An encoder or a decoder that reads tokens and their positions, with such positions.
Need with_positions(std::string_view kinds) {
  return {{{"model.positions.kind", kinds}, {"model.encoder", "transformer text_convolutional"}},
          {{"model.positions.kind", kinds}, {"model.decoder", "transformer"}}};
}

/// A recurrent decoder that looks at the memory, with such a value of a further setting.
Need looking(const std::vector<Condition>& further = {}, std::string_view kinds = "soft hard") {
  Need need{{{"model.decoder", "recurrent"}, {"model.attention.kind", kinds}}};
  need.front().insert(need.front().end(), further.begin(), further.end());
  return need;
}

const Choices<Normaliser> normalisers{{"softmax", Normaliser::softmax},
                                      {"sparsemax", Normaliser::sparsemax},
                                      {"relu", Normaliser::relu},
                                      {"sigmoid", Normaliser::sigmoid}};
constexpr const char* about_normalisers =
    "How scores become weights. sparsemax: Martins and Astudillo 2016. relu: max(0, score), divided by the "
    "sum. sigmoid: of score - log n for n keys (Ramapuram et al. 2024); the sum is not 1.";

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

void describe_images(const Section& model, transformer::ImageConfig& image) {
  const Section table = model.section("image", "Encoders of images.", {.need = convolutional});
  const Section with_decoder = table.with({.need = recurrent_decoder});
  table.add("channels", image.channels, whole_numbers(transformer::most_layers, 1, widest),
            "convolutional: channels of each layer. There are as many layers as numbers.");
  table.add("strides", image.strides,
            whole_numbers(transformer::most_layers, 1, transformer::greatest_window),
            "convolutional: pixels by which the window of each layer moves. Height and width of an image are "
            "multiples of their product.",
            {.identity = Identity::always});
  table.add("window", image.window, whole(1, transformer::greatest_window),
            "convolutional: height and width of the window; odd.");
  table.add("patch_size", image.patch_size, whole(1, 4096),
            "patches: height and width of a patch (Dosovitskiy et al. 2021). Those of an image are multiples "
            "of it.",
            {.need = patches});
}

}  // namespace

void describe_model(const Section& all, ModelSettings& model) {
  const Section table = all.section("model", "The shape of the model.", {.inheritance = Inheritance::equal});
  const Section transformer = table.with({.need = transformer_parts});
  transformer::Config& config = model.config;
  table.add(
      "encoder", model.encoder,
      {{"transformer", EncoderKind::transformer},
       {"recurrent", EncoderKind::recurrent},
       {"text_convolutional", EncoderKind::text_convolutional},
       {"convolutional", EncoderKind::convolutional},
       {"patches", EncoderKind::patches}},
      "Kind of the encoder. Every encoder goes with every decoder. text_convolutional: convolutions over "
      "the tokens (Gehring et al. 2017). The source of convolutional (a convolutional network) and "
      "patches (Dosovitskiy et al. 2021) is an image.");
  table.add("decoder", model.decoder,
            {{"transformer", DecoderKind::transformer}, {"recurrent", DecoderKind::recurrent}},
            "Kind of the decoder.");
  table.add("d_model", config.d_model, size_from(1), "Width of the model.");
  transformer.add("heads", config.heads, size_from(1),
                  "Transformer: attention heads; d_model must be a multiple of their number.",
                  {.identity = Identity::always});
  transformer.add("d_ff", config.d_ff, size_from(1),
                  "Transformer: inner width of the feed-forward networks.");
  table.add("encoder_layers", config.encoder_layers, whole(1, 1000), "Layers of the encoder.",
            {.need = layered});
  table.add("decoder_layers", config.decoder_layers, whole(1, 1000), "Layers of the decoder.");
  table.add("text_window", model.text_window, whole(1, transformer::greatest_window),
            "text_convolutional: tokens under the window of each layer; odd.", {.need = text_convolutional});
  transformer.add(
      "activation", config.activation,
      {{"relu", nn::Activation::relu}, {"gelu", nn::Activation::gelu}, {"silu", nn::Activation::silu}},
      "Transformer: activation of the feed-forward networks: max(0, x), x Phi(x) (Hendrycks and "
      "Gimpel 2016), or x / (1 + e^-x), which is also called swish (Ramachandran et al. 2017).",
      {.identity = Identity::if_changed});
  transformer.add(
      "norm", config.norm,
      {{"post", transformer::Norm::post}, {"pre", transformer::Norm::pre}, {"none", transformer::Norm::none}},
      "Transformer. post: LayerNorm after each residual sum (Vaswani et al. 2017). pre: before "
      "each sublayer. none: nowhere.",
      {.identity = Identity::always});
  transformer.add("residual", config.residual, flag(),
                  "Transformer: the input of a sublayer is added to its output.",
                  {.identity = Identity::if_changed});
  transformer.add("scaled_embedding", config.scaled_embedding, flag(),
                  "Transformer: embeddings are multiplied by the root of d_model.",
                  {.identity = Identity::if_changed});
  transformer.add("final_norm", config.final_norm, or_null(flag()),
                  "Transformer: one more LayerNorm after the last layer of encoder and decoder; null: only "
                  "with norm \"pre\".");
  table.add("shared_embeddings", config.shared_embeddings,
            {{"none", transformer::SharedEmbeddings::none},
             {"target_output", transformer::SharedEmbeddings::target_output},
             {"all", transformer::SharedEmbeddings::all}},
            "target_output: the target embedding and the output projection are one matrix. all: the source "
            "embedding too. none: three matrices.");
  table.add("generator_bias", config.generator_bias, flag(), "The output projection has a bias.");
  table.add(
      "first_predicted", model.first_predicted, whole(0, 2),
      "The softmax of the output leaves out the tokens with lower ids, which never come next. 1: <pad>. 2: "
      "<pad> and <s>. Models of other programs have no rows for them (regard import). With generator_bias.",
      {.identity = Identity::if_changed});
  const Section dropout =
      table.section("dropout", "Probability of dropping a value. One number sets all four.",
                    {.inheritance = Inheritance::free}, true);
  const Kind probability = from_to_below(0, 1);
  dropout.add("embedding", config.dropout.embedding, probability,
              "For the sum of embedding and position; in a recurrent model for the embedding.");
  dropout.add("sublayer", config.dropout.sublayer, probability,
              "For a sublayer's output, before the residual sum; in a recurrent model between layers and on "
              "the decoder's output; in text_convolutional before each convolution.");
  dropout.add("attention", config.dropout.attention, probability, "Transformer: for the attention weights.",
              {.need = transformer_parts});
  dropout.add("feed_forward", config.dropout.feed_forward, probability,
              "Transformer: for the inner values of the feed-forward networks.", {.need = transformer_parts});
  Need sinusoids = with_positions("sinusoidal rotary");
  sinusoids.push_back({{"model.encoder", "convolutional patches"}});  // they encode the place of a pixel
  const Section positions =
      table.section("positions", "Transformer and text_convolutional: how tokens learn their positions.",
                    {.need = of_tokens});
  positions.add("kind", config.positions.kind,
                {{"sinusoidal", nn::PositionKind::sinusoidal},
                 {"learned", nn::PositionKind::learned},
                 {"none", nn::PositionKind::none},
                 {"relative", nn::PositionKind::relative},
                 {"rotary", nn::PositionKind::rotary},
                 {"alibi", nn::PositionKind::alibi}},
                "sinusoidal: Vaswani et al. 2017, section 3.5. learned: a vector for each position. none: no "
                "positions. The others are in the self-attentions. relative: Shaw et al. 2018, on the keys. "
                "rotary: Su et al. 2021. alibi: Press et al. 2022.",
                {.identity = Identity::if_changed});
  positions.add("use", config.positions.use,
                {{"added", nn::PositionUse::added}, {"concatenated", nn::PositionUse::concatenated}},
                "added: to the embedding. concatenated: to it, and a linear map restores the width.",
                {.need = with_positions("sinusoidal learned")});
  positions.add("base", config.positions.base, above(1),
                "sinusoidal, rotary: the longest wavelength is near 2 pi base.",
                {.need = sinusoids, .identity = Identity::if_changed});
  positions.add("layout", config.positions.layout,
                {{"interleaved", nn::SinusoidLayout::interleaved},
                 {"halves", nn::SinusoidLayout::halves},
                 {"marian", nn::SinusoidLayout::marian}},
                "sinusoidal: interleaved: sine and cosine side by side (Vaswani et al. 2017). halves: all "
                "sines, then all cosines (Hugging Face's MarianMT). marian: as halves, with Marian's "
                "wavelengths.",
                {.need = with_positions("sinusoidal"), .identity = Identity::if_changed});
  positions.add("most", config.positions.most, whole(1, most_positions),
                "learned: number of positions, on the source side and on the target side.",
                {.need = with_positions("learned")});
  positions.add("radius", config.positions.radius, whole(1, most_positions),
                "relative: the greatest distance that has a parameter of its own.",
                {.need = with_positions("relative")});
  positions.add("sides", config.position_sides,
                {{"both", transformer::PositionSides::both},
                 {"encoder", transformer::PositionSides::encoder},
                 {"decoder", transformer::PositionSides::decoder}},
                "The side whose tokens get these positions; the other side has none.",
                {.need = Need{{{"model.encoder", "transformer"}, {"model.decoder", "transformer"}}},
                 .identity = Identity::if_changed});
  const Section multi_head =
      table.section("multi_head", "Transformer: every attention.", {.need = transformer_parts});
  multi_head.add("scaled", config.multi_head.scaled, flag(),
                 "Scores are divided by sqrt(d_k) (Vaswani et al. 2017, section 3.2.1).",
                 {.identity = Identity::if_changed});
  multi_head.add("normaliser", config.multi_head.normaliser, normalisers, about_normalisers,
                 {.identity = Identity::if_changed});
  multi_head.add("shared_key_value", config.multi_head.shared_key_value, flag(),
                 "The values are the keys: one projection less.");
  describe_recurrent(table, model.recurrent);
  describe_images(table, model.image);
  table.add(
      "own", model.own, text("a name, or \"\" for none"),
      "The name of a model that another program makes (apps/examples/README.md). It has the commands of "
      "regard for this model; regard itself refuses to train and to load it.",
      {.identity = Identity::if_changed});
  table.add("preset", model.preset, one_of({std::begin(preset_names), std::end(preset_names)}),
            "Gives the values of the model settings that are not set.", {.inheritance = Inheritance::free});
}

}  // namespace regard::translation
