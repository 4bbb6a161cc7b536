// Variants of one training: some change the weights, others must not change a bit.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using Json = nlohmann::json;

namespace {

/// The weights after a training with these settings.
std::string weights_after(const std::vector<std::string>& settings) {
  const TemporaryDirectory directory;
  std::vector<std::string> all = {"training.steps=6", "training.warmup_steps=6"};
  all.insert(all.end(), settings.begin(), settings.end());
  const Outcome outcome = run(train_command(directory / "model", all));
  if (outcome.code != 0 || !outcome.err.empty()) return outcome.err;
  return content(directory / "model/weights.safetensors");
}

struct Trained {
  TemporaryDirectory directory;
  Outcome outcome;
  std::string model;

  explicit Trained(const std::vector<std::string>& settings)
      : outcome(run(train_command(directory / "model", settings))), model(directory / "model") {}

  /// The losses of the training, in the order of the log.
  std::vector<double> losses() const {
    std::vector<double> result;
    for (const std::string& line : lines(content(model + "/metrics.jsonl")))
      if (const Json entry = Json::parse(line); entry.contains("loss")) result.push_back(entry.at("loss"));
    return result;
  }
};

}  // namespace

TEST_CASE("the same seed gives the same bytes, another seed gives others", "[program]") {
  const std::vector<std::string> dropout = {"model.dropout=0.2"};
  const std::string weights = weights_after(dropout);
  CHECK(weights.size() > 10'000);
  CHECK(weights_after(dropout) == weights);
  CHECK(weights_after({"model.dropout=0.2", "training.seed=2"}) != weights);
  CHECK(weights_after({"model.dropout=0.3"}) != weights);
}

TEST_CASE("the number of threads changes no bit", "[program]") {
  // Large enough, so that products and kernels are divided among the threads.
  const auto with_threads = [](const std::string& threads) {
    const Trained trained({"training.steps=6", "model.d_model=128", "model.heads=4", "model.d_ff=256",
                           "model.dropout=0.1", "training.batch_tokens=2000", "training.threads=" + threads});
    CHECK_THAT(trained.outcome.out, ContainsSubstring(" parameters, " + threads + " threads\n"));
    return content(trained.model + "/weights.safetensors");
  };
  const std::string weights = with_threads("1");
  CHECK(weights.size() > 1'000'000);
  CHECK(with_threads("2") == weights);
  CHECK(with_threads("5") == weights);
}

TEST_CASE("a corpus in one file is the same corpus", "[program]") {
  const std::string tsv = small_corpus().tsv;
  CHECK(weights_after({"data.source=", "data.target=", "data.tsv=" + tsv, "data.validation_source=",
                       "data.validation_target=", "data.validation_tsv=" + tsv}) == weights_after({}));
}

TEST_CASE("without a validation corpus the last weights are kept", "[program]") {
  const std::vector<std::string> none = {
      "data.validation_source=", "data.validation_target=", "validation.every_steps=0"};
  // The last of these six steps is also the best.
  CHECK(weights_after(none) == weights_after({"validation.every_steps=6"}));
}

TEST_CASE("each side can have a vocabulary of its own", "[program]") {
  const Trained trained({"data.joint_vocabulary=false", "model.shared_embeddings=target_output"});
  CHECK(trained.outcome.code == 0);
  CHECK_THAT(trained.outcome.out, ContainsSubstring("8 source and 8 target entries\n"));
  const auto files = files_below(trained.model);
  CHECK(files.count("vocabulary.json") == 0);
  CHECK_THAT(files.at("vocabulary.source.json"), ContainsSubstring("three") && !ContainsSubstring("drei"));
  CHECK_THAT(files.at("vocabulary.target.json"), ContainsSubstring("drei") && !ContainsSubstring("three"));
  const Outcome translated = run({"translate", trained.model}, {.input = "four one\ndrei\n"});
  CHECK(translated.code == 0);
  CHECK_THAT(translated.out, ContainsSubstring("vier eins\n"));
  CHECK(translated.err == "regard: line 2: not in the vocabulary, read as <unk>: drei\n");
}

TEST_CASE("characters can be tokens", "[program]") {
  const Trained trained({"data.tokeniser=char", "training.steps=150"});
  CHECK(trained.outcome.code == 0);
  const Json vocabulary = Json::parse(content(trained.model + "/vocabulary.json"));
  for (const std::string token : vocabulary.at("tokens"))
    CHECK((token.starts_with("<") || token.size() <= 3));
  const Outcome translated = run({"translate", trained.model}, {.input = "one\n\ntwo four\n"});
  CHECK(translated.code == 0);
  CHECK(translated.err.empty());
  CHECK(translated.out == "eins\n\nzwei vier\n");
}

TEST_CASE("stochastic gradient descent learns as well", "[program]") {
  const Trained trained(
      {"training.optimiser=sgd", "training.schedule=constant", "training.learning_rate=0.3"});
  CHECK(trained.outcome.code == 0);
  const std::vector<double> losses = trained.losses();
  REQUIRE(losses.size() == 5);
  CHECK(losses.back() < 0.7 * losses.front());
}

TEST_CASE("accumulated batches make fewer steps", "[program]") {
  const std::vector<std::string> epoch = {"training.steps=0", "training.epochs=1", "training.batch_tokens=30",
                                          "validation.every_steps=0", "training.log_every=1"};
  std::vector<std::string> accumulated = epoch;
  accumulated.push_back("training.accumulate=3");
  const std::size_t batches = Trained(epoch).losses().size();
  CHECK(batches > 10);
  CHECK(Trained(accumulated).losses().size() == (batches + 2) / 3);
}
