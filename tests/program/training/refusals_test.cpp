// Settings and text with which there is no training are refused, with the place and the allowed values,
// before anything is written. tests/apps has every message; these are the ways by which a mistake comes in.
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// A training with these settings replaced. It must not write anything.
std::string refused(const Words& settings) {
  const TemporaryDirectory directory;
  const Outcome outcome = run(train_command(directory / "model", settings));
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

TEST_CASE("a mistake in a configuration or in --set ends in one sentence, and nothing is written",
          "[program]") {
  CHECK_CONTAINS(refused({"training.stepz=3"}),
                 "--set training.stepz=3: there is no setting training.stepz; the most similar one is "
                 "training.steps");
  CHECK_CONTAINS(refused_file("{\"training\": {\"lerning_rate\": 1}}"),
                 "config.json: there is no setting training.lerning_rate; the most similar one is "
                 "training.learning_rate");
  // A key can contain characters that clear a terminal or begin a new line.
  CHECK_CONTAINS(refused_file(R"({"a\u001b[31mb\nc": 1})"), "there is no setting a\\x1B[31mb\\x0Ac; ");
  CHECK_CONTAINS(refused({"a\x1B[31mb=1"}), "--set a\\x1B[31mb=1: there is no setting a\\x1B[31mb;");
  // Options of other programs.
  const auto option = [](const Words& given) {
    Words command{"train", "config.json", "--out", "model"};
    command.insert(command.end(), given.begin(), given.end());
    return refusal(run(command));
  };
  CHECK_CONTAINS(option({"--lr", "3"}), "training.learning_rate: give --set training.learning_rate=VALUE");
  CHECK_CONTAINS(option({"--seed=3"}), "regard calls it training.seed: give --set training.seed=VALUE");
  CHECK_CONTAINS(option({"--resume"}), "the same command resumes the training");
  CHECK_CONTAINS(option({"--zzz"}), "not expected: --zzz; ");
  // Commands without --set have options of their own.
  const auto other = [](const Words& command) { return refusal(run(command)); };
  CHECK_CONTAINS(other({"translate", "m", "--num-beams", "4"}), "--num-beams; regard calls it --beam; ");
  CHECK_CONTAINS(other({"evaluate", "m", "--lenpen=1"}), "regard calls it --alpha; ");
  CHECK_CONTAINS(other({"translate", "m", "--nbest", "4"}), "give --n-best to regard translate");
  CHECK_CONTAINS(other({"translate", "m", "--lr", "4"}), "not expected: --lr; ");
  CHECK_CONTAINS(other({"translate", small_model(), "--length-penalty", "0.6"}),
                 "set decoding.length_penalty to \"power\" and decoding.alpha to 0.6");
}

TEST_CASE("beams wider than the vocabulary are refused before a training", "[program]") {
  const TemporaryDirectory directory;
  for (const std::string setting : {"decoding.beam", "validation.beam"})
    CHECK_REFUSED(
        run(train_command(directory / "model", {setting + "=13"})),
        setting + " is 13, but the target vocabulary has only 12 entries; give a beam of at most 12");
  CHECK_FALSE(std::filesystem::exists(directory / "model"));
}

TEST_CASE("a number of threads that is impossible is refused", "[program]") {
  for (const std::string count : {"0", "-1"})
    CHECK_REFUSED(run({"translate", small_model(), "--threads", count}),
                  "--threads: " + count + " is too small; give at least 1");
  CHECK_REFUSED(run({"translate", small_model(), "--threads", "10000"}),
                "10000 threads: give a number from 1 to");
  CHECK_REFUSED(run({"translate", small_model(), "--threads", "2.5"}),
                "--threads: 2.5 is not a whole number");
}

TEST_CASE("text that cannot be used is refused, and nothing is written", "[program]") {
  const TemporaryDirectory directory;
  const std::string good = directory.file("good", "one\ntwo\nthree\n"),
                    shorter = directory.file("shorter", "eins\nzwei\n"),
                    blank = directory.file("blank", "\n \n"),
                    latin = directory.file("latin", "eins\nzwei\nf\xFCnf\n");
  const auto texts = [](const std::string& source, const std::string& target,
                        const std::string& prefix = "data.") {
    return Words{prefix + "source=" + source, prefix + "target=" + target};
  };
  const std::vector<std::pair<Words, std::string>> cases = {
      // others are in tests/apps/corpus
      {texts(good, directory / ""), directory / "" + ": Is a directory"},
      {texts(good, latin), latin + ", line 3: not UTF-8 (byte 2 of the line); convert"},
      {texts(good, shorter), "so " + good + " is longer by 1"},
      {texts(blank, blank, "data.validation_"), blank + " and " + blank + ": no sentence pair is left"},
      {{"data.minimum_frequency=1000000"},
       "no token of the training corpus occurs at least 1000000 times; lower data.minimum_frequency"},
      {{"data.minimum_frequency=1000000", "data.joint_vocabulary=false"},
       "no token of the training corpus's source side occurs"},
      {texts(blank, blank), "no token of the training corpus occurs at least 1 times; its lines are empty"}};
  for (const auto& [settings, expected] : cases) CHECK_CONTAINS(refused(settings), expected);
  for (const std::string& bad : {directory / "missing", latin, shorter})
    CHECK_REFUSED(run({"evaluate", small_model(), "--source", good, "--reference", bad}), bad);
}
