// A model directory that is incomplete, damaged or newer than the program is refused. The message names the
// file.
#include <nlohmann/json.hpp>

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

  /// Changes a JSON file.
  template <class Change>
  void change(const std::string& file, const Change& change) const {
    Json json = Json::parse(content(*this / file));
    change(json);
    write(file, json.dump());
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
    CHECK_REFUSED(run({"inspect", path}), "there is no model directory " + path);
  CHECK_REFUSED(run({"inspect", directory / ""}),
                "is not a complete model: " + directory / "" + "/config.json");
}

TEST_CASE("every command refuses a model with a missing file", "[program]") {
  for (const std::string file : {"config.json", "vocabulary.json", "weights.safetensors"}) {
    const SpoiltModel model;
    model.remove(file);
    const std::string expected = model.path() + " is not a complete model: " + model / file +
                                 " is missing; " +
                                 (file == "weights.safetensors" ? "resume its training with the same command"
                                                                : "train it with regard train");
    CHECK_REFUSED(run({"translate", model.path()}), expected);
    CHECK_REFUSED(run({"inspect", model.path()}), expected);
    CHECK_REFUSED(run({"profile", "translate", model.path()}, {.input = "one\n"}), expected);
    CHECK_REFUSED(run({"bench", "translate", model.path(), "--source", small_corpus().source}), expected);
    CHECK_REFUSED(
        run({"score", model.path(), "--source", small_corpus().source, "--target", small_corpus().target}),
        expected);
    CHECK_REFUSED(run({"evaluate", model.path(), "--source", small_corpus().source, "--reference",
                       small_corpus().target}),
                  expected);
  }
  const SpoiltModel model;  // the log of the training is not needed
  model.remove("metrics.jsonl");
  CHECK(run({"inspect", model.path()}).code == 0);
}

TEST_CASE("without a joint vocabulary, two vocabularies are required", "[program]") {
  const SpoiltModel model;
  model.change("config.json", [](Json& config) { config["data"]["joint_vocabulary"] = false; });
  CHECK_THAT(model.refusal(), ContainsSubstring(model / "vocabulary.source.json" + " is missing"));
  std::filesystem::copy(model / "vocabulary.json", model / "vocabulary.source.json");
  CHECK_THAT(model.refusal(), ContainsSubstring(model / "vocabulary.target.json" + " is missing"));
}

TEST_CASE("a model of a newer format is refused", "[program]") {
  for (const std::string file : {"config.json", "vocabulary.json"}) {
    const SpoiltModel model;
    model.change(file, [](Json& json) { json["format"] = 2; });
    CHECK_THAT(model.refusal(),
               ContainsSubstring(model / file + ": the file has format 2, this program knows "
                                                "formats up to 1; use a newer version"));
  }
}

TEST_CASE("a damaged configuration or vocabulary is refused", "[program]") {
  for (const std::string file : {"config.json", "vocabulary.json"}) {
    const SpoiltModel model;
    const std::string whole = content(model / file);
    model.write(file, whole.substr(0, whole.size() / 2));
    CHECK_THAT(model.refusal(), ContainsSubstring(model / file + ": not JSON at line "));
    model.write(file, "");
    CHECK_THAT(model.refusal(), ContainsSubstring(model / file + ": not JSON at line 1"));
    model.write(file, "[]");
    CHECK_THAT(model.refusal(), ContainsSubstring(model / file + ": "));
  }
  const SpoiltModel model;
  model.change("vocabulary.json", [](Json& json) { json["tokens"][2] = "end"; });
  CHECK_THAT(model.refusal(), ContainsSubstring("token 2 should be </s>, but is \"end\""));
}

TEST_CASE("a vocabulary with more tokens than the weights is refused", "[program]") {
  const SpoiltModel model;
  model.change("vocabulary.json", [](Json& json) { json["tokens"].push_back("five"); });
  CHECK_THAT(model.refusal(),
             ContainsSubstring(model / "weights.safetensors" + " does not fit the model: ") &&
                 ContainsSubstring("src_embed.weight has shape [12, 32] instead of [13, 32]"));
  model.change("vocabulary.json", [](Json& json) {
    json["tokens"].erase(12);
    json["tokens"].erase(11);
  });
  CHECK_THAT(model.refusal(), ContainsSubstring("has shape [12, 32] instead of [11, 32]"));
}

TEST_CASE("damaged weights, and weights of another shape, are refused", "[program]") {
  const SpoiltModel model;
  const std::string file = model / "weights.safetensors", whole = content(file);
  model.write("weights.safetensors", whole.substr(0, whole.size() / 2));
  CHECK_THAT(model.refusal(), ContainsSubstring(file + " cannot be read as safetensors") &&
                                  ContainsSubstring("it may be truncated or damaged"));
  Weights weights(small_model() + "/weights.safetensors");
  weights.numbers.replace(400, 4, "\xFF\xFF\xFF\xFF");
  weights.write(file);
  CHECK_THAT(model.refusal(), ContainsSubstring(file + " contains a value that is not finite"));
  model.write("weights.safetensors", whole);
  model.change("config.json", [](Json& config) { config["model"]["d_model"] = 64; });
  CHECK_THAT(model.refusal(), ContainsSubstring(file + " does not fit the model: ") &&
                                  ContainsSubstring("has shape [12, 32] instead of [12, 64]") &&
                                  ContainsSubstring("and 30 more"));
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
  const std::string &source = small_corpus().source, &target = small_corpus().target;
  const std::vector<std::vector<std::string>> commands = {
      {"translate", model.path()},
      {"translate", model.path(), "--beam", "1"},
      {"translate", model.path(), "--sample"},
      {"score", model.path(), "--source", source, "--target", target},
      {"evaluate", model.path(), "--source", source, "--reference", target},
      {"bench", "translate", model.path(), "--source", source},
      {"profile", "translate", model.path()}};
  for (const std::vector<std::string>& command : commands) {
    CAPTURE(command);
    CHECK(refusal(run(command, {.input = "one two\n"})) == sentence(model.path()));
  }
  // The message names the weights, wherever they come from.
  const std::string file = model / "weights.safetensors";
  CHECK(refusal(run({"translate", small_model(), "--weights", file}, {.input = "one\n"})) == sentence(file));
  CHECK(run({"translate", small_model()}, {.input = "one\n"}).code == 0);
}
