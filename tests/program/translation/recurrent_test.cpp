// Recurrent models under the program's commands: everything that works for the Transformer works for them.
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

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
      {"transformer decoder", {"model.encoder=recurrent"}}};
  for (const auto& [name, settings] : models) {
    CAPTURE(name);
    const std::string model = directory / name;
    const Words steps = {"training.steps=60", "validation.every_steps=60", "training.learning_rate=0.02"};
    const Outcome trained = run(train_command(model, joined(settings, steps)));
    CHECK(trained.err.empty());
    REQUIRE(trained.code == 0);
    for (const Words& command :
         {Words{"translate", model, "--beam", "3", "--n-best", "2"}, Words{"translate", model, "--sample"}}) {
      const Outcome outcome = run(command, {.input = input});
      CHECK(outcome.code == 0);
      CHECK(lines(outcome.out).size() >= 2);
    }
    CHECK(run(evaluate_command(model)).code == 0);
    CHECK(run(score_command(model)).code == 0);
    CHECK(run({"inspect", model}).code == 0);
    const Outcome map = run({"translate", model, "--attention"}, {.input = input});
    CHECK(map.code == (name == "sutskever2014" || name == "cho2014" ? 1 : 0));
    if (map.code != 0) CHECK_THAT(map.err, ContainsSubstring("no attention to the source"));
  }
  const std::string first = directory / "bahdanau2015", tuned = directory / "tuned";
  CHECK(run(train_command(tuned, recurrent_preset("bahdanau2015", {"training.initial_weights=" + first})))
            .code == 0);
  const std::string mean = directory / "mean.safetensors";
  CHECK(run({"average", first + "/weights.safetensors", tuned + "/weights.safetensors", "--output", mean})
            .code == 0);
  CHECK(run({"translate", tuned, "--weights", mean}, {.input = input}).code == 0);
  // Trained a little longer, one with attention translates without a mistake.
  const std::string model = directory / "longer";
  REQUIRE(run(train_command(model, recurrent_preset("luong2015", {"training.steps=250", "model.d_model=32"})))
              .code == 0);
  CHECK(run({"translate", model}, {.input = "one two three\nfour four one\n"}).out ==
        "eins zwei drei\nvier vier eins\n");
}
