// Trainings that begin with another model take its settings, subwords and vocabularies along.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using Json = nlohmann::json;

namespace {

/// A model with subwords, which does not have the default shape. It is made once.
const std::string& first_model() {
  static const TemporaryDirectory directory;
  static const Outcome trained = train_numbers(
      directory / "model", {"training.epochs=1", "model.norm=pre", "data.max_length=77", "decoding.beam=3",
                            "decoding.length_penalty=power", "decoding.alpha=0.8"});
  static const std::string path = directory / "model";
  if (trained.code != 0) throw std::runtime_error("no model could be trained: " + trained.err);
  return path;
}

/// A copy of it, and a configuration that gives the corpus only.
struct Tuning {
  TemporaryDirectory directory;
  std::string model = directory / "model", out = directory / "out";
  std::string config = directory.file(
      "tune.json",
      fmt::format(R"({{"data": {{"source": "{}", "target": "{}"}}, "training": {{"steps": 2}}}})",
                  numbers().source, numbers().target));

  Tuning() { std::filesystem::copy(first_model(), model, std::filesystem::copy_options::recursive); }

  Outcome tuned(const std::string& initial, const Words& settings = {}) const {
    return run(with_settings({"train", config, "--out", out},
                             joined({"training.initial_weights=" + initial}, settings)));
  }
  std::string refusal_of(const std::string& initial, const Words& settings) const {
    const std::string said = refusal(tuned(initial, settings));
    return std::filesystem::exists(out) ? "(something was written)" : said;
  }
};

Json settings_of(const std::string& model) { return Json::parse(content(model + "/config.json")); }

}  // namespace

TEST_CASE("a model directory brings its settings, subwords and vocabularies along", "[program]") {
  const Tuning tuning;
  const Outcome outcome = tuning.tuned(tuning.model);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("weights      from " + tuning.model + "\n") &&
                              ContainsSubstring("entries, from " + tuning.model) &&
                              !ContainsSubstring("Learning"));
  const Json before = settings_of(tuning.model), after = settings_of(tuning.out);
  CHECK(after.at("model") == before.at("model"));
  CHECK(after.at("model").at("d_model") == 16);  // negative control: not the default
  for (const char* setting : {"tokeniser", "joint_vocabulary", "subwords"})
    CHECK(after.at("data").at(setting) == before.at("data").at(setting));
  CHECK(after.at("data").at("max_length") == 77);
  CHECK(after.at("decoding") == before.at("decoding"));
  CHECK(after.at("decoding").at("alpha") == 0.8);
  CHECK(after.at("training").at("schedule") == "noam");  // the training has its own settings
  for (const char* file : {"/vocabulary.json", "/subwords.model"})
    CHECK(content(tuning.out + file) == content(tuning.model + file));
}

TEST_CASE("a fine-tuned model is resumed without the model that it began with", "[program]") {
  const Tuning tuning;
  REQUIRE(tuning.tuned(tuning.model, {"training.steps=4"}).code == 0);
  const std::string undisturbed = content(tuning.out + "/weights.safetensors");
  std::filesystem::remove_all(tuning.out);
  REQUIRE(tuning.tuned(tuning.model).code == 0);
  std::filesystem::remove_all(tuning.model);
  const Outcome resumed = tuning.tuned(tuning.model, {"training.steps=4"});
  CHECK(resumed.code == 0);
  CHECK_CONTAINS(resumed.out, "Resuming at step 2 ");
  CHECK(content(tuning.out + "/weights.safetensors") == undisturbed);
}

TEST_CASE("settings that contradict the model of the initial weights are named together", "[program]") {
  const Tuning tuning;
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"model.d_model=32", "data.subwords.size=120", "model.heads=2"},
       ", the model of training.initial_weights, has other settings: data.subwords.size is 100 there and 120 "
       "here; "
       "model.d_model is 16 there and 32 here; leave them out of the configuration, and they are taken from "
       "there"},
      {{"data.subwords.model=x"}, "data.subwords.model is given, but the subwords come from "}};
  for (const auto& [settings, expected] : cases)
    CHECK_CONTAINS(tuning.refusal_of(tuning.model, settings), expected);
}

TEST_CASE("a fine-tuning may have its own dropout and search, and the settings of the same preset",
          "[program]") {
  const Tuning tuning;
  REQUIRE(tuning
              .tuned(tuning.model, {"model.preset=toy", "model.dropout.attention=0.25", "model.d_model=16",
                                    "data.subwords.sampling=0.1", "data.max_length=50", "decoding.alpha=0.3"})
              .code == 0);
  const Json before = settings_of(tuning.model);
  Json after = settings_of(tuning.out);
  CHECK(after.at("data").at("subwords").at("sampling") == 0.1);
  CHECK(after.at("data").at("max_length") == 50);
  CHECK(after.at("decoding").at("alpha") == 0.3);
  CHECK(after.at("decoding").at("beam") == 3);  // it says nothing of the beam
  CHECK(after.at("model").at("dropout").at("attention") == 0.25);
  CHECK(after.at("model").at("dropout").at("sublayer") == 0);
  after.at("model").at("dropout") = before.at("model").at("dropout");
  CHECK(after.at("model") == before.at("model"));
}

TEST_CASE("a file of weights needs the same settings; otherwise its directory is recommended", "[program]") {
  const Tuning tuning;
  const std::string file = tuning.model + "/weights.safetensors";
  const std::string advice = "set training.initial_weights to the model directory " + tuning.model +
                             ", and its settings and vocabularies are taken along";
  CHECK_THAT(tuning.refusal_of(file, {"data.tokeniser=sentencepiece", "data.subwords.size=100"}),
             ContainsSubstring(file + " belongs to a model with other settings: ") &&
                 ContainsSubstring("model.d_model is 16 there and 128 here") && ContainsSubstring(advice));
  Words shape = {"model.preset=toy",       "model.d_model=16",       "model.heads=2",  "model.d_ff=16",
                 "model.encoder_layers=1", "model.decoder_layers=1", "model.norm=pre", "data.tokeniser=word"};
  CHECK_THAT(tuning.refusal_of(file, shape),  // the shape is right, and the vocabulary is not
             ContainsSubstring(file + " does not fit the model") && ContainsSubstring(advice));
  // A file alone has no directory to recommend.
  const std::string alone = tuning.directory / "alone.safetensors";
  std::filesystem::copy(file, alone);
  CHECK_THAT(tuning.refusal_of(alone, shape),
             ContainsSubstring(alone + " does not fit the model") && !ContainsSubstring("model directory"));
  shape.back() = "data.tokeniser=sentencepiece";
  shape.push_back("data.subwords.model=" + tuning.model + "/subwords.model");
  CHECK(tuning.tuned(alone, shape).code == 0);
}
