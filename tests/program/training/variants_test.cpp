// Variants of one training: some change the weights, others must not change a bit. And what the program says
// at the beginning of a training, and when one goes wrong.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using Json = nlohmann::json;

namespace {

/// The weights after a training with these settings.
std::string weights_after(const Words& settings) {
  const TemporaryDirectory directory;
  const Outcome outcome = run(
      train_command(directory / "model", joined({"training.steps=6", "training.warmup_steps=6"}, settings)));
  if (outcome.code != 0 || !outcome.err.empty()) return outcome.err;
  return content(directory / "model/weights.safetensors");
}

struct Trained {
  TemporaryDirectory directory;
  Outcome outcome;
  std::string model;

  explicit Trained(const Words& settings)
      : outcome(run(train_command(directory / "model", settings))), model(directory / "model") {}
};

}  // namespace

TEST_CASE("the same seed gives the same bytes, another seed gives others", "[program]") {
  const Words dropout = {"model.dropout=0.2"};
  const std::string weights = weights_after(dropout);
  CHECK(weights.size() > 10'000);
  CHECK(weights_after(dropout) == weights);
  CHECK(weights_after({"model.dropout=0.2", "training.seed=2"}) != weights);
  CHECK(weights_after({"model.dropout=0.3"}) != weights);
}

TEST_CASE("a corpus in one file is the same corpus", "[program]") {
  const std::string tsv = small_corpus().tsv;
  CHECK(weights_after({"data.source=", "data.target=", "data.tsv=" + tsv, "data.validation_source=",
                       "data.validation_target=", "data.validation_tsv=" + tsv}) == weights_after({}));
}

TEST_CASE("each side can have a vocabulary of its own", "[program]") {
  const Trained trained({"data.joint_vocabulary=false", "model.shared_embeddings=target_output"});
  CHECK(trained.outcome.code == 0);
  CHECK_CONTAINS(trained.outcome.out, "8 source and 8 target entries\n");
  const auto files = files_below(trained.model);
  CHECK(files.count("vocabulary.json") == 0);
  CHECK_THAT(files.at("vocabulary.source.json"), ContainsSubstring("three") && !ContainsSubstring("drei"));
  CHECK_THAT(files.at("vocabulary.target.json"), ContainsSubstring("drei") && !ContainsSubstring("three"));
  const Outcome translated = run({"translate", trained.model}, {.input = "four one\ndrei\n"});
  CHECK(translated.code == 0);
  CHECK_CONTAINS(translated.out, "vier eins\n");
  CHECK(translated.err == "regard: line 2: not in the vocabulary, read as <unk>: drei\n");
}

TEST_CASE("characters can be tokens", "[program]") {
  const Trained trained({"data.tokeniser=char", "training.steps=150"});
  CHECK(trained.outcome.code == 0);
  const Json vocabulary = Json::parse(content(trained.model + "/vocabulary.json"));
  for (const std::string token : vocabulary.at("tokens"))
    CHECK((token.starts_with("<") || token.size() <= 3));
  const Outcome translated = run_well({"translate", trained.model}, {.input = "one\n\ntwo four\n"});
  CHECK(translated.out == "eins\n\nzwei vier\n");
}

namespace {

/// The line of the output that begins with this word; empty if there is none.
std::string line_of(const std::string& word, const std::string& text) {
  for (const std::string& line : lines(text))
    if (line.starts_with(word + " ")) return line;
  return "";
}

}  // namespace

TEST_CASE("a training with frozen parameters begins with their names and number", "[program]") {
  const TemporaryDirectory directory;
  const auto trained = [&](const std::string& frozen, const std::string& shared) {
    std::filesystem::remove_all(directory / "model");
    return run(train_command(directory / "model", {"training.steps=1", "model.shared_embeddings=" + shared,
                                                   "training.freeze=" + frozen}))
        .out;
  };
  // Embeddings of 12 tokens with the width 32. The encoder: attention 4 x (32 x 32 + 32), feed-forward 2 x
  // (32 x 32 + 32), three norms of 64. The decoder has one attention and one norm more.
  const std::string shared = "src_embed.weight (shared: tgt_embed.weight, generator.weight): 384";
  std::string said = trained("[\"encoder\"]", "all");
  CHECK(line_of("frozen", said) == "frozen       6528 of 17728 parameters; encoder: 6528");
  CHECK(line_of("trained", said) == "trained      11200 of 17728 parameters; " + shared + "; decoder: 10816");
  for (const char* name : {"src_embed", "tgt_embed", "generator.weight"}) {  // each name freezes the matrix
    CAPTURE(name);
    said = trained(fmt::format("[\"{}\"]", name), "all");
    CHECK(line_of("frozen", said) == "frozen       384 of 17728 parameters; " + shared);
  }
  said = trained("[\"src_embed\", \"decoder.layers.0.norm1\"]", "none");
  CHECK(line_of("frozen", said) ==
        "frozen       448 of 18496 parameters; src_embed: 384; decoder.layers.0.norm1: 64");
  CHECK_CONTAINS(line_of("trained", said),
                 " parameters; tgt_embed: 384; generator: 384; encoder: "
                 "6528; decoder.layers.0.self_attn: 4224; ");
  CHECK(line_of("frozen", trained("[]", "all")).empty());
}

TEST_CASE("a training that diverges says so once, and what to lower", "[program]") {
  const TemporaryDirectory directory;
  const auto train = [&](const std::string& rate) {
    return run(train_command(directory / rate,
                             {"training.learning_rate=" + rate, "training.optimiser=sgd", "training.steps=6",
                              "training.schedule=constant", "training.gradient_clip_norm=1",
                              "validation.every_steps=2", "training.log_every=1"}));
  };
  const Outcome outcome = train("1e4");
  CHECK(outcome.code == 0);
  CHECK(lines(outcome.err).size() == 1);
  CHECK_CONTAINS(outcome.err,
                 ", but guessing among the 12 tokens of the target vocabulary has "
                 "the loss log 12 = 2.48, so the training diverges; set a lower "
                 "learning_rate");
  CHECK_THAT(outcome.out, ContainsSubstring("best") && !ContainsSubstring("inf"));
  const Outcome evaluated = run(evaluate_command(directory / "1e4"));
  CHECK_THAT(evaluated.out, ContainsSubstring("e+") && !ContainsSubstring("inf"));
  CHECK(train("0.01").err.empty());
}
