#include "tests/program/support/eventful.h"

#include <algorithm>

#include "tests/catch.h"

namespace regard::tests {

std::vector<std::string> eventful(const std::string& out, const std::vector<std::string>& more) {
  std::vector<std::string> settings = {
      "model.dropout=0.2",        "training.batch_tokens=40", "training.average_decay=0.9",
      "training.steps=150",       "training.epochs=0",        "validation.every_steps=7",
      "checkpoints.save_every=1", "checkpoints.keep_last=3",  "checkpoints.average=last"};
  settings.insert(settings.end(), more.begin(), more.end());
  return train_command(out, settings);
}

const std::string& undisturbed_model() {
  static const TemporaryDirectory directory;
  static const std::string path = [] {
    const Outcome trained = run(eventful(directory / "model"));
    if (trained.code != 0) throw std::runtime_error("no model could be trained: " + trained.err);
    return directory / "model";
  }();
  return path;
}

void check_same_results(const std::string& model, const std::string& undisturbed) {
  const auto got = files_below(model), expected = files_below(undisturbed);
  for (const auto& [name, bytes] : expected) {
    CAPTURE(name);
    REQUIRE(got.count(name) == 1);
    // The logs and the progress in the states contain times.
    if (name != "metrics.jsonl" && name != "train.log" && !name.starts_with("state/"))
      CHECK(got.at(name) == bytes);
  }
  CHECK(got.size() == expected.size());  // and no temporary file
  CHECK(lines(got.at("metrics.jsonl")).size() == lines(expected.at("metrics.jsonl")).size());
  CHECK(lines(got.at("train.log")).size() == lines(expected.at("train.log")).size());
}

Index newest_step(const std::string& model) {
  Index newest = -1;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(model + "/state", none))
    if (entry.path().extension() == ".safetensors")
      newest = std::max<Index>(newest, std::stoll(entry.path().stem().string()));
  return newest;
}

bool in_the_middle_of_a_save(const std::string& directory) {
  // Files come and go while we look, so every step may fail.
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(directory, error), end;
  for (; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().find(".regard-tmp-") != std::string::npos) return true;
  return false;
}

}  // namespace regard::tests
