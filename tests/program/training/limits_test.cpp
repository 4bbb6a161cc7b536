// Trainings that diverge, and programs that need more memory than there is.
#include "autograd/machine/random.h"
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {
constexpr rlim_t megabyte = rlim_t{1} << 20;
}

TEST_CASE("a loss that is not finite ends the training with its step", "[program]") {
  const TemporaryDirectory directory;
  CHECK_REFUSED(
      run(train_command(directory / "model", {"training.learning_rate=1e30"})),
      "step 2: the loss is not finite; set a lower learning_rate (with schedule noam it is a factor), more "
      "warmup_steps or a gradient_clip_norm, and train in another directory or with --overwrite; no weights "
      "were saved yet");
  CHECK(files_below(directory / "model").count("weights.safetensors") == 0);
}

TEST_CASE("after a failure, the message names the last good weights, and they are good", "[program]") {
  const TemporaryDirectory directory;
  const Words diverging{"training.learning_rate=1e4", "training.optimiser=sgd", "training.schedule=constant",
                        "validation.every_steps=1"};
  const std::string model = directory / "model", other = directory / "other";
  const Outcome validated = run(train_command(model, diverging));
  CHECK_REFUSED(validated, "is not finite");
  CHECK_REFUSED(validated, "the best weights so far, of step ");
  CHECK_REFUSED(validated, "are in " + model + "/weights.safetensors");
  CHECK(run({"translate", model, "--beam", "1"}, {.input = "one\n"}).code == 0);
  // Without a validation, only checkpoints are kept. The next update spoilt the weights.
  const std::string kept = refusal(run(train_command(
      other,
      joined(diverging, {"data.validation_source=", "data.validation_target=", "checkpoints.keep_last=2"}))));
  const std::string said = "the last weights that were kept are in ";
  REQUIRE_THAT(kept, ContainsSubstring("is not finite") && ContainsSubstring(said + other + "/checkpoints/"));
  std::filesystem::copy(kept.substr(kept.find(said) + said.size()), other + "/weights.safetensors");
  CHECK(run(evaluate_command(other)).code == 0);
}

TEST_CASE("weights that are not finite are never saved", "[program]") {
  const TemporaryDirectory directory;
  // The first step makes them infinite. Only the validation, or a check of the weights, can find this.
  CHECK_REFUSED(
      run(train_command(directory / "a", {"training.learning_rate=1e30", "training.schedule=constant",
                                          "validation.every_steps=1"})),
      "step 1: the validation loss is not finite");
  CHECK_REFUSED(run(train_command(directory / "b", {"training.learning_rate=1e39", "training.steps=1",
                                                    "training.schedule=constant", "validation.every_steps=0",
                                                    "data.validation_source=", "data.validation_target="})),
                "step 1: a weight is not finite");
  // Here the weights are finite, but the output for a sentence is not.
  CHECK_REFUSED(run(train_command(directory / "c", {"training.learning_rate=1e25", "training.steps=1",
                                                    "training.schedule=constant", "checkpoints.keep_last=2",
                                                    "data.validation_source=", "data.validation_target="})),
                "step 1: the loss is not finite");
  for (const std::string model : {"a", "b", "c"})
    CHECK(files_below(directory / model).count("weights.safetensors") == 0);
}

TEST_CASE("a model that is too large for the memory is refused", "[program]") {
  if (!can_limit_addresses) return;
  const TemporaryDirectory directory;
  // The limit protects the machine if the program tries it.
  const Circumstances limited = {.addresses = 400 * megabyte};
  const auto refused = [&](const std::string& setting) {
    return refusal(run(train_command(directory / "model", {setting}), limited));
  };
  CHECK_THAT(refused("model.d_model=65536"), ContainsSubstring("out of memory: ") &&
                                                 ContainsSubstring("try smaller batches or a smaller model"));
  CHECK(directory.entries() == 0);
}

