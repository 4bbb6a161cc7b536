#include "apps/translation/settings/doors.h"
#include "transformer/ssru/ssru_decoder.h"

namespace regard::translation {

void open_ssru_settings(Doors& doors) {
  doors.decoders.push_back(
      {.name = "ssru",
       .transformer = true,
       .make = [](const ModelSettings& model, const nn::Embedding& embedding, const transformer::Encoder&,
                  Random& random) -> std::unique_ptr<transformer::Decoder> {
         return std::make_unique<transformer::SsruDecoder>(model.config, embedding, random);
       }});
}

}  // namespace regard::translation
