// The description of the settings of a model, and of what reads each of them.
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"

namespace regard::translation {
namespace {

// What reads a setting of the model.

Need transformer_parts() {
  return {{{"model.encoder", encoders_where(&EncoderKind::transformer)}},
          {{"model.decoder", decoders_where(&DecoderKind::transformer)}}};
}

/// An encoder or a decoder that reads tokens and their positions; with such positions.
Need of_tokens(const std::string& kinds = "") {
  Need need{{{"model.encoder", encoders_where(&EncoderKind::positions)}},
            {{"model.decoder", decoders_where(&DecoderKind::transformer)}}};
  if (!kinds.empty())
    for (auto& alternative : need) alternative.insert(alternative.begin(), {"model.positions.kind", kinds});
  return need;
}

}  // namespace

void describe_model(const Section& all, ModelSettings& model) {
  const Section table = all.section("model", "The shape of the model.", {.inheritance = Inheritance::equal});
  const Section transformer = table.with({.need = transformer_parts()});
  transformer::Config& config = model.config;
  std::string about_encoders = "Kind of the encoder. Every encoder goes with every decoder.";
  std::vector<std::string> encoders, decoders;
  for (const EncoderKind& kind : doors().encoders) {
    encoders.push_back(kind.name);
    if (!kind.about.empty()) about_encoders += fmt::format(" {}: {}", kind.name, kind.about);
  }
  for (const DecoderKind& kind : doors().decoders) decoders.push_back(kind.name);
  table.add("encoder", model.encoder, one_of(encoders), about_encoders);
  table.add("decoder", model.decoder, one_of(decoders), "Kind of the decoder.");
  table.add("d_model", config.d_model, size_from(1), "Width of the model.");
  transformer.add("heads", config.heads, size_from(1),
                  "Transformer: attention heads; d_model must be a multiple of their number.",
                  {.identity = Identity::always});
  transformer.add("d_ff", config.d_ff, size_from(1),
                  "Transformer: inner width of the feed-forward networks.");
  table.add("encoder_layers", config.encoder_layers, whole(1, 1000), "Layers of the encoder.",
            {.need = Need{{{"model.encoder", encoders_where(&EncoderKind::layers)}}}});
  table.add("decoder_layers", config.decoder_layers, whole(1, 1000), "Layers of the decoder.");
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
              {.need = transformer_parts()});
  dropout.add("feed_forward", config.dropout.feed_forward, probability,
              "Transformer: for the inner values of the feed-forward networks.",
              {.need = transformer_parts()});
  Need sinusoids = of_tokens("sinusoidal rotary");
  if (const std::string readers = encoders_where(&EncoderKind::reads_files); !readers.empty())
    sinusoids.push_back({{"model.encoder", readers}});  // they encode the place of a pixel
  const Section positions = table.section(
      "positions", "How the parts that read tokens learn their positions.", {.need = of_tokens()});
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
                {.need = of_tokens("sinusoidal learned")});
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
                {.need = of_tokens("sinusoidal"), .identity = Identity::if_changed});
  positions.add("most", config.positions.most, whole(1, most_positions),
                "learned: number of positions, on the source side and on the target side.",
                {.need = of_tokens("learned")});
  positions.add("radius", config.positions.radius, whole(1, most_positions),
                "relative: the greatest distance that has a parameter of its own.",
                {.need = of_tokens("relative")});
  positions.add("sides", config.position_sides,
                {{"both", transformer::PositionSides::both},
                 {"encoder", transformer::PositionSides::encoder},
                 {"decoder", transformer::PositionSides::decoder}},
                "The side whose tokens get these positions; the other side has none.",
                {.need = Need{{{"model.encoder", "transformer"},
                               {"model.decoder", decoders_where(&DecoderKind::transformer)}}},
                 .identity = Identity::if_changed});
  const Section multi_head =
      table.section("multi_head", "Transformer: every attention.", {.need = transformer_parts()});
  multi_head.add("scaled", config.multi_head.scaled, flag(),
                 "Scores are divided by sqrt(d_k) (Vaswani et al. 2017, section 3.2.1).",
                 {.identity = Identity::if_changed});
  multi_head.add("normaliser", config.multi_head.normaliser, normalisers, about_normalisers,
                 {.identity = Identity::if_changed});
  multi_head.add("shared_key_value", config.multi_head.shared_key_value, flag(),
                 "The values are the keys: one projection less.");
  model.parts.describe(table);
  table.add(
      "own", model.own, text("a name, or \"\" for none"),
      "The name of a model that another program makes (apps/examples/README.md). It has the commands of "
      "regard for this model; regard itself refuses to train and to load it.",
      {.identity = Identity::if_changed});
  table.add("preset", model.preset, one_of(preset_names()),
            "Gives the values of the model settings that are not set.", {.inheritance = Inheritance::free});
}

}  // namespace regard::translation
