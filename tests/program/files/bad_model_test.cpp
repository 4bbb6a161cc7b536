// A model directory that is incomplete, damaged or newer than the program is refused. The message names the
// file.
#include <functional>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"
#include "tests/program/support/weights.h"

using namespace regard::tests;
using Json = nlohmann::json;

namespace {

/// A copy of the small model that a test damages, and the program's error message for it.
class SpoiltModel {
 public:
  std::string operator/(const std::string& file) const { return path_ + "/" + file; }
  void remove(const std::string& file) const { std::filesystem::remove(*this / file); }
  void write(const std::string& file, const std::string& text) const {
    directory_.file("model/" + file, text);
  }

  std::string refusal() const {
    return regard::tests::refusal(run({"translate", path_}, {.input = "one two\n"}));
  }

  const std::string& path() const { return path_; }

 private:
  TemporaryDirectory directory_;
  std::string path_ = copy_of_small_model(directory_);
};

}  // namespace

TEST_CASE("a directory that is not a model is refused", "[program]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("file", "x");
  for (const std::string& path : {directory / "missing", file, file + "/below", std::string(5000, 'x')})
    CHECK_REFUSED(run({"translate", path}), "there is no model directory " + path);
  CHECK_REFUSED(run({"translate", directory / ""}),
                "is not a complete model: " + directory / "" + "/config.json");
}

TEST_CASE("every command refuses a model with a missing file", "[program]") {
  for (const std::string file : {"config.json", "vocabulary.json", "weights.safetensors"}) {
    const SpoiltModel model;
    model.remove(file);
    CHECK_CONTAINS(model.refusal(),
                   model.path() + " is not a complete model: " + model / file + " is missing; " +
                       (file == "weights.safetensors" ? "resume its training with the same command"
                                                      : "train it with regard train"));
  }
  const SpoiltModel model;
  model.remove("metrics.jsonl");  // the log of the training is not needed
  CHECK(run({"translate", model.path()}, {.input = "one\n"}).code == 0);
  model.remove("vocabulary.json");
  const std::vector<Words> commands =
      those_built({{"inspect", model.path()},
                   {"profile", "translate", model.path()},
                   {"bench", "translate", model.path(), "--source", small_corpus().source},
                   score_command(model.path()),
                   evaluate_command(model.path())});
  for (const Words& command : commands)
    CHECK_REFUSED(run(command, {.input = "one\n"}), " is not a complete model: " + model / "vocabulary.json");
}

TEST_CASE("a model that is damaged, too new or of parts that do not fit is refused", "[program]") {
  using Change = std::function<void(const SpoiltModel&)>;
  const auto json = [](const std::string& file, const std::function<void(Json&)>& change) -> Change {
    return [=](const SpoiltModel& model) {
      Json changed = Json::parse(content(model / file));
      change(changed);
      model.write(file, changed.dump());
    };
  };
  const auto text = [](const std::string& file, const std::string& bytes) -> Change {
    return [=](const SpoiltModel& model) { model.write(file, bytes); };
  };
  const std::string config = "config.json", vocabulary = "vocabulary.json", weights = "weights.safetensors";
  const auto half_of = [](const std::string& file) {
    const std::string whole = content(small_model() + "/" + file);
    return whole.substr(0, whole.size() / 2);
  };
  const std::vector<std::tuple<std::string, Change, std::string>> cases = {
      {config, json(config, [](Json& all) { all["format"] = 2; }),
       "the file has format 2, this program knows"},
      {config, text(config, half_of(config)), "not JSON at line "},
      {"vocabulary.source.json", json(config, [](Json& all) { all["data"]["joint_vocabulary"] = false; }),
       "is missing"},
      {weights, json(config, [](Json& all) { all["model"]["d_model"] = 64; }),
       "has shape [12, 32] instead of [12, 64]"},
      {vocabulary, text(vocabulary, half_of(vocabulary)), "not JSON at line "},
      {weights, json(vocabulary, [](Json& all) { all["tokens"].push_back("five"); }),
       "src_embed.weight has shape [12, 32] instead of [13, 32]"},
      {weights, text(weights, half_of(weights)), "it may be truncated or damaged"},
      {weights,
       [&](const SpoiltModel& model) {
         Weights numbers(model / weights);
         numbers.numbers.replace(400, 4, "\xFF\xFF\xFF\xFF");
         numbers.write(model / weights);
       },
       "contains a value that is not finite"}};
  for (const auto& [file, change, expected] : cases) {
    const SpoiltModel model;
    change(model);
    CHECK_THAT(model.refusal(), ContainsSubstring(model / file) && ContainsSubstring(expected));
  }
}

TEST_CASE("every command refuses a model that computes NaN or infinity, and names its weights", "[program]") {
  const SpoiltModel model;
  Weights weights(model / "weights.safetensors");
  weights.multiply(1e30F);
  weights.write(model / "weights.safetensors");
  const auto sentence = [](const std::string& name) {
    return "the model computed NaN or infinity for this text with the weights of " + name +
           "; its training diverged, so train it again";
  };
  const std::vector<Words> commands =
      those_built({{"translate", model.path()},
                   {"translate", model.path(), "--beam", "1"},
                   {"translate", model.path(), "--sample"},
                   score_command(model.path()),
                   evaluate_command(model.path()),
                   {"bench", "translate", model.path(), "--source", small_corpus().source},
                   {"profile", "translate", model.path()}});
  for (const Words& command : commands) {
    CAPTURE(command);
    CHECK(refusal(run(command, {.input = "one two\n"})) == sentence(model.path()));
  }
  // The message names the weights, wherever they come from.
  const std::string file = model / "weights.safetensors";
  CHECK(refusal(run({"translate", small_model(), "--weights", file}, {.input = "one\n"})) == sentence(file));
  CHECK(run({"translate", small_model()}, {.input = "one\n"}).code == 0);
}
