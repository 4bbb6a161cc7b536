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

TEST_CASE("an unknown setting is refused with the most similar one", "[program]") {
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
  CHECK_THAT(refused("training"), ContainsSubstring("expected SETTING=VALUE"));
}

TEST_CASE("a value of a wrong type or out of range is refused with the allowed values", "[program]") {
  CHECK_THAT(
      refused("training.steps=many"),
      ContainsSubstring("training.steps must be a whole number from 0 to 9007199254740991, got \"many\""));
  CHECK_THAT(refused("training.steps=1.5"),
             ContainsSubstring("a whole number from 0 to 9007199254740991, got 1.5"));
  CHECK_THAT(refused("training.steps=010"), ContainsSubstring("9007199254740991, got \"010\""));
  CHECK_THAT(refused_file("{\"training\": {\"steps\": 010}}"),
             ContainsSubstring("not JSON at line 1, column 26"));
  CHECK_THAT(refused("model.dropout=1"),
             ContainsSubstring("model.dropout must be a number from 0 to below 1"));
  CHECK_THAT(
      refused("data.tokeniser=bpe"),
      ContainsSubstring("must be \"word\", \"subword-nmt\", \"char\" or \"sentencepiece\", got \"bpe\""));
  CHECK_THAT(refused("data.joint_vocabulary=1"), ContainsSubstring("must be true or false, got 1"));
  CHECK_THAT(refused("model.preset=huge"), ContainsSubstring("must be \"base\", \"tiny\", \"toy\""));
  CHECK_THAT(refused_file("{\"model\": []}"), ContainsSubstring("model must be an object with settings"));
}

TEST_CASE("a file that is not a configuration is refused", "[program]") {
  const TemporaryDirectory directory;
  CHECK_REFUSED(run({"train", directory / "missing.json", "--out", directory / "model"}),
                "cannot read " + directory / "missing.json" + ": No such file");
  CHECK_THAT(refused_file(""), ContainsSubstring("config.json: not JSON at line 1, column 1"));
  CHECK_THAT(refused_file("{\"data\": {\n}"), ContainsSubstring("config.json: not JSON at line 2, column 2"));
  CHECK_THAT(refused_file("[]"), ContainsSubstring("a configuration is a JSON object"));
  CHECK_THAT(refused_file("{}"), ContainsSubstring("there is no training corpus; give data.source"));
  CHECK_THAT(refused_file("{\"format\": 2}"), ContainsSubstring("format 2") && ContainsSubstring("newer"));
  CHECK_THAT(refused_file("{\"data\": {\"source\": \"\xFF\"}}"), ContainsSubstring("not UTF-8 at line 1"));
}

TEST_CASE("settings that contradict each other are refused", "[program]") {
  CHECK_THAT(refused("model.heads=3"), ContainsSubstring("heads (3) must divide d_model (32)"));
  CHECK_THAT(refused("model.d_model=0"), ContainsSubstring("model.d_model must be a whole number"));
  CHECK_THAT(
      refused_file(R"({"data": {"tsv": "x"}, "training": {"epochs": 0}})"),
      ContainsSubstring("nothing ends the training; set training.steps, training.tokens, training.epochs or "
                        "validation.patience"));
  CHECK_THAT(refused("training.learning_rate=null"), ContainsSubstring("set training.learning_rate"));
  CHECK_THAT(refused("data.vocabulary_size=4"), ContainsSubstring("has no room for words"));
  CHECK_THAT(refused("data.tsv=x"), ContainsSubstring("data.tsv replaces data.source"));
  CHECK_THAT(refused_file(R"({"data": {"tsv": "x", "joint_vocabulary": false}})"),
             ContainsSubstring("\"all\" needs data.joint_vocabulary true"));
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
