#include "apps/translation/model/make_model.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "apps/translation/settings/architecture.h"
#include "autograd/machine/error.h"

namespace regard::translation {

MakeModel maker_of(const ModelSettings& settings, const MakeModel& own, const std::string& place) {
  if (settings.own.empty()) return make_model;
  if (!own)
    fail(
        "{}: the model is \"{}\" (model.own), which this program cannot make; give the same command to the "
        "program that can (apps/examples/README.md says how to write one)",
        place, settings.own);
  return own;
}

transformer::EncoderDecoder make_model(const Settings& settings, const Vocabularies& vocabularies,
                                       Random random) {
  check(settings.model);
  transformer::Config config = settings.model.config;
  config.source_vocabulary = settings.model.reads_files() ? 0 : vocabularies.source.size();
  config.target_vocabulary = vocabularies.target.size();
  const transformer::Embeddings embeddings = make_embeddings(config.embeddings(), random);
  if (settings.model.first_predicted > 0)
    std::fill_n(embeddings.generator.bias.data(), settings.model.first_predicted,
                transformer::never_predicted);
  auto encoder = encoder_of(settings.model).make(settings.model, embeddings.source, random);
  auto decoder = decoder_of(settings.model).make(settings.model, embeddings.target, *encoder, random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}  // namespace regard::translation
