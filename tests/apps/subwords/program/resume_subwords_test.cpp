// A training with subwords is interrupted and resumed to the same bits.
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

std::string weights(const std::string& model) { return content(model + "/weights.safetensors"); }

/// Without a validation corpus, so that the last weights are kept.
Words steps(const std::string& count, const Words& more = {}) {
  return joined(
      {"training.epochs=0", "training.steps=" + count, "data.validation_source=", "data.validation_target="},
      more);
}

}  // namespace

TEST_CASE("a training with sampled subwords is resumed to the same bits", "[program]") {
  const TemporaryDirectory directory;
  for (const std::string type : {"bpe", "unigram"}) {
    const Words sampled = {"data.subwords.type=" + type, "data.subwords.sampling=0.2"};
    const std::string undisturbed = directory / type, model = directory / type + "2";
    CHECK(train_numbers(undisturbed, steps("30", sampled)).code == 0);
    CHECK(train_numbers(model, steps("13", sampled)).code == 0);
    REQUIRE(weights(model) != weights(undisturbed));
    const Outcome rest = train_numbers(model, steps("30", sampled));
    CHECK(rest.code == 0);
    CHECK(rest.err.empty());
    CHECK_CONTAINS(rest.out, "Resuming at step 13 ");
    CHECK_CONTAINS(rest.out, "subwords     " + type + ", 100 entries, from " + model + "\n");
    CHECK(weights(model) == weights(undisturbed));
  }
}

TEST_CASE("sampled subwords never need more positions than the model has", "[program]") {
  const TemporaryDirectory directory;
  const Words sampled = {"data.subwords.sampling=0.5", "data.max_length=12", "decoding.max_length=12"};
  const Words learned = {"model.positions.kind=learned", "model.positions.most=13"};
  const Outcome trained = train_numbers(directory / "learned", steps("30", joined(sampled, learned)));
  CHECK(trained.err == "");
  CHECK(trained.code == 0);
  if (!has_kind("luong2015")) return;
  const Words location =
      recurrent_preset("luong2015", {"model.attention.score=location", "model.attention.positions=13"});
  const Outcome recurrent = train_numbers(directory / "location", steps("30", joined(sampled, location)));
  CHECK(recurrent.err == "");
  CHECK(recurrent.code == 0);
}

TEST_CASE("sampled subwords belong to the lines of the corpus", "[program]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("source", fmt::format("\n{}", content(numbers().source)));
  const std::string target = directory.file("target", fmt::format("\n{}", content(numbers().target)));
  const Words moved = {"data.source=" + source, "data.target=" + target};
  const auto then = [&](Words settings) {
    const std::string model = directory / ("model" + settings.back());
    CHECK(train_numbers(model, steps("3", settings)).code == 0);
    settings.insert(settings.end(), moved.begin(), moved.end());
    return train_numbers(model, steps("5", settings));
  };
  CHECK_REFUSED(then({"data.subwords.sampling=0.2"}),
                "the training corpus is not the one with which the training in");
  CHECK(then({"data.subwords.sampling=0"}).code == 0);  // the same pairs of sentences
}

TEST_CASE("a model of subwords can be moved or removed, but not replaced by another", "[program]") {
  const TemporaryDirectory directory;
  CHECK(train_numbers(directory / "first", steps("1")).code == 0);
  CHECK(train_numbers(directory / "second", steps("1", {"data.subwords.type=unigram"})).code == 0);
  const std::string given = directory / "given.model", model = directory / "model";
  const auto trained = [&](const std::string& until, const std::string& path) {
    return train_numbers(model, steps(until, {"data.subwords.model=" + path}));
  };
  std::filesystem::copy_file(directory / "second/subwords.model", given);
  CHECK(trained("2", given).code == 0);
  CHECK(trained("3", directory / "second/subwords.model").code == 0);
  const auto overwrite = std::filesystem::copy_options::overwrite_existing;
  std::filesystem::copy_file(directory / "first/subwords.model", given, overwrite);
  CHECK_REFUSED(trained("4", given), "data.subwords.model: " + given +
                                         " is not the model with which the training in " + model + " began");
  std::filesystem::remove(given);
  CHECK(trained("4", given).code == 0);
  CHECK(train_numbers(model, steps("5")).code == 0);
}

TEST_CASE("missing subwords are made again", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  CHECK(train_numbers(model, steps("2")).code == 0);
  const std::string before = content(model + "/subwords.model");
  std::filesystem::remove(model + "/subwords.model");
  CHECK(train_numbers(model, steps("3")).code == 0);
  CHECK(content(model + "/subwords.model") == before);
}

TEST_CASE("memory that runs out while subwords are sampled ends the program with a sentence", "[program]") {
  if (!can_limit_addresses) return;
  const TemporaryDirectory directory;
  std::string line;
  for (int i = 0; i < 30'000; ++i) line += "one ";
  const std::string source = directory.file("source", fmt::format("{}\n{}", line, content(numbers().source)));
  const std::string target = directory.file("target", fmt::format("{}\n{}", line, content(numbers().target)));
  // The subwords are learnt before: this takes 16 threads, for which such a limit may leave no room.
  const std::string subwords = directory / "learnt/subwords.model";
  REQUIRE(train_numbers(directory / "learnt", {"training.steps=1", "data.source=" + source,
                                               "data.target=" + target, "data.subwords.type=unigram"})
              .code == 0);
  const Words command =
      with_settings({"train", numbers().config, "--out", directory / "model"},
                    steps("2", {"data.source=" + source, "data.target=" + target, "data.max_length=1000000",
                                "data.subwords.model=" + subwords, "data.subwords.sampling=0.5",
                                "data.subwords.sampling_n_best=512"}));
  constexpr rlim_t megabyte = rlim_t{1} << 20;
  CHECK_REFUSED(run(command, {.addresses = 600 * megabyte}), "out of memory");
}

TEST_CASE("a missing validation corpus is found before subwords are learnt", "[program]") {
  const TemporaryDirectory directory;
  const Outcome outcome =
      train_numbers(directory / "model", {"data.validation_source=" + directory / "not there"});
  CHECK_REFUSED(outcome, "not there: No such file");
  CHECK_THAT(outcome.out, !ContainsSubstring("Learning"));
}
