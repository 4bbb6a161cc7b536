// Trainings that begin with another model, and model directories with missing files.
#include <fstream>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// The small corpus in reverse order: its words come in another order, so they would get other numbers.
class OtherCorpus {
 public:
  OtherCorpus() {
    for (const std::string* path : {&small_corpus().source, &small_corpus().target}) {
      std::string text;
      for (const std::string& line : lines(content(*path))) text = line + "\n" + text;
      directory_.file(path == &small_corpus().source ? "source" : "target", text);
    }
  }
  std::vector<std::string> train(const std::string& out, const std::vector<std::string>& settings) const {
    std::vector<std::string> all{"data.source=" + directory_ / "source",
                                 "data.target=" + directory_ / "target"};
    all.insert(all.end(), settings.begin(), settings.end());
    return train_command(out, all);
  }
  std::string operator/(const std::string& file) const { return directory_ / file; }

 private:
  TemporaryDirectory directory_;
};

std::string vocabulary(const std::string& model) { return content(model + "/vocabulary.json"); }

}  // namespace

TEST_CASE("a training that takes a model's weights also takes its vocabularies", "[program]") {
  const OtherCorpus other;
  const std::string first = other / "first";
  std::filesystem::copy(small_model(), first);
  // Negative control: without the model, this corpus gives its words other numbers.
  CHECK(run(other.train(other / "alone", {"training.steps=1"})).code == 0);
  REQUIRE(vocabulary(other / "alone") != vocabulary(first));

  const std::vector<std::string> settings{"training.initial_weights=" + first, "training.learning_rate=1e-9",
                                          "training.steps=2", "validation.every_steps=1"};
  const Outcome outcome = run(other.train(other / "second", settings));
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("exact 100.0 %"));
  CHECK(vocabulary(other / "second") == vocabulary(first));

  // The training can be resumed after the first model was removed.
  std::filesystem::remove_all(first);
  std::vector<std::string> further = settings;
  further[2] = "training.steps=3";
  const Outcome resumed = run(other.train(other / "second", further));
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.out, ContainsSubstring("Resuming at step 2"));
}

TEST_CASE("initial weights of a model with another tokeniser or vocabulary are refused", "[program]") {
  const OtherCorpus other;
  CHECK_REFUSED(
      run(other.train(other / "out", {"training.initial_weights=" + small_model(), "data.tokeniser=char"})),
      small_model() +
          ", the model of training.initial_weights, has other settings: data.tokeniser is "
          "\"word\" there and \"char\" here; leave them out");
  CHECK_REFUSED(run(other.train(other / "out", {"training.initial_weights=" + small_model(),
                                                "data.joint_vocabulary=false"})),
                "data.joint_vocabulary is true there and false here");
  CHECK_REFUSED(run(other.train(other / "out",
                                {"training.initial_weights=" + small_model(), "data.vocabulary_size=6"})),
                "data.vocabulary_size is 0 there and 6 here");
  CHECK_FALSE(std::filesystem::exists(other / "out"));
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
  CHECK_THAT(again.err,
             ContainsSubstring(
                 model + "/weights.safetensors is missing; the search for the best weights starts again"));
  CHECK_THAT(
      again.err,
      ContainsSubstring(model + "/checkpoints/40.safetensors is missing; resuming without this checkpoint"));
  CHECK(content(model + "/weights.safetensors") == weights);  // the weights of step 60 were the best
  CHECK(vocabulary(model) == words);
  CHECK_THAT(again.err, ContainsSubstring("the vocabulary in " + model + " is missing; it is made again"));
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
  CHECK_THAT(finished.out, ContainsSubstring("has ended: it reached training.steps. No setting was changed. "
                                             "To continue the training, raise this limit."));
  CHECK(train("80").code == 0);
}

TEST_CASE("a training with schedule cosine says that it cannot continue", "[program]") {
  const TemporaryDirectory directory;
  const std::vector<std::string> command = train_command(
      directory / "model", {"training.schedule=cosine", "training.steps=40", "validation.every_steps=40"});
  CHECK(run(command).code == 0);
  CHECK_THAT(run(command).out, ContainsSubstring("A training with schedule cosine cannot continue"));
}

TEST_CASE("beams wider than the vocabulary are refused before a training", "[program]") {
  const TemporaryDirectory directory;
  for (const std::string setting : {"decoding.beam", "validation.beam"})
    CHECK_REFUSED(
        run(train_command(directory / "model", {setting + "=13"})),
        setting + " is 13, but the target vocabulary has only 12 entries; give a beam of at most 12");
  CHECK_FALSE(std::filesystem::exists(directory / "model"));
}

TEST_CASE("the error of a training that diverges names the weights that were kept", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  const Outcome outcome = run(train_command(
      model, {"training.learning_rate=1e4", "training.optimiser=sgd", "training.schedule=constant",
              "data.validation_source=", "data.validation_target=", "checkpoints.keep_last=2",
              "validation.every_steps=1"}));
  CHECK_REFUSED(outcome, "is not finite");
  const std::string said = "the last weights that were kept are in ";
  REQUIRE_THAT(outcome.err, ContainsSubstring(said));
  const std::string kept = lines(outcome.err).back();
  const std::string weights = kept.substr(kept.find(said) + said.size());
  CHECK(weights.starts_with(model + "/checkpoints/"));
  // They are good: the next update spoilt the weights.
  std::filesystem::copy(weights, model + "/weights.safetensors");
  CHECK(run({"evaluate", model, "--source", small_corpus().source, "--reference", small_corpus().target})
            .code == 0);
}
