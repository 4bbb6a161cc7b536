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

/// Begins a training of six steps, and calls a function at an event. Returns the error message.
std::string disturbed(const TemporaryDirectory& temporary, const std::function<void()>& act,
                      Index event = 2) {
  write_file(temporary / "text", "a b\nb c d\nc a\nd d a b\n");
  Settings settings;
  settings.data.source = settings.data.target = temporary / "text";
  settings.model.config = {.d_model = 8, .heads = 2, .d_ff = 8, .encoder_layers = 1, .decoder_layers = 1};
  settings.training.steps = 6;
  settings.checkpoints.save_every = 1;
  settings.checkpoints.keep_last = 2;
  Training training = prepare_training(settings, temporary / "model");
  AtEvent observer(event, act);
  return MESSAGE_OF(run_training(training, observer, [&] {
    observer.count();
    return false;
  }));
}

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
  for (const Index event : {0, 3, 10, 11}) {
    CAPTURE(event);
    const TemporaryDirectory temporary;
    const std::string path = temporary / "model", moved = temporary / "moved";
    std::map<std::string, std::string> before;
    const std::string message = disturbed(
        temporary,
        [&] {
          std::filesystem::rename(path, moved);
          std::filesystem::copy(moved, path, std::filesystem::copy_options::recursive);
          before = all_files(path);
        },
        event);
    CHECK_CONTAINS(message, path + " was moved, removed or replaced while a training ran");
    CHECK(all_files(path) == before);
    Settings settings = load_config(moved);
    Training rest = prepare_training(settings, moved);
    CHECK(rest.resumed);
    CHECK(run_training(rest));
    CHECK(rest.progress.step == 6);
  }
}

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
