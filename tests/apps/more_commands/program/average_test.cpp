// Evaluating and translating with the weights of checkpoints and with their mean.
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"
#include "tests/program/support/weights.h"

using namespace regard::tests;
using Json = nlohmann::json;

namespace {

/// A training that keeps its weights after 20, 40 and 60 steps, while it still learns.
class Checkpoints {
 public:
  Checkpoints() {
    const Outcome trained = run(train_command(
        model(), {"training.steps=60", "validation.every_steps=20", "checkpoints.keep_last=3"}));
    if (trained.code != 0) throw std::runtime_error(trained.err);
  }
  std::string model() const { return directory_ / "model"; }
  std::string at(int step) const { return fmt::format("{}/checkpoints/{}.safetensors", model(), step); }
  std::string operator/(const std::string& file) const { return directory_ / file; }
  std::string file(const std::string& name, const std::string& text) const {
    return directory_.file(name, text);
  }

 private:
  TemporaryDirectory directory_;
};

const Checkpoints& checkpoints() {
  static const Checkpoints made;
  return made;
}

/// The loss that an evaluation prints.
std::string loss(const Words& options) {
  const Outcome outcome = run(evaluate_command(checkpoints().model(), options));
  for (const std::string& line : lines(outcome.out))
    if (line.starts_with("loss")) return line.substr(line.find_last_of(' ') + 1);
  return outcome.err;
}

/// The validation loss that the training logged at a step, on the same corpus.
std::string logged_loss(int step) {
  for (const std::string& line : lines(content(checkpoints().model() + "/metrics.jsonl"))) {
    const Json entry = Json::parse(line);
    if (entry.at("step") == step && entry.contains("validation_loss"))
      return fmt::format("{:.4f}", entry.at("validation_loss").get<double>());
  }
  return "none";
}

}  // namespace

TEST_CASE("average writes the mean of weights", "[program]") {  // tests/apps/model computes it by hand
  const std::string mean = checkpoints() / "mean.safetensors", same = checkpoints() / "same.safetensors";
  const Outcome outcome =
      run({"average", checkpoints().at(20), checkpoints().at(40), checkpoints().at(60), "--output", mean});
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "the mean of 3 files, written to " + mean + "\n");
  REQUIRE(run({"average", mean, mean, "--output", same}).code == 0);
  CHECK((Weights(same).numbers == Weights(mean).numbers));
  CHECK(Weights(mean).numbers.size() == Weights(checkpoints().at(20)).numbers.size());
}

TEST_CASE("evaluate, translate and score use the given weights", "[program]") {
  for (const int step : {20, 40, 60}) CHECK(loss({"--weights", checkpoints().at(step)}) == logged_loss(step));
  CHECK(loss({}) == logged_loss(60));  // the model's own weights, which are the best ones
  CHECK(loss({"--weights", checkpoints().at(20)}) != loss({}));

  const std::string model = checkpoints().model();
  for (const Words& command : {Words{"translate", model, "--scores"}, score_command(model)}) {
    const auto output = [&](const Words& options) {
      return run(joined(command, options), {.input = "one two three\n"}).out;
    };
    CHECK(output({"--weights", checkpoints().at(60)}) == output({}));
    CHECK(output({"--weights", checkpoints().at(20)}) != output({}));
  }
}

TEST_CASE("weights that do not fit are refused, and nothing is written", "[program]") {
  const std::string missing = checkpoints() / "missing", text = checkpoints().file("text", "no tensors");
  const std::string mean = checkpoints() / "refused.safetensors";
  const Outcome wider = run(train_command(checkpoints() / "wider", {"model.d_ff=64", "training.steps=1"}));
  REQUIRE(wider.code == 0);
  const std::string other = checkpoints() / "wider" + "/weights.safetensors";

  for (const std::string& file : {missing, text, other}) {
    CAPTURE(file);
    const Outcome average = run({"average", checkpoints().at(20), file, "--output", mean});
    CHECK_REFUSED(average, file);
    CHECK_FALSE(std::filesystem::exists(mean));
    CHECK_REFUSED(run({"translate", checkpoints().model(), "--weights", file}), file);
  }
  CHECK_REFUSED(run({"translate", checkpoints().model(), "--weights", other}), "[64, 32]");
  const std::string state = checkpoints().model() + "/state/60.safetensors";
  CHECK_REFUSED(run({"average", state, "--output", mean}), state + " is the state of a training");
  Weights spoilt(checkpoints().at(20));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(spoilt.numbers.data(), &nan, sizeof nan);
  spoilt.write(checkpoints() / "nan.safetensors");
  CHECK_REFUSED(run({"average", checkpoints() / "nan.safetensors", "--output", mean}),
                "contains a value that is not finite");
  spoilt.header = "{}", spoilt.numbers = "";
  spoilt.write(checkpoints() / "nothing.safetensors");
  CHECK_REFUSED(run({"average", checkpoints() / "nothing.safetensors", "--output", mean}),
                "contains no tensors");
  CHECK_REFUSED(
      run({"average", checkpoints().at(20), checkpoints().at(40), "--output", checkpoints().at(40)}),
      "this file is an input and would be replaced");
  CHECK(run({"average", checkpoints().at(20), "--output", mean}).code == 0);
  CHECK(std::filesystem::remove(mean));
  CHECK_REFUSED(run({"translate", checkpoints().model(), "--weights", ""}),
                "--weights: the value is empty; give one, or leave the option out");
  CHECK_REFUSED(run({"average", "--output", mean}), "WEIGHTS");
  CHECK_REFUSED(run({"average", checkpoints().at(20)}), "--output");
  CHECK_REFUSED(run({"evaluate", "--hypothesis", text, "--reference", text, "--weights", other}),
                "--weights");
}

TEST_CASE("Ctrl-C while average writes leaves no temporary file", "[program]") {
  const TemporaryDirectory directory;
  Weights large(small_model() + "/weights.safetensors");
  constexpr std::size_t floats = 10'000'000;
  large.numbers.assign(floats * sizeof(float), '\0');
  large.header = fmt::format(R"({{"w":{{"dtype":"F32","shape":[{}],"data_offsets":[0,{}]}}}})", floats,
                             floats * sizeof(float));
  large.write(directory / "large");
  std::filesystem::create_directory(directory / "out");
  for (const int signal : {SIGINT, SIGTERM}) {
    Running average({"average", directory / "large", "--output", directory / "out/mean"});
    wait_until(average, [&] { return in_the_middle_of_a_save(directory / "out"); });
    average.send(signal);
    const Outcome outcome = average.wait();
    CHECK(outcome.code == 128 + signal);
    CHECK_CONTAINS(outcome.err, "stopping as soon as all is written");
    CHECK(std::filesystem::file_size(directory / "out/mean") > floats * sizeof(float));
    CHECK(directory.entries() == 2);
    CHECK_FALSE(in_the_middle_of_a_save(directory / "out"));
  }
}