TEST_CASE("memory can run out at any time", "[program]") {
  if (!can_limit_addresses) return;
  const TemporaryDirectory directory;
  std::string source, target;
  for (int i = 0; i < 50; ++i) {
    source += content(small_corpus().source);
    target += content(small_corpus().target);
  }
  const Words large_batch = {
      "data.source=" + directory.file("source", source),
      "data.target=" + directory.file("target", target),
      "model.d_model=256",
      "model.d_ff=512",
      "training.batch_tokens=100000",
      "training.threads=1",
  };
  for (const rlim_t limit : {20, 80, 120, 200, 400, 600}) {
    CAPTURE(limit);
    const Outcome outcome =
        run(train_command(directory / std::to_string(limit), large_batch), {.addresses = limit * megabyte});
    CHECK((outcome.code == 1 || limit == 20));  // with 20 MB, the system cannot load the libraries
    if (limit > 20) CHECK_REFUSED(outcome, "out of memory");
  }
}

TEST_CASE("any allocation can fail, also in a function that is noexcept or before main", "[program]") {
  if (!can_limit_addresses) return;
  const TemporaryDirectory directory;
  const auto with_failing_new = [&](const Words& arguments, int number) {
    CAPTURE(arguments, number);
    const Outcome outcome = run(arguments, {.launcher = {"env", "LD_PRELOAD=" REGARD_FAILING_NEW,
                                                         "REGARD_FAILING_NEW=" + std::to_string(number)}});
    if (outcome.code != 0) CHECK_REFUSED(outcome, "out of memory");
    return outcome.code != 0;
  };
  int refused = 0;
  for (int number = 1; number < 3000; number += number < 40 ? 5 : 200)
    refused += with_failing_new({"train", "--print-config"}, number);
  CHECK(refused > 15);
  CHECK_FALSE(with_failing_new({"train", "--print-config"}, 0));
}

TEST_CASE("memory can run out while subwords are learnt, in a thread of SentencePiece too", "[program]") {
  if (!can_limit_addresses || !has_command("vocabulary")) return;
  const TemporaryDirectory directory;
  std::string lines, text;
  regard::Random random(1);
  for (int line = 0; line < 3'000; ++line) {
    for (int letter = 0; letter < 60; ++letter) lines += static_cast<char>('a' + random.below(26));
    lines += '\n';
  }
  for (int i = 0; i < 40; ++i) text += lines;
  const std::string input = directory.file("text", text), output = directory / "model";
  for (const rlim_t limit : {160, 200}) {
    CAPTURE(limit);
    const Outcome outcome = run({"vocabulary", "--input", input, "--type", "unigram", "--output", output},
                                {.addresses = limit * megabyte});
    CHECK_THAT(refusal(outcome),  // a thread needs addresses for its stack
               ContainsSubstring("out of memory") || ContainsSubstring("cannot start a thread"));
    CHECK(directory.entries() == 1);
  }
}

TEST_CASE("a file without an end is refused when memory runs out", "[program]") {
  if (!can_limit_addresses) return;
  const TemporaryDirectory directory;
  const Circumstances limited{.input_path = "/dev/zero", .addresses = 400 * megabyte};
  CHECK_REFUSED(run(train_command(directory / "x", {"data.source=/dev/zero"}), limited),
                "cannot read /dev/zero: out of memory after ");
  CHECK_REFUSED(run({"translate", small_model(), "--threads", "1"}, limited), "out of memory");
}

TEST_CASE("if a search needs too much memory, the message names options that need less", "[program]") {
  if (!can_limit_addresses) return;
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  REQUIRE(run(train_command(model, {"training.steps=1", "data.max_length=1000000"})).code == 0);
  std::string sentence;
  for (int word = 0; word < 900'000; ++word) sentence += "one ";
  const Circumstances limited{.input = sentence + "\n", .addresses = 500 * megabyte};
  const auto refused = [&](const Words& options) {
    return refusal(run(joined({"translate", model, "--threads", "1"}, options), limited));
  };
  if (has_option("translate", "--sample"))
    CHECK(refused({"--sample", "--n-best", "5"}) == "out of memory; try a smaller --n-best");
  CHECK(refused({"--beam", "5"}) == "out of memory; try a smaller --beam or shorter sentences");
}
