// `regard translate --ensemble`
#include <filesystem>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

const std::string some_lines = "one two\n\nthree\nfour four one\n";

Words ensemble_command(const Words& others, const Words& more = {}) {
  return joined(joined({"translate", small_model()}, more), joined({"--ensemble"}, others));
}

/// A model with these settings, trained on the small corpus.
std::string trained(const TemporaryDirectory& directory, const Words& settings) {
  CHECK(run(train_command(directory / "other", settings)).code == 0);
  return directory / "other";
}

}  // namespace

TEST_CASE("a model in an ensemble with itself writes the same bytes", "[program]") {
  for (const Words& options : {Words{"--n-best", "3", "--scores"}, {"--alignments"}, {"--prefix", "vier"}}) {
    const Outcome alone = run_well(joined({"translate", small_model()}, options), {.input = some_lines});
    for (const Words& others : {Words{small_model()}, {small_model(), small_model()}})
      CHECK(run_well(ensemble_command(others, options), {.input = some_lines}).out == alone.out);
  }
}

TEST_CASE("an ensemble of two models translates with scores between theirs", "[program]") {
  const TemporaryDirectory directory;
  const std::string other = trained(directory, {"training.seed=2", "training.steps=40", "model.d_model=16"});
  const auto score_of = [](const Words& command) {
    const Outcome outcome =
        run_well(joined(command, {"--scores", "--alpha", "0", "--prefix", "vier vier eins"}),
                 {.input = "four four one\n"});
    CHECK(outcome.out.ends_with("\tvier vier eins\n"));
    return std::stod(outcome.out);
  };
  const double first = score_of({"translate", small_model()}), second = score_of({"translate", other});
  CHECK(first > second + 0.001);
  const double together = score_of({"translate", small_model(), "--ensemble", other, "--beam", "2"});
  CHECK(together < first - 0.0005);
  CHECK(together > second + 0.0005);
  if (has_option("translate", "--document"))
    CHECK(run_well({"translate", small_model(), "--document", "--ensemble", other}, {.input = "one two\n"})
              .out == "eins zwei\n");
}

TEST_CASE("what cannot work with an ensemble is refused", "[program]") {
  const TemporaryDirectory directory;
  const auto refused = [](const Words& others, const Words& options, const std::string& why) {
    const Outcome outcome = run(ensemble_command(others, options), {.input = some_lines});
    CHECK_REFUSED(outcome, why);
    CHECK(outcome.out.empty());
  };
  refused({directory / "none"}, {}, "there is no model directory " + directory / "none");
  for (const Words& option : {Words{"--precision", "float32"},
                              {"--weights", "x"},
                              {"--attention"},
                              {"--attention-images", "x"},
                              {"--attention-json", "x"}})
    refused({small_model()}, option, option.front() + " excludes --ensemble");
  if (has_option("translate", "--sample"))
    refused({small_model()}, {"--sample"}, "--sample excludes --ensemble");
  const std::string text = content(small_corpus().source);
  std::string changed = text;
  for (std::size_t at; (at = changed.find("three")) != std::string::npos;) changed.replace(at, 5, "seven");
  const std::string source = directory.file("source", changed);
  const Words settings{"training.steps=1", "data.source=" + source, "data.validation_source=" + source};
  refused({trained(directory, settings)}, {}, "\"seven\" there and \"three\" here");
}

TEST_CASE("models that read text in different forms are refused", "[program]") {
  if (!has_option("translate", "--glossary")) return;
  const TemporaryDirectory directory;
  const std::string terms = directory.file("terms", "nine\tvier\n");
  const std::string other = trained(directory, {"training.steps=1", "data.glossary=" + terms});
  CHECK_REFUSED(run(ensemble_command({other}), {.input = "one\n"}),
                "has data.glossary \"" + terms + "\", but MODEL_DIR has \"\"");
}

TEST_CASE("a model of the other direction is refused", "[program]") {
  const TemporaryDirectory directory;
  const std::string other = trained(
      directory,
      {"training.steps=1", "data.source=" + small_corpus().target, "data.target=" + small_corpus().source,
       "data.validation_source=" + small_corpus().target, "data.validation_target=" + small_corpus().source});
  CHECK_REFUSED(run(ensemble_command({other}), {.input = some_lines}), "translates in the other direction");
}

TEST_CASE("a sentence that is too long for one model of an ensemble is refused", "[program]") {
  const TemporaryDirectory directory;
  const std::string other = trained(directory, {"training.steps=1", "data.max_length=3"});
  const Outcome outcome = run(ensemble_command({other}), {.input = "one one one one\n"});
  CHECK_REFUSED(outcome, "line 1 has 4 tokens, but this model takes at most 3");
}
