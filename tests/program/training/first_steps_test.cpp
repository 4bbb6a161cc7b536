// What the program says at the beginning of a training, and when one goes wrong.
#include "tests/catch.h"
#include "tests/program/support/numbers.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

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
  CHECK_THAT(line_of("trained", said),
             ContainsSubstring(" parameters; tgt_embed: 384; generator: 384; encoder: "
                               "6528; decoder.layers.0.self_attn: 4224; "));
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
  CHECK_THAT(outcome.err, ContainsSubstring(", but guessing among the 12 tokens of the target vocabulary has "
                                            "the loss log 12 = 2.48, so the training diverges; set a lower "
                                            "learning_rate"));
  CHECK_THAT(outcome.out, ContainsSubstring("best") && !ContainsSubstring("inf"));
  const Outcome evaluated = run({"evaluate", directory / "1e4", "--source", small_corpus().source,
                                 "--reference", small_corpus().target});
  CHECK_THAT(evaluated.out, ContainsSubstring("e+") && !ContainsSubstring("inf"));
  CHECK(train("0.01").err.empty());
}

TEST_CASE("an output that cannot be written is refused before a corpus is read", "[program]") {
  const TemporaryDirectory directory;
  const std::string unread = "data.source=" + directory / "not there";
  CHECK_REFUSED(run(train_command(directory / "model", {unread})), "not there");
  CHECK(directory.entries() == 0);
  std::filesystem::create_directory(directory / "model");
  directory.file("model/state", "");
  CHECK_REFUSED(run(train_command(directory / "model", {unread})),
                "cannot make the directory " + directory / "model/state");
  if (!std::filesystem::is_directory("/proc/self")) return;
  // Root has the permission to write there, but nobody can.
  CHECK_REFUSED(run(train_command("/proc/model", {unread})), "cannot write into the directory /proc: ");
  CHECK_REFUSED(run({"vocabulary", "--input", directory / "not there", "--output", "/proc/x"}),
                "cannot write into the directory /proc: ");
}

TEST_CASE("a missing validation corpus is found before subwords are learnt", "[program]") {
  const TemporaryDirectory directory;
  const Outcome outcome =
      train_numbers(directory / "model", {"data.validation_source=" + directory / "not there"});
  CHECK_REFUSED(outcome, "not there: No such file");
  CHECK_THAT(outcome.out, !ContainsSubstring("Learning"));
}
