// The encoder of text by convolutions (Gehring et al. 2017): its kind and its settings.
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"
#include "transformer/convolution/text_encoder.h"

namespace regard::translation {

namespace {

constexpr const char* name = "text_convolutional";
constexpr Index greatest_window = 15;

struct TextConvolution {
  Index window = 3;  ///< tokens under the window of each layer
};

void describe(const Section& table, TextConvolution& settings) {
  table.add("text_window", settings.window, whole(1, greatest_window),
            "text_convolutional: tokens under the window of each layer; odd.",
            {.need = Need{{{"model.encoder", name}}}});
}

void check_window(const ModelSettings& model) {
  if (const Index window = model.parts.of<TextConvolution>().window; window % 2 == 0)
    fail("model.text_window is {}; a window needs an odd number of tokens, with one in its middle", window);
}

std::unique_ptr<transformer::Encoder> make_encoder(const ModelSettings& model, const nn::Embedding& embedding,
                                                   Random& random) {
  return std::make_unique<transformer::TextConvolutionalEncoder>(
      transformer::TextConvolutionalEncoder::Settings{
          .layers = model.config.encoder_layers,
          .window = model.parts.of<TextConvolution>().window,
          .positions = model.config.positions_of(transformer::PositionSides::encoder),
          .embedding_dropout = model.config.dropout.embedding,
          .dropout = model.config.dropout.sublayer},
      embedding, random);
}

}  // namespace

void open_convolution_settings(Doors& doors) {
  doors.encoders.push_back({.name = name,
                            .about = "convolutions over the tokens (Gehring et al. 2017).",
                            .positions = true,
                            .make = make_encoder,
                            .check = check_window});
  doors.settings.push_back(settings_door("model", describe));
}

}  // namespace regard::translation
