#include <algorithm>

#include "apps/translation/files/choices.h"
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/machine/error.h"

namespace regard::translation {

bool ModelSettings::has_transformer() const {
  return encoder_of(*this).transformer || decoder_of(*this).transformer;
}

bool ModelSettings::reads_files() const { return encoder_of(*this).reads_files(); }

std::shared_ptr<const SourceFiles> Settings::source_files() const {
  const EncoderKind& encoder = encoder_of(model);
  return encoder.reads_files() ? encoder.files(*this) : nullptr;
}

bool ModelSettings::learns_source_positions() const {
  return encoder_of(*this).positions &&
         config.positions_of(transformer::PositionSides::encoder).kind == nn::PositionKind::learned;
}

bool ModelSettings::learns_target_positions() const {
  return decoder_of(*this).transformer &&
         config.positions_of(transformer::PositionSides::decoder).kind == nn::PositionKind::learned;
}

SentenceLimits ModelSettings::longest_sentences() const {
  SentenceLimits longest;
  if (learns_source_positions()) longest.source = config.positions.most - 1;  // </s> has a position too
  if (learns_target_positions()) longest.target = config.positions.most - 1;
  const DecoderKind& kind = decoder_of(*this);
  if (const auto known = kind.source_positions ? kind.source_positions(*this) : std::nullopt)
    longest.source = std::min(longest.source, known->most - 1);
  return longest;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : doors().presets) names.push_back(preset.name);
  return names;
}

ModelSettings model_preset(const std::string& name) {
  for (const Preset& preset : doors().presets)
    if (preset.name == name) return preset.make(name);
  fail("model.preset \"{}\": there is no such preset; give {}{}", name, in_quotes(preset_names()),
       about_not_built());
}

void check(const ModelSettings& model) {
  const EncoderKind& encoder = encoder_of(model);
  const DecoderKind& decoder = decoder_of(model);
  if (encoder.check) encoder.check(model);
  if (encoder.positions && !model.has_transformer() &&
      nn::place_of(model.config.positions.kind) == nn::PositionPlace::attention)
    fail(
        "these model.positions.kind act in a Transformer's self-attention, and the model has none; choose "
        "\"sinusoidal\", \"learned\" or \"none\"");
  if (model.first_predicted > 0 && !model.config.generator_bias)
    fail(
        "model.first_predicted is {}, but only a bias of the output projection can exclude tokens: set "
        "model.generator_bias to true; a model that was trained without that bias has to be trained again",
        model.first_predicted);
  if (decoder.check) decoder.check(model);
  transformer::Config config = model.config;
  config.source_vocabulary = config.target_vocabulary = special::count + 1;  // any size is good enough
  if (!model.has_transformer()) config.heads = 1;                            // nobody uses them
  check(config);
}

}  // namespace regard::translation
