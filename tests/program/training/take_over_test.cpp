// Trainings that begin with another model take its vocabularies along; and model directories with missing
// files.
#include <fstream>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

std::string vocabulary(const std::string& model) { return content(model + "/vocabulary.json"); }

}  // namespace

TEST_CASE("a training that takes a model's weights also takes its vocabularies", "[program]") {
  // In reverse order, the words would get other numbers.
  const TemporaryDirectory directory;
  Words reversed;
  for (const std::string side : {"source", "target"}) {
    std::string text;
    for (const std::string& line :
         lines(content(side == "source" ? small_corpus().source : small_corpus().target)))
      text = line + "\n" + text;
    reversed.push_back("data." + side + "=" + directory.file(side, text));
  }
  CHECK(run(train_command(directory / "alone", joined(reversed, {"training.steps=1"}))).code == 0);
  CHECK(vocabulary(directory / "alone") != vocabulary(small_model()));
  const Outcome outcome = run(train_command(
      directory / "second",
      joined(reversed, {"training.initial_weights=" + small_model(), "training.learning_rate=1e-9",
                        "training.steps=2", "validation.every_steps=1"})));
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.out, "exact 100.0 %");
  CHECK(vocabulary(directory / "second") == vocabulary(small_model()));
}

TEST_CASE("missing files of a model directory are made again or reported", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  const auto train = [&](const std::string& steps) {
    return run(train_command(
        model, {"training.steps=" + steps, "checkpoints.keep_last=2", "validation.every_steps=20"}));
  };
  REQUIRE(train("60").code == 0);
  const std::string weights = content(model + "/weights.safetensors"), words = vocabulary(model);
  for (const char* file : {"/weights.safetensors", "/vocabulary.json", "/checkpoints/40.safetensors"})
    std::filesystem::remove(model + file);
  const Outcome again = train("60");
  CHECK(again.code == 0);
  CHECK_CONTAINS(again.err,
                 model + "/weights.safetensors is missing; the search for the best weights starts again");
  CHECK_CONTAINS(again.err,
                 model + "/checkpoints/40.safetensors is missing; resuming without this checkpoint");
  CHECK(content(model + "/weights.safetensors") == weights);  // the weights of step 60 were the best
  CHECK(vocabulary(model) == words);
  CHECK_CONTAINS(again.err, "the vocabulary in " + model + " is missing; it is made again");
  // A damaged vocabulary is treated as missing.
  std::filesystem::resize_file(model + "/vocabulary.json", 40);
  const Outcome mended = train("60");
  CHECK(mended.code == 0);
  CHECK_THAT(mended.err, ContainsSubstring(model + "/vocabulary.json: not JSON at line ") &&
                             ContainsSubstring("; the vocabulary is made again"));
  CHECK(vocabulary(model) == words);
  // A vocabulary that does not belong to the weights is refused, and the message says what to do.
  std::string other = words;
  other.replace(other.find("zwei"), 4, "neun");
  std::ofstream(model + "/vocabulary.json") << other;
  CHECK_REFUSED(train("60"), "the vocabulary is not the one with which the training in " + model +
                                 " began; if its files there were changed, remove them");
  CHECK_REFUSED(
      run({"translate", model}, {.input = "two\n"}),
      model + "/weights.safetensors does not fit the model: it was trained with another vocabulary");
  std::filesystem::remove(model + "/vocabulary.json");
  CHECK(train("60").code == 0);
  const Outcome finished = train("60");
  CHECK(finished.err.empty());
  CHECK_CONTAINS(finished.out,
                 "has ended: it reached training.steps. No setting was changed. "
                 "To continue the training, raise this limit.");
  CHECK(train("80").code == 0);
}

TEST_CASE("a training with schedule cosine says that it cannot continue", "[program]") {
  const TemporaryDirectory directory;
  const Words command = train_command(
      directory / "model", {"training.schedule=cosine", "training.steps=40", "validation.every_steps=40"});
  CHECK(run(command).code == 0);
  CHECK_CONTAINS(run(command).out, "A training with schedule cosine cannot continue");
}
