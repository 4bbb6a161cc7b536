// Recurrent models in the program.
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// A small recurrent model that had one step of training.
std::string recurrent_model(const TemporaryDirectory& directory, const std::string& preset) {
  const Outcome outcome =
      run(train_command(directory / preset, recurrent_preset(preset, {"training.steps=1"})));
  CHECK(outcome.code == 0);
  return directory / preset;
}

}  // namespace

TEST_CASE("a recurrent model with attention has alignments, one without is refused", "[program]") {
  const TemporaryDirectory directory;
  const std::string with = recurrent_model(directory, "bahdanau2015");
  const std::string without = recurrent_model(directory, "cho2014");
  const Outcome outcome = run({"translate", with, "--alignments"}, {.input = "one two\n"});
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.out, "\t");
  const Outcome refused = run({"translate", without, "--alignments"}, {.input = "one two\n"});
  CHECK_REFUSED(refused, "this model has no attention to the source");
  CHECK(refused.out.empty());
}

TEST_CASE("recurrent models learn, and all commands know them", "[program][long]") {
  const TemporaryDirectory directory;
  const std::string input = "one two three\nfour\n";
  const std::vector<std::pair<std::string, Words>> models{
      {"bahdanau2015", recurrent_preset("bahdanau2015")},
      {"luong2015", recurrent_preset("luong2015")},
      {"sutskever2014", recurrent_preset("sutskever2014")},
      {"cho2014", recurrent_preset("cho2014")},
      {"hard", recurrent_preset("bahdanau2015", {"model.attention.kind=hard"})},
      {"transformer encoder", {"model.decoder=recurrent"}},
      {"transformer decoder", {"model.encoder=recurrent"}},
      {"convolutions", {"model.encoder=text_convolutional", "model.text_window=5"}},
      {"convolutions, recurrent decoder",
       recurrent_preset("bahdanau2015", {"model.encoder=text_convolutional"})}};
  for (const auto& [name, settings] : models) {
    if (name.starts_with("convolutions") && !has_kind("text_convolutional")) continue;
    CAPTURE(name);
    const std::string model = directory / name;
    const Words steps = {"training.steps=60", "validation.every_steps=60", "training.learning_rate=0.02"};
    const Outcome trained = run(train_command(model, joined(settings, steps)));
    CHECK(trained.err.empty());
    REQUIRE(trained.code == 0);
    for (const Words& command : those_built(
             {{"translate", model, "--beam", "3", "--n-best", "2"}, {"translate", model, "--sample"}})) {
      const Outcome outcome = run(command, {.input = input});
      CHECK(outcome.code == 0);
      CHECK(lines(outcome.out).size() >= 2);
    }
    CHECK(run(evaluate_command(model)).code == 0);
    for (const Words& command : those_built({score_command(model), {"inspect", model}}))
      CHECK(run(command).code == 0);
    const Outcome map = run({"translate", model, "--attention"}, {.input = input});
    CHECK(map.code == (name == "sutskever2014" || name == "cho2014" ? 1 : 0));
    if (map.code != 0) CHECK_CONTAINS(map.err, "no attention to the source");
  }
  const std::string first = directory / "bahdanau2015", tuned = directory / "tuned";
  CHECK(run(train_command(tuned, recurrent_preset("bahdanau2015", {"training.initial_weights=" + first})))
            .code == 0);
  if (has_command("average")) {
    const std::string mean = directory / "mean.safetensors";
    CHECK(run({"average", first + "/weights.safetensors", tuned + "/weights.safetensors", "--output", mean})
              .code == 0);
    CHECK(run({"translate", tuned, "--weights", mean}, {.input = input}).code == 0);
  }
  // Trained a little longer, one with attention translates without a mistake.
  const std::string model = directory / "longer";
  REQUIRE(run(train_command(model, recurrent_preset("luong2015", {"training.steps=250", "model.d_model=32"})))
              .code == 0);
  CHECK(run({"translate", model}, {.input = "one two three\nfour four one\n"}).out ==
        "eins zwei drei\nvier vier eins\n");
}
