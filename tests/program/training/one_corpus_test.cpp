// Trainings with one corpus: its validation pairs are held out, its files come more or less often, and a
// model that learns nothing from its sources is told of.
#include "apps/random.h"
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using regard::Index;
using regard::SplitMix64;

namespace {

/// Two files with pairs of two to five digits. The target spells the digits of the source, or (no relation)
/// any others.
Words two_files(const TemporaryDirectory& directory, bool related) {
  const Words digits{"one", "two", "three", "four"};
  SplitMix64 random(1);
  Words files;
  for (const Index pairs : {1500, 100}) {
    std::string text;
    for (Index i = 0; i < pairs; ++i) {
      std::string source, target;
      for (std::uint64_t length = 2 + random.below(4); length > 0; --length) {
        const std::uint64_t digit = random.below(4);
        source += std::to_string(digit) + " ";
        if (related) target += digits[digit] + " ";
      }
      if (!related)
        for (std::uint64_t length = 2 + random.below(4); length > 0; --length)
          target += random.pick(digits) + " ";
      text += source + "\t" + target + "\n";
    }
    files.push_back(directory.file(std::to_string(pairs) + (related ? "" : "-unrelated"), text));
  }
  return files;
}

Words small_digits_command(const Words& files, const std::string& out, const Words& more) {
  return train_command(
      out, joined({"data.source=", "data.target=", "data.validation_source=", "data.validation_target=",
                   "data.tsv=[\"" + files[0] + "\", \"" + files[1] + "\"]", "data.validation_share=0.1",
                   "validation.every_steps=25"},
                  more));
}

}  // namespace

TEST_CASE("a training says which pairs it holds out, and how often each file comes", "[program]") {
  const TemporaryDirectory directory;
  const Words files = two_files(directory, true);
  const Outcome outcome =
      run_well(small_digits_command(files, directory / "model", {"data.shares=[0.5, 3]"}));
  CHECK_CONTAINS(outcome.out, "; held out of the training corpus\n");
  CHECK_CONTAINS(outcome.out, "  0.5        times per epoch: each of the ");
  CHECK_CONTAINS(outcome.out, "  3          times per epoch: each of the ");
  CHECK_CONTAINS(outcome.out, " pairs of " + files[1] + "\n");
  CHECK_REFUSED(run(small_digits_command(files, directory / "model", {"data.shares=[0.5, 2]"})),
                "data.shares was [0.5,3.0] when");
  CHECK_REFUSED(run(small_digits_command(files, directory / "model",
                                         {"data.shares=[0.5, 3]", "data.validation_share=0.2"})),
                "data.validation_share was 0.1 when");
}

TEST_CASE("a training that would do nothing is refused before it writes anything", "[program]") {
  const TemporaryDirectory directory;
  std::string eight, two;
  for (const std::string word : {"one", "two", "three", "four"})
    for (const std::string other : {"one", "two"}) eight += word + " " + other + "\t" + word + "\n";
  two = eight.substr(0, eight.find('\n', eight.find('\n') + 1) + 1);
  const Words files{directory.file("eight", eight), directory.file("two", two)};
  const auto train = [&](const std::string& tsv, const Words& more) {
    return run(train_command(
        directory / "model",
        joined({"data.source=", "data.target=", "data.validation_source=", "data.validation_target=",
                "data.tsv=" + tsv, "training.steps=0", "training.epochs=3"},
               more)));
  };
  const auto refused = [&](const std::string& tsv, const Words& more, const std::string& message) {
    CAPTURE(tsv, more);
    CHECK_REFUSED(train(tsv, more), message);
    CHECK_FALSE(std::filesystem::exists(directory / "model"));
  };
  const std::string both = "[\"" + files[0] + "\", \"" + files[1] + "\"]";
  refused(files[0], {"data.shares=[0.001]"},
          "data.shares 0.001 of the 8 pairs of " + files[0] +
              " is less than one pair per epoch; give a share of at least 0.12, or leave the file out");
  refused(both, {"data.shares=[1, 0.2]"}, "data.shares 0.2 of the 2 pairs of " + files[1] + " is less than");
  refused(files[0], {"data.shares=[0.5]"}, "data.shares leave about 4 pairs per epoch, so an epoch could be");
  refused(files[0], {"data.max_length=1"}, "no sentence pair is left");
  refused(files[0], {"data.validation_share=0.000001"}, "holds out none");
  for (const std::string shares : {"[1, 0.5]", "[0.125, 1]"}) {  // the controls
    const Outcome outcome = train(both, {"data.shares=" + shares});
    CHECK(outcome.code == 0);
    CHECK(newest_step(directory / "model") >= 3);
    std::filesystem::remove_all(directory / "model");
  }
}

TEST_CASE("a model that ignores its source is told of once", "[program]") {
  const TemporaryDirectory directory;
  const std::string warning =
      "with those of other pairs, so the model ignores its source so far; what helps: see that";
  const Outcome unrelated = run(small_digits_command(two_files(directory, false), directory / "model", {}));
  CHECK(unrelated.code == 0);
  CHECK_CONTAINS(unrelated.err, "regard: warning: step 100: 32 validation pairs have the loss ");
  CHECK_CONTAINS(unrelated.err, warning);
  CHECK(unrelated.err.find(warning) == unrelated.err.rfind(warning));
  run_well(small_digits_command(two_files(directory, true), directory / "other", {}));
}
