// A training that cannot go on leaves the best weights that it had.
#include "tests/apps/file_size_limit.h"
#include "tests/apps/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;

namespace {

/// Remembers the weights that were saved first, and then lets no file grow beyond some bytes.
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

TEST_CASE("better weights that find no room leave the good ones", "[trainer]") {
  SmallTraining training;
  training.settings.training.epochs = 10;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  directory.create(training.settings, training.data.vocabularies, ModelDirectory::IfPresent::refuse);
  std::string first, message;
  {
    FullDisk observer(directory);
    Trainer trainer(training.settings, training.data, directory);
    message = MESSAGE_OF(trainer.run(observer));
    first = observer.weights;
  }
  CHECK(message == "cannot write " + directory.weights() + ": File too large");
  CHECK(first.size() > 1000);
  CHECK(content(directory.weights()) == first);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory.path())) ++files;
  CHECK(files == 4);  // configuration, vocabulary, metrics, weights
  CHECK(TranslationModel::load(directory.path()).settings.training.epochs == 10);
}

TEST_CASE("a model directory is created for one model only", "[trainer]") {
  const SmallTraining training;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "a/b/model");
  const auto create = [&](ModelDirectory::IfPresent if_present) {
    directory.create(training.settings, training.data.vocabularies, if_present);
  };
  create(ModelDirectory::IfPresent::refuse);
  CHECK_ERROR(create(ModelDirectory::IfPresent::refuse), directory.path() + " holds a model already");
  const auto model = training.model();
  directory.save_weights(*model);
  TranslationModel::load(directory.path());
  create(ModelDirectory::IfPresent::replace);
  CHECK_ERROR(TranslationModel::load(directory.path()), "weights.safetensors is missing");
}

TEST_CASE("weights that are no numbers are found", "[trainer]") {
  const SmallTraining training;
  const auto model = training.model();
  CHECK(all_finite(*model));
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const regard::Tensor last = model->parameters().back().tensor;
    const float before = last.values().back();
    last.values().back() = value;
    CHECK_FALSE(all_finite(*model));
    last.values().back() = before;
  }
}
