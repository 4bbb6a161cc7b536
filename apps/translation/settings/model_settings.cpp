#include "apps/translation/settings/model_settings.h"

#include <algorithm>

#include "apps/translation/text/vocabulary.h"

namespace regard::translation {

ModelSettings model_preset(const std::string& name) {
  constexpr const char* transformers[]{"base", "tiny", "toy"};
  if (std::ranges::find(transformers, name) != std::end(transformers))
    return {.preset = name, .config = transformer::preset(name)};
  const transformer::RecurrentConfig recurrent = transformer::recurrent_preset(name);
  ModelSettings model{.preset = name,
                      .encoder = EncoderKind::recurrent,
                      .decoder = DecoderKind::recurrent,
                      .config = transformer::preset("tiny"),
                      .recurrent = recurrent};
  model.config.d_model = recurrent.d_model;
  model.config.encoder_layers = recurrent.encoder_layers;
  model.config.decoder_layers = recurrent.decoder_layers;
  model.config.dropout = {.embedding = recurrent.embedding_dropout, .sublayer = recurrent.dropout};
  return model;
}

transformer::RecurrentConfig recurrent_config(const ModelSettings& model) {
  transformer::RecurrentConfig config = model.recurrent;
  config.d_model = model.config.d_model;
  config.encoder_layers = model.config.encoder_layers;
  config.decoder_layers = model.config.decoder_layers;
  config.embedding_dropout = model.config.dropout.embedding;
  config.dropout = model.config.dropout.sublayer;
  // The decoder's first state comes from the backward direction of a bidirectional encoder. A Transformer has
  // none.
  if (model.encoder == EncoderKind::transformer) {
    config.bidirectional = false;
    config.encoder_width = 0;
  }
  return config;
}

void check(const ModelSettings& model) {
  if (model.is_recurrent()) check(recurrent_config(model));
  transformer::Config config = model.config;
  config.source_vocabulary = config.target_vocabulary = special::count + 1;  // any size is good enough
  if (!model.has_transformer()) config.heads = 1;                            // nobody uses them
  check(config);
}

}  // namespace regard::translation
