#include "apps/translation/settings/architecture.h"

#include "apps/translation/files/utf8.h"
#include "apps/translation/settings/doors.h"
#include "autograd/machine/error.h"
#include "transformer/self_attention/transformer.h"

namespace regard::translation {

const EncoderKind& encoder_of(const ModelSettings& model) {
  return kind_of(doors().encoders, "model.encoder", model.encoder);
}

const DecoderKind& decoder_of(const ModelSettings& model) {
  return kind_of(doors().decoders, "model.decoder", model.decoder);
}

namespace {

template <class Kind>
std::string names_where(const std::vector<Kind>& kinds, const std::function<bool(const Kind& kind)>& which) {
  std::string names;
  for (const Kind& kind : kinds)
    if (which(kind)) names += (names.empty() ? "" : " ") + kind.name;
  return names;
}

}  // namespace

std::string encoders_where(const std::function<bool(const EncoderKind& kind)>& which) {
  return names_where(doors().encoders, which);
}

std::string decoders_where(const std::function<bool(const DecoderKind& kind)>& which) {
  return names_where(doors().decoders, which);
}

void check_no_file(const std::string& text, const std::string& place) {
  for (const EncoderKind& kind : doors().encoders)
    if (kind.names_file && kind.names_file(text))
      fail("{} is the {} {}, but this model reads text; use a model that reads {}s (model.encoder {})", place,
           kind.words->name, printable(text, 1000), kind.words->name, kind.words->encoders);
}

EncoderKind transformer_encoder() {
  return {.name = "transformer",
          .transformer = true,
          .positions = true,
          .make = [](const ModelSettings& model, const nn::Embedding& embedding,
                     Random& random) -> std::unique_ptr<transformer::Encoder> {
            return std::make_unique<transformer::TransformerEncoder>(model.config, embedding, random);
          }};
}

DecoderKind transformer_decoder() {
  return {.name = "transformer",
          .transformer = true,
          .make = [](const ModelSettings& model, const nn::Embedding& embedding, const transformer::Encoder&,
                     Random& random) -> std::unique_ptr<transformer::Decoder> {
            return std::make_unique<transformer::TransformerDecoder>(model.config, embedding, random);
          }};
}

std::vector<Preset> transformer_presets() {
  const auto make = [](const std::string& name) {
    return ModelSettings{.preset = name, .config = transformer::preset(name)};
  };
  return {{"base", make}, {"tiny", make}, {"toy", make}};
}

}  // namespace regard::translation
