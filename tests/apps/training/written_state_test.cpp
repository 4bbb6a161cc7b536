// A training that the program wrote at an earlier commit (tests/fixtures/training).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/translation/files/json.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/translator/translator.h"
#include "nn/safetensors.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;

namespace {

/// Leaves out the settings of rooms that are not built. They had no effect on this training.
Json of_this_build(Json settings) {
  for (const std::string section : {"data", "model"}) {
    Json& values = settings.at(section);
    for (auto value = values.begin(); value != values.end();)
      value = find_setting(section + "." + value.key()) ? std::next(value) : values.erase(value);
  }
  return settings;
}

}  // namespace

TEST_CASE("a training that an earlier program wrote translates, loads and resumes", "[resume]") {
  const std::string fixture = REGARD_FIXTURES "/training";
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  std::filesystem::copy(fixture + "/model", directory.path(), std::filesystem::copy_options::recursive);
  temporary.file("model/config.json",
                 of_this_build(Json::parse(regard::read_file(directory.config()))).dump());
  CHECK(Translator::load(directory.path()).translate({"one two"}).front().n_best.front().score.has_value());

  // A state of a version that had data.cache, which changed no bit.
  regard::nn::Metadata metadata;
  std::vector<regard::nn::NamedParameter> tensors;
  for (const auto& [name, tensor] : regard::nn::load_safetensors(directory.states.file(6), &metadata))
    tensors.push_back({name, tensor});
  Json stored = of_this_build(Json::parse(metadata.at("settings")));
  stored["data"]["cache"] = "directory";
  metadata["settings"] = stored.dump();
  regard::nn::save_safetensors(directory.states.file(6), tensors, metadata);

  Settings settings = load_config(directory.path());
  settings.data.source = fixture + "/train.source";
  settings.data.target = fixture + "/train.target";
  settings.data.validation_source = fixture + "/validation.source";
  settings.data.validation_target = fixture + "/validation.target";
  settings.training.steps = 12;
  settings.training.threads.reset();
  {
    Training training = prepare_training(settings, directory.path());
    CHECK(training.resumed);
    CHECK(training.progress.step == 6);
    CHECK(training.progress.kept.size() == 2);
    CHECK(run_training(training));
  }
  // The program that wrote the first six steps took the other six, too. Other kernels round differently. The
  // biases of keys change no softmax, so their gradients are rounding errors, of which Adam makes whole
  // steps.
  const auto expected = regard::nn::load_safetensors(fixture + "/step_12.safetensors");
  const auto found = regard::nn::load_safetensors(directory.checkpoints.file(12));
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, tensor] : expected) {
    CAPTURE(name);
    const std::size_t size = tensor.values().size();
    const bool has_keys = name.ends_with("in_proj_bias");
    for (std::size_t i = 0; i < size; ++i)
      if (!has_keys || i < size / 3 || i >= 2 * size / 3)
        CHECK(std::abs(found.at(name).values()[i] - tensor.values()[i]) < 1e-4f);
  }
}
