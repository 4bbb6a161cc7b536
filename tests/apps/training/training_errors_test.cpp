// A training that cannot continue keeps its best weights.
#include "apps/translation/model/weights.h"
#include "autograd/error.h"
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
      plan_epoch(pair_lengths(training.data.training), training.settings.training.batch, 1, 1).size());
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  std::string first, message;
  {
    FullDisk observer(directory);
    Training run = start(training, directory);
    message = MESSAGE_OF(run.run(observer));
    first = observer.weights;
  }
  CHECK(message == "cannot write " + directory.state(steps) + ": File too large");
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
  std::filesystem::remove(directory.state(0));
  CHECK(directory.content() == Content::model);
  regard::transformer::EncoderDecoder model = training.model();
  directory.save_weights(model, {});
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
