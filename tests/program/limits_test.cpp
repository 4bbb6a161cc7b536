// Trainings that go astray, and more memory than there is.
#include "tests/catch.h"
#include "tests/program/small_model.h"

using namespace regard::tests;

namespace {
constexpr rlim_t megabyte = rlim_t{1} << 20;
}

TEST_CASE("a loss that is no number ends the training with its step", "[program]") {
  const TemporaryDirectory directory;
  CHECK_REFUSED(run(train_command(directory / "model", {"training.learning_rate=1e30"})),
                "step 2: the loss is not finite; set a lower learning_rate, more warmup_steps or "
                "a gradient_clip_norm, and train in another directory or with --overwrite; no weights were "
                "saved yet");
  CHECK(files_below(directory / "model").count("weights.safetensors") == 0);
}

TEST_CASE("the last good weights are named, and are good", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  const Outcome outcome =
      run(train_command(model, {"training.learning_rate=1e4", "training.optimiser=sgd",
                                "training.schedule=constant", "validation.every_steps=1"}));
  CHECK_REFUSED(outcome, "is not finite");
  CHECK_REFUSED(outcome, "the best weights so far, of step ");
  CHECK_REFUSED(outcome, "are in " + model + "/weights.safetensors");
  CHECK(run({"translate", model, "--beam", "1"}, {.input = "one\n"}).code == 0);
}

TEST_CASE("weights that are no numbers are never saved", "[program]") {
  const TemporaryDirectory directory;
  // The first step makes them so; only the validation, or a look at them, can tell.
  CHECK_REFUSED(
      run(train_command(directory / "a", {"training.learning_rate=1e30", "training.schedule=constant",
                                          "validation.every_steps=1"})),
      "step 1: the validation loss is not finite");
  CHECK_REFUSED(run(train_command(directory / "b", {"training.learning_rate=1e39", "training.steps=1",
                                                    "training.schedule=constant", "validation.every_steps=0",
                                                    "data.validation_source=", "data.validation_target="})),
                "step 1: a weight is not finite");
  // Or the weights are numbers, and what they make of a sentence is not.
  CHECK_REFUSED(run(train_command(directory / "c", {"training.learning_rate=1e25", "training.steps=1",
                                                    "training.schedule=constant", "checkpoints.keep_last=2",
                                                    "data.validation_source=", "data.validation_target="})),
                "step 1: the loss is not finite");
  for (const std::string model : {"a", "b", "c"})
    CHECK(files_below(directory / model).count("weights.safetensors") == 0);
}

TEST_CASE("a model that is too large for any memory is refused", "[program]") {
  const TemporaryDirectory directory;
  // The limit spares the machine if the program should try after all.
  const Circumstances limited = {.addresses = can_limit_addresses ? 400 * megabyte : RLIM_INFINITY};
  const auto refused = [&](const std::string& setting) {
    return refusal(run(train_command(directory / "model", {setting}), limited));
  };
  if (can_limit_addresses) {
    CHECK_THAT(
        refused("model.d_model=1000000"),
        ContainsSubstring("out of memory: ") && ContainsSubstring("try smaller batches or a smaller model"));
    CHECK_THAT(refused("model.encoder_layers=1000000000"), ContainsSubstring("out of memory"));
  }
  // More numbers than 64 bits can count.
  CHECK_THAT(refused("model.d_ff=1000000000000000000"),
             ContainsSubstring("1000000000000000000 x 32 has more elements than any memory"));
  CHECK(directory.entries() == 0);
}

TEST_CASE("memory may run out at any time", "[program]") {
  if (!can_limit_addresses) return;
  const TemporaryDirectory directory;
  std::string source, target;
  for (int i = 0; i < 50; ++i) {
    source += content(small_corpus().source);
    target += content(small_corpus().target);
  }
  const std::vector<std::string> large_batch = {
      "data.source=" + directory.file("source", source),
      "data.target=" + directory.file("target", target),
      "model.d_model=256",
      "model.d_ff=512",
      "training.batch_tokens=100000",
      "training.threads=1",
  };
  for (const rlim_t limit : {20, 60, 100, 200, 400, 600}) {
    CAPTURE(limit);
    const Outcome outcome =
        run(train_command(directory / std::to_string(limit), large_batch), {.addresses = limit * megabyte});
    CHECK((outcome.code == 1 || limit == 20));  // there, not even the system's libraries can be loaded
    if (limit > 20) CHECK_REFUSED(outcome, "out of memory");
  }
}

TEST_CASE("where memory does not suffice for a search, what needs less is named", "[program]") {
  if (!can_limit_addresses) return;
  const Circumstances limited{.input = content(small_corpus().source), .addresses = 400 * megabyte};
  CHECK(refusal(run({"translate", small_model(), "--sample", "--n-best", "1000000", "--max-length", "1",
                     "--threads", "1"},
                    limited)) == "out of memory; try a smaller --n-best");
}
