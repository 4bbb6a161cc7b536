#include "apps/translation/model/weights.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"
#include "transformer/recurrent/recurrent_config.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;

TEST_CASE("a recurrent training with hard attention is resumed to the same bits", "[resume]") {
  SmallTraining training = eventful_training();
  training.settings.model = model_preset("bahdanau2015");
  training.settings.model.config.d_model = 16;
  training.settings.model.parts.of<regard::transformer::RecurrentConfig>().attention.kind =
      regard::transformer::RecurrentAttentionKind::hard;
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed");
  train(training, undisturbed);
  for (const Index stop : {5, 14}) {
    const ModelDirectory directory(temporary / std::to_string(stop));
    train(training, directory, stop);
    CHECK(train(training, directory) == stop);
    CHECK(results(directory) == results(undisturbed));
    CHECK(newest_state(directory) == newest_state(undisturbed));
  }
}

TEST_CASE("weights that were trained with another score of the attention are refused", "[weights]") {
  const SmallTraining training;
  const TemporaryDirectory directory;
  regard::transformer::EncoderDecoder model = training.model();
  Settings dot = training.settings;
  dot.model.decoder = "recurrent";
  dot.model.parts.of<regard::transformer::RecurrentConfig>().attention.score = regard::nn::ScoreKind::dot;
  Settings scaled = dot;
  scaled.model.parts.of<regard::transformer::RecurrentConfig>().attention.score =
      regard::nn::ScoreKind::scaled_dot;
  regard::nn::save_safetensors(directory / "dot", model.parameters(),
                               identity_of(dot, training.data.vocabularies));
  CHECK_ERROR(load_weights(model, directory / "dot", identity_of(scaled, training.data.vocabularies)),
              "attention.score is dot instead of scaled_dot");
}
