// A configuration with a mistake is refused. The message names the place and the allowed values.
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// A training with one setting replaced. It must not write anything.
std::string refused(const std::string& setting) {
  const TemporaryDirectory directory;
  const Outcome outcome = run(train_command(directory / "model", {setting}));
  return directory.entries() == 0 ? refusal(outcome) : "(something was written)";
}

/// A training with this configuration.
std::string refused_file(const std::string& text) {
  const TemporaryDirectory directory;
  const std::string config = directory.file("config.json", text);
  const Outcome outcome = run({"train", config, "--out", directory / "model"});
  return directory.entries() == 1 ? refusal(outcome) : "(something was written)";
}

}  // namespace

// tests/apps/settings has every message; these are the ways by which a mistake comes in.
TEST_CASE("a mistake in a configuration or in --set ends in one sentence, and nothing is written",
          "[program]") {
  CHECK_THAT(
      refused("training.stepz=3"),
      ContainsSubstring("--set training.stepz=3: there is no setting training.stepz; the most similar one is "
                        "training.steps"));
  CHECK_THAT(
      refused_file("{\"training\": {\"lerning_rate\": 1}}"),
      ContainsSubstring("config.json: there is no setting training.lerning_rate; the most similar one is "
                        "training.learning_rate"));
  // A key can contain characters that clear a terminal or begin a new line.
  CHECK_THAT(refused_file(R"({"a\u001b[31mb\nc": 1})"),
             ContainsSubstring("there is no setting a\\x1B[31mb\\x0Ac; "));
  CHECK_THAT(refused("a\x1B[31mb=1"),
             ContainsSubstring("--set a\\x1B[31mb=1: there is no setting a\\x1B[31mb;"));
  CHECK_THAT(refused("training.steps=010"), ContainsSubstring("9007199254740991, got \"010\""));
  CHECK_THAT(refused_file("{\"data\": {\n}"), ContainsSubstring("config.json: not JSON at line 2, column 2"));
  CHECK_THAT(refused("model.heads=3"), ContainsSubstring("heads (3) must divide d_model (32)"));
  CHECK_THAT(refused("model.attention.radius=9223372036854775807"),
             ContainsSubstring("model.attention.radius must be a whole number from 1 to 1000000000"));
  CHECK_THAT(refused("model.attention.radius=7"), ContainsSubstring("model.attention.radius has no effect"));
  const TemporaryDirectory directory;
  CHECK_REFUSED(run({"train", directory / "missing.json", "--out", directory / "model"}),
                "cannot read " + directory / "missing.json" + ": No such file");
}

TEST_CASE("no threads or too many are refused", "[program]") {
  for (const std::string count : {"0", "-1", "10000"}) {
    CHECK_THAT(refused("training.threads=" + count),
               ContainsSubstring("training.threads must be a whole number from 1 to 1024"));
    CHECK_REFUSED(run({"translate", small_model(), "--threads", count}),
                  count + " threads: give a number from 1 to 1024");
  }
  CHECK_REFUSED(run({"evaluate", small_model(), "--source", small_corpus().source, "--reference",
                     small_corpus().target, "--threads", "0"}),
                "0 threads");
  CHECK_REFUSED(run({"translate", small_model(), "--threads", "2.5"}),
                "--threads: 2.5 is not a whole number");
}
