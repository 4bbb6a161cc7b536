// A training that cannot continue keeps its best weights; trainings that begin with given weights or freeze
// some of them.
#include <algorithm>

#include "apps/translation/model/weights.h"
#include "autograd/machine/error.h"
#include "nn/safetensors.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"
#include "tests/file_size_limit.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::to_index;

namespace {

/// Records the first saved weights, and then limits the size of files.
class FullDisk : public TrainingObserver {
 public:
  explicit FullDisk(const ModelDirectory& directory) : directory_(directory) {}
  void on_step(const StepReport&) override {}
  void on_validation(const ValidationReport&) override {
    weights = content(directory_.weights());
    limit_.emplace(1000);
  }
  std::string weights;

 private:
  const ModelDirectory& directory_;
  std::optional<FileSizeLimit> limit_;
};

}  // namespace

TEST_CASE("if a state cannot be written, the best weights remain", "[trainer]") {
  SmallTraining training;
  training.settings.training.epochs = 10;
  const auto steps = to_index(
      plan_epoch(pair_lengths(training.data.training), training.settings.training.batch_tokens, 1, 1).size());
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  std::string first, message;
  {
    FullDisk observer(directory);
    Training run = start(training, directory);
    message = MESSAGE_OF(run_training(run, observer));
    first = observer.weights;
  }
  CHECK(message == "cannot write " + directory.states.file(steps) + ": File too large");
  CHECK(first.size() > 1000);
  CHECK(content(directory.weights()) == first);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path()))
    CHECK_FALSE(contains(entry.path().filename().string(), ".regard-tmp-"));
  CHECK(TranslationModel::load(directory.path()).settings.training.epochs == 10);
}

TEST_CASE("content() recognises the content of a directory", "[trainer]") {
  using Content = ModelDirectory::Content;
  const SmallTraining training;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "a/b/model");
  CHECK(directory.content() == Content::nothing);
  start(training, directory);
  CHECK(directory.content() == Content::training);
  CHECK_ERROR(TranslationModel::load(directory.path()), "weights.safetensors is missing");
  std::filesystem::remove(directory.config());  // as after a kill before it was written
  CHECK(directory.content() == Content::nothing);
  start(training, directory);
  std::filesystem::remove(directory.states.file(0));
  CHECK(directory.content() == Content::model);
  regard::transformer::EncoderDecoder model = training.model();
  regard::nn::save_safetensors(directory.weights(), model.parameters());
  CHECK(directory.content() == Content::model);
  TranslationModel::load(directory.path());
}

TEST_CASE("weights that are not finite are found", "[trainer]") {
  const SmallTraining training;
  regard::transformer::EncoderDecoder model = training.model();
  CHECK(all_finite(model));
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const regard::Tensor last = model.parameters().back().tensor;
    const float before = last.values().back();
    last.values().back() = value;
    CHECK_FALSE(all_finite(model));
    last.values().back() = before;
  }
}

TEST_CASE("a training whose attention computes NaN says at which step, and what to do", "[trainer]") {
  for (const auto normaliser : {regard::Normaliser::sparsemax, regard::Normaliser::relu}) {
    SmallTraining training;
    training.settings.model.config.multi_head.normaliser = normaliser;
    training.settings.training.learning_rate = 1e30;
    const TemporaryDirectory temporary;
    const std::string message = MESSAGE_OF(train(training, ModelDirectory(temporary / "model")));
    CHECK_CONTAINS(message, "step 2: ");
    CHECK_CONTAINS(message, "is not finite; set a lower learning_rate");
  }
}

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
