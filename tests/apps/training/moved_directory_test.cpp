// A training whose directory is moved away while it runs.
#include "apps/translation/files/files.h"
#include "apps/translation/training/training.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;

namespace {

/// Calls a function at the event with this number: a step, a validation, or a question whether to stop.
class AtEvent : public TrainingObserver {
 public:
  AtEvent(Index event, std::function<void()> act) : left_(event), act_(std::move(act)) {}
  void on_step(const StepReport&) override { count(); }
  void on_validation(const ValidationReport&) override { count(); }
  void count() {
    if (left_-- == 0) act_();
  }
  bool acted() const { return left_ < 0; }

 private:
  Index left_;
  std::function<void()> act_;
};

/// All files with their contents.
std::map<std::string, std::string> all_files(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    files[entry.path().string()] = entry.is_regular_file() ? content(entry.path().string()) : "";
  return files;
}

}  // namespace

TEST_CASE(
    "a training whose directory is replaced stops, changes nothing there, and resumes where it was moved",
    "[moved]") {
  const SmallTraining training = eventful_training();
  SmallTraining other = training;
  other.settings.training.seed = 2;
  other.settings.training.epochs = 4;  // so its states and checkpoints are of other steps
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed"), replacing(temporary / "replacing");
  train(training, undisturbed);
  train(other, replacing);
  bool acted = true;
  Index refusals = 0;
  for (Index event = 0; acted; event += 3) {  // 3 and the distance of validations have other multiples
    CAPTURE(event);
    const std::string path = temporary / "model", moved = temporary / "moved";
    std::filesystem::create_directory(path);
    std::map<std::string, std::string> before;
    {
      Training trainer = start(training, ModelDirectory(path));
      AtEvent observer(event, [&] {
        std::filesystem::rename(path, moved);
        std::filesystem::copy(replacing.path(), path, std::filesystem::copy_options::recursive);
        before = all_files(path);
      });
      const std::string message = MESSAGE_OF(trainer.run(observer, [&] {
        observer.count();
        return false;
      }));
      acted = observer.acted();
      if (acted) {
        ++refusals;
        CHECK_CONTAINS(message, path + " was moved, removed or replaced while a training ran");
        CHECK(all_files(path) == before);
        CHECK_ERROR(DirectoryLock(moved), "another process is training in");
      }
    }
    if (acted) {
      const ModelDirectory directory(moved);
      train(training, directory);
      CHECK(results(directory) == results(undisturbed));
      std::filesystem::remove_all(moved);
    }
    std::filesystem::remove_all(path);
  }
  CHECK(refusals > 15);
}

namespace {

/// Begins a training of six steps, and calls a function after two of them. Returns the error message.
std::string disturbed(const TemporaryDirectory& temporary, const std::function<void()>& act) {
  write_file(temporary / "text", "a b\nb c d\nc a\nd d a b\n");
  Settings settings;
  settings.data.source = settings.data.target = temporary / "text";
  settings.model.config = {.d_model = 8, .heads = 2, .d_ff = 8, .encoder_layers = 1, .decoder_layers = 1};
  settings.training.steps = 6;
  settings.checkpoints.save_every = 1;
  Training training(settings, temporary / "model");
  AtEvent observer(2, act);
  return MESSAGE_OF(training.run(observer));
}

}  // namespace

TEST_CASE("a training whose directory is removed says so", "[moved]") {
  const TemporaryDirectory temporary;
  const std::string model = temporary / "model";
  const std::string message = disturbed(temporary, [&] {
    std::filesystem::remove_all(model);
    std::filesystem::create_directories(model + "/state");
  });
  CHECK_CONTAINS(message, model + " was moved, removed or replaced");
  CHECK(std::filesystem::is_empty(model + "/state"));
}

TEST_CASE("a training whose files are removed says so, and writes no other", "[moved]") {
  const TemporaryDirectory temporary;
  const std::string model = temporary / "model";
  const std::string message = disturbed(temporary, [&] {
    for (const auto& entry : std::filesystem::directory_iterator(model))
      std::filesystem::remove_all(entry.path());  // as `rm -r` does first
  });
  CHECK_CONTAINS(message, model + "/config.json was removed while a training ran in " + model);
  CHECK(std::filesystem::is_empty(model));
}

TEST_CASE("an error names a file of a locked directory by its usual path", "[moved]") {
  const TemporaryDirectory temporary;
  const std::string model = temporary / "model";
  const std::string message = disturbed(temporary, [&] {
    std::filesystem::remove_all(model + "/state");
    temporary.file("model/state", "in the way");
  });
  CHECK(message == "cannot make the directory " + model + "/state: File exists");
}
