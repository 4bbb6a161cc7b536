#include <algorithm>

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

/// The encoder of Dosovitskiy et al. 2021 at the size of small images, with a Transformer decoder.
ModelSettings vit() {
  return {.preset = "vit",
          .encoder = EncoderKind::patches,
          .config = {.d_model = 128,
                     .heads = 4,
                     .d_ff = 256,
                     .encoder_layers = 4,
                     .decoder_layers = 2,
                     .norm = transformer::Norm::pre,
                     .activation = nn::Activation::gelu,
                     .shared_embeddings = transformer::SharedEmbeddings::target_output}};
}

}  // namespace

bool ModelSettings::learns_source_positions() const {
  return (encoder == EncoderKind::transformer || encoder == EncoderKind::text_convolutional) &&
         config.positions_of(transformer::PositionSides::encoder).kind == nn::PositionKind::learned;
}

bool ModelSettings::learns_target_positions() const {
  return decoder == DecoderKind::transformer &&
         config.positions_of(transformer::PositionSides::decoder).kind == nn::PositionKind::learned;
}

bool ModelSettings::scores_positions() const {
  return decoder == DecoderKind::recurrent &&
         recurrent.attention.kind != transformer::RecurrentAttentionKind::none &&
         recurrent.attention.score == nn::ScoreKind::location;
}

SubwordLimits ModelSettings::longest_sentences() const {
  SubwordLimits longest;
  if (learns_source_positions()) longest.source = config.positions.most - 1;  // </s> has a position too
  if (learns_target_positions()) longest.target = config.positions.most - 1;
  if (scores_positions()) longest.source = std::min(longest.source, recurrent.attention.positions - 1);
  return longest;
}

ModelSettings model_preset(const std::string& name) {
  constexpr const char* transformers[]{"base", "tiny", "toy"};
  if (std::ranges::find(transformers, name) != std::end(transformers))
    return {.preset = name, .config = transformer::preset(name)};
  if (name == "vit") return vit();
  const bool images = name == "xu2015";
  const transformer::RecurrentConfig recurrent = transformer::recurrent_preset(name);
  ModelSettings model{.preset = name,
                      .encoder = images ? EncoderKind::convolutional : EncoderKind::recurrent,
                      .decoder = DecoderKind::recurrent,
                      .config = transformer::preset("tiny"),
                      .recurrent = recurrent};
  model.config.d_model = recurrent.d_model;
  model.config.encoder_layers = recurrent.encoder_layers;
  model.config.decoder_layers = recurrent.decoder_layers;
  model.config.dropout = {.embedding = recurrent.embedding_dropout, .sublayer = recurrent.dropout};
  if (images) model.config.shared_embeddings = transformer::SharedEmbeddings::target_output;
  return model;
}

transformer::RecurrentConfig recurrent_config(const ModelSettings& model) {
  transformer::RecurrentConfig config = model.recurrent;
  config.d_model = model.config.d_model;
  config.encoder_layers = model.config.encoder_layers;
  config.decoder_layers = model.config.decoder_layers;
  config.embedding_dropout = model.config.dropout.embedding;
  config.dropout = model.config.dropout.sublayer;
  // The decoder's first state comes from the backward direction of a bidirectional encoder. Other encoders
  // have none.
  if (model.encoder != EncoderKind::recurrent) {
    config.bidirectional = false;
    config.encoder_width = 0;
  }
  return config;
}

void check(const ModelSettings& model) {
  if (model.reads_images()) {
    check(model.image);
    if (model.config.shared_embeddings == transformer::SharedEmbeddings::all)
      fail(
          "model.shared_embeddings is \"all\", but an encoder of images has no embedding to share; choose "
          "\"target_output\" or \"none\"");
  }
  if (model.encoder == EncoderKind::text_convolutional && model.text_window % 2 == 0)
    fail("model.text_window is {}; a window needs an odd number of tokens, with one in its middle",
         model.text_window);
  if (model.encoder == EncoderKind::text_convolutional && model.decoder != DecoderKind::transformer &&
      nn::place_of(model.config.positions.kind) == nn::PositionPlace::attention)
    fail(
        "these model.positions.kind act in a Transformer's self-attention, and the model has none; choose "
        "\"sinusoidal\", \"learned\" or \"none\"");
  if (model.first_predicted > 0 && !model.config.generator_bias)
    fail(
        "model.first_predicted is {}, but only a bias of the output projection can exclude tokens: set "
        "model.generator_bias to true; a model that was trained without that bias has to be trained again",
        model.first_predicted);
  if (model.is_recurrent()) check(recurrent_config(model));
  transformer::Config config = model.config;
  config.source_vocabulary = config.target_vocabulary = special::count + 1;  // any size is good enough
  if (!model.has_transformer()) config.heads = 1;                            // nobody uses them
  check(config);
}

}  // namespace regard::translation
