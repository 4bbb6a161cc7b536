// Recurrent models under the program's commands: everything that works for the Transformer works for them.
#include <csignal>

#include "autograd/error.h"
#include "autograd/random.h"
#include "tests/catch.h"
#include "tests/program/support/eventful.h"

using namespace regard::tests;
using regard::to_index;

namespace {

using Words = std::vector<std::string>;

std::string weights_of(const std::string& model) { return content(model + "/weights.safetensors"); }

Words preset(const std::string& name, const Words& more = {}) {
  Words settings = recurrent_preset(name);
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

}  // namespace

TEST_CASE("recurrent models learn, and all commands know them", "[program][long]") {
  const TemporaryDirectory directory;
  const std::string input = "one two three\nfour\n";
  const std::vector<std::pair<std::string, Words>> models{
      {"bahdanau2015", preset("bahdanau2015")},
      {"luong2015", preset("luong2015")},
      {"sutskever2014", preset("sutskever2014")},
      {"cho2014", preset("cho2014")},
      {"hard", preset("bahdanau2015", {"model.attention.kind=hard"})},
      {"transformer encoder", {"model.decoder=recurrent"}},
      {"transformer decoder", {"model.encoder=recurrent"}}};
  for (const auto& [name, settings] : models) {
    CAPTURE(name);
    const std::string model = directory / name;
    Words all = settings;
    all.insert(all.end(), {"training.steps=60", "validation.every_steps=60", "training.learning_rate=0.02"});
    const Outcome trained = run(train_command(model, all));
    CHECK(trained.err.empty());
    REQUIRE(trained.code == 0);
    for (const Words& command :
         {Words{"translate", model, "--beam", "3", "--n-best", "2"}, Words{"translate", model, "--sample"}}) {
      const Outcome outcome = run(command, {.input = input});
      CHECK(outcome.code == 0);
      CHECK(lines(outcome.out).size() >= 2);
    }
    CHECK(run({"evaluate", model, "--source", small_corpus().source, "--reference", small_corpus().target})
              .code == 0);
    CHECK(run({"score", model, "--source", small_corpus().source, "--target", small_corpus().target}).code ==
          0);
    CHECK(run({"inspect", model}).code == 0);
    const Outcome map = run({"translate", model, "--attention"}, {.input = input});
    CHECK(map.code == (name == "sutskever2014" || name == "cho2014" ? 1 : 0));
    if (map.code != 0) CHECK_THAT(map.err, ContainsSubstring("no attention to the source"));
  }
  const std::string first = directory / "bahdanau2015", tuned = directory / "tuned";
  CHECK(run(train_command(tuned, preset("bahdanau2015", {"training.initial_weights=" + first}))).code == 0);
  const std::string mean = directory / "mean.safetensors";
  CHECK(run({"average", first + "/weights.safetensors", tuned + "/weights.safetensors", "--output", mean})
            .code == 0);
  CHECK(run({"translate", tuned, "--weights", mean}, {.input = input}).code == 0);
  // Trained a little longer, one with attention translates without a mistake.
  const std::string model = directory / "longer";
  REQUIRE(run(train_command(model, preset("luong2015", {"training.steps=250", "model.d_model=32"}))).code ==
          0);
  CHECK(run({"translate", model}, {.input = "one two three\nfour four one\n"}).out ==
        "eins zwei drei\nvier vier eins\n");
}

TEST_CASE("a recurrent training ends in the same bits on 1, 2, 3 and 8 threads", "[program][long]") {
  for (const char* const name : {"bahdanau2015", "luong2015"}) {
    CAPTURE(name);
    std::string expected;
    for (const int threads : {1, 2, 3, 8}) {
      const TemporaryDirectory directory;
      const Words settings = preset(
          name, {"training.steps=20", "model.dropout=0.2", fmt::format("training.threads={}", threads)});
      REQUIRE(run(train_command(directory / "model", settings)).code == 0);
      if (expected.empty()) expected = weights_of(directory / "model");
      CHECK(weights_of(directory / "model") == expected);
    }
  }
}

TEST_CASE("a recurrent training that is killed ends with the same bits", "[program][kills]") {
  for (const char* const name : {"bahdanau2015", "hard"}) {
    CAPTURE(name);
    const TemporaryDirectory directory;
    Words settings = preset("bahdanau2015");
    if (std::string(name) == "hard") settings.push_back("model.attention.kind=hard");
    const std::string model = directory / "model", undisturbed = directory / "undisturbed";
    REQUIRE(run(eventful(undisturbed, settings)).code == 0);
    regard::Random random(8);
    for (int kills = 0; kills < 5; ++kills) {
      const auto before = newest_step(model);
      Running running(eventful(model, settings));
      wait_until(running, [&] { return newest_step(model) >= before + 1 + to_index(random.below(8)); });
      running.send(SIGKILL);
      CHECK(running.wait().code == 128 + SIGKILL);
    }
    CHECK(run(eventful(model, settings)).code == 0);
    check_same_results(model, undisturbed);
  }
}

TEST_CASE("weights of a recurrent model do not fit a model with another score", "[program]") {
  const TemporaryDirectory directory;
  const auto with = [&](const std::string& score) {
    return preset("luong2015", {"model.attention.score=" + score, "training.steps=2", "training.epochs=0"});
  };
  REQUIRE(run(train_command(directory / "dot", with("dot"))).code == 0);
  REQUIRE(run(train_command(directory / "scaled", with("scaled_dot"))).code == 0);
  const Outcome outcome =
      run({"translate", directory / "dot", "--weights", directory / "scaled/weights.safetensors"},
          {.input = "one\n"});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("attention.score is scaled_dot instead of dot"));
}

TEST_CASE("settings of attention that do not go together are refused", "[program]") {
  const TemporaryDirectory directory;
  const auto refused = [&](const Words& settings) {
    const Outcome outcome = run(train_command(directory / "model", preset("bahdanau2015", settings)));
    CHECK(outcome.code == 1);
    return outcome.err;
  };
  CHECK_THAT(refused({"model.attention.kind=none", "model.attention.input_feeding=true"}),
             ContainsSubstring("attention.kind is none"));
  CHECK_THAT(refused({"model.encoder_width=10", "model.attention.score=dot"}),
             ContainsSubstring("equal widths"));
  CHECK_THAT(refused({"model.attention.kind=hard", "model.attention.window=local_p"}),
             ContainsSubstring("set the window to global"));
  CHECK_THAT(refused({"model.attention.score=bilinear"}), ContainsSubstring("\"linear_concat\""));
  CHECK_THAT(refused({"model.attention.score=location", "model.attention.positions=2"}),
             ContainsSubstring("may have 257 tokens") && ContainsSubstring("data.max_length to 1"));
}
