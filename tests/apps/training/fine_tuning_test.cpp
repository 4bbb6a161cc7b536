// Trainings that begin with given weights or freeze some of them.
#include <algorithm>

#include "nn/safetensors.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;

TEST_CASE("a training can begin with the weights of another", "[trainer]") {
  const SmallTraining training;
  const TemporaryDirectory temporary;
  const ModelDirectory one(temporary / "one"), other(temporary / "other");
  train(training, one);
  // A file with the seed's own initial weights changes nothing; other weights change the result.
  regard::nn::save_safetensors(temporary / "first.safetensors", training.model().parameters());
  SmallTraining second = training;
  second.settings.training.initial_weights = temporary / "first.safetensors";
  train(second, other);
  CHECK(content(other.weights()) == content(one.weights()));
  second.settings.training.initial_weights = one.path();
  train(second, ModelDirectory(temporary / "third"));
  CHECK(content(temporary / "third/weights.safetensors") != content(one.weights()));
}

TEST_CASE("initial weights that are not finite are refused before a file is written", "[trainer]") {
  SmallTraining training;
  const TemporaryDirectory temporary;
  regard::transformer::EncoderDecoder model = training.model();
  model.parameters().front().tensor.values()[3] = std::numeric_limits<regard::Real>::infinity();
  training.settings.training.initial_weights = temporary / "infinite.safetensors";
  regard::nn::save_safetensors(training.settings.training.initial_weights, model.parameters());
  const ModelDirectory directory(temporary / "model");
  CHECK_ERROR(start(training, directory),
              temporary / "infinite.safetensors contains a value that is not finite");
  CHECK_FALSE(std::filesystem::exists(directory.path()));
}

TEST_CASE("frozen parameters do not change, the others learn", "[trainer]") {
  SmallTraining training;
  training.settings.training.freeze = {"encoder", "decoder.layers.0.norm1.weight"};
  training.settings.training.average_decay = 0.5;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model"), other(temporary / "other");
  train(training, directory);
  const auto after = regard::nn::load_safetensors(directory.weights());
  for (const auto& [name, tensor] : training.model().parameters()) {
    CAPTURE(name);
    const bool frozen = name.starts_with("encoder.") || name == "decoder.layers.0.norm1.weight";
    CHECK(std::ranges::equal(after.at(name).values(), tensor.values()) == frozen);
  }
  training.settings.training.freeze = {"encode"};
  CHECK_ERROR(start(training, other),
              "training.freeze: there is no parameter \"encode\", and no name of a parameter begins with "
              "\"encode.\";");
  training.settings.training.freeze = {"src_embed", "encoder", "decoder"};
  CHECK_ERROR(start(training, other), "training.freeze freezes all parameters, so there is nothing to train");
}
