#pragma once

#include <string>

#include "transformer/images/image_config.h"
#include "transformer/recurrent/recurrent_config.h"
#include "transformer/self_attention/transformer_config.h"

namespace regard::translation {

/// The kinds of encoders and decoders that make_model (model/make_model.h) knows. Every encoder goes with
/// every decoder.
enum class EncoderKind { transformer, recurrent, convolutional, patches };
enum class DecoderKind { transformer, recurrent };

struct ModelSettings {
  std::string preset = "tiny";
  EncoderKind encoder = EncoderKind::transformer;
  DecoderKind decoder = DecoderKind::transformer;
  transformer::Config config = transformer::preset("tiny");  ///< the vocabulary sizes are not settings
  /// Of the recurrent parts. Width, numbers of layers and dropouts are those of `config` (recurrent_config).
  transformer::RecurrentConfig recurrent = {};
  transformer::ImageConfig image = {};  ///< of the encoders of images

  bool is_recurrent() const { return encoder == EncoderKind::recurrent || decoder == DecoderKind::recurrent; }
  bool has_transformer() const {
    return encoder == EncoderKind::transformer || encoder == EncoderKind::patches ||
           decoder == DecoderKind::transformer;
  }
  /// True if the sources are images (transformer/images/image.h) and not sentences.
  bool reads_images() const {
    return encoder == EncoderKind::convolutional || encoder == EncoderKind::patches;
  }
};

/// The names of all presets.
inline constexpr const char* preset_names[]{"base",         "tiny",      "toy",    "cho2014", "sutskever2014",
                                            "bahdanau2015", "luong2015", "xu2015", "vit"};

/// The settings of a preset. Throws Error for any other name.
ModelSettings model_preset(const std::string& name);

/// The whole shape of the recurrent parts.
transformer::RecurrentConfig recurrent_config(const ModelSettings& model);

/// Throws Error if the settings of the model contradict each other. The sizes of the vocabularies do not
/// matter.
void check(const ModelSettings& model);

}  // namespace regard::translation
