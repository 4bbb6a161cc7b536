// `--glossary`, `--line-terms` and `--line-prefixes`, and the setting data.glossary.
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

Words translated(const Words& options, const std::string& input) {
  return lines(run_well(joined({"translate", small_model()}, options), {.input = input}).out);
}

}  // namespace

TEST_CASE("translations keep to a glossary", "[program]") {
  const TemporaryDirectory directory;
  const std::string terms = directory.file("terms.tsv", "one\tvier|drei\nOne two\tzwei\tany\n");
  const std::string input = "one three\ntwo\none\n\none two\n";
  CHECK(translated({}, input) == Words{"eins drei", "zwei", "eins", "", "eins zwei"});
  for (const Words& more : std::vector<Words>{{}, {"--beam", "1"}, {"--sample"}, {"--exact"}}) {
    if (!more.empty() && !has_option("translate", more.front())) continue;
    CAPTURE(more);
    const Words with = translated(joined({"--glossary", terms}, more), input);
    REQUIRE(with.size() == 5);
    CHECK((with[2].find("vier") != std::string::npos || with[2].find("drei") != std::string::npos));
    CHECK_CONTAINS(with[4], "zwei");
    if (more != Words{"--sample"}) CHECK(with[0] == "eins drei");  // it has one of both
    if (more != Words{"--sample"}) CHECK(with[1] == "zwei");
  }
  CHECK(translated({"--glossary", terms, "--search-terms=false"}, input) == translated({}, input));
  CHECK(run({"evaluate", small_model(), "--source", small_corpus().source, "--reference",
             small_corpus().target, "--glossary", terms})
            .out != run(evaluate_command(small_model())).out);
}

TEST_CASE("a glossary of ten thousand terms is read", "[program]") {
  const TemporaryDirectory directory;
  std::string terms;
  for (int i = 0; i < 10'000; ++i) terms += "term" + std::to_string(i) + "\teins\n";
  const Outcome outcome =
      run({"translate", small_model(), "--glossary", directory.file("terms", terms)}, {.input = "two\n"});
  CHECK(outcome.out == "zwei\n");
  CHECK_CONTAINS(outcome.err, "\"term0\" and 9999 more cannot be found");
}

TEST_CASE("a wrong glossary is refused, and nothing is written", "[program]") {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& content, const std::string& message) {
    const std::string path = directory.file("terms.tsv", content);
    const Outcome outcome = run({"translate", small_model(), "--glossary", path}, {.input = "one\n"});
    CHECK_REFUSED(outcome, path + ", line 2: " + message);
    CHECK(outcome.out.empty());
  };
  refused("one\teins\nno tab\n", "expected a source term, a tab and its translation");
  refused("one\teins\n\teins\n", "a term is empty");
  refused("one\teins\ntwo\tzebra\n", "the vocabulary of the model cannot write \"zebra\"");
  refused("one\teins\nOne\tzwei\n", "\"One\" stands in");
  CHECK_REFUSED(run({"translate", small_model(), "--glossary", directory / "none"}), "none");
}

TEST_CASE("each line has its own terms and its own beginning", "[program]") {
  const Words terms = translated({"--line-terms"}, "one\tvier\none\none\tdrei\tzwei|vier\n");
  REQUIRE(terms.size() == 3);
  CHECK_CONTAINS(terms[0], "vier");
  CHECK(terms[1] == "eins");
  CHECK_CONTAINS(terms[2], "drei");
  CHECK((terms[2].find("zwei") != std::string::npos || terms[2].find("vier") != std::string::npos));
  const Words both =
      translated({"--line-prefixes", "--line-terms"}, "one\tzwei drei\tvier\none\t\tvier\none\n");
  REQUIRE(both.size() == 3);
  CHECK(both[0].starts_with("zwei drei"));
  CHECK_CONTAINS(both[0], "vier");
  CHECK_CONTAINS(both[1], "vier");
  CHECK(both[2] == "eins");
  CHECK(translated({"--line-terms", "--line-prefixes"}, "one\tdrei\n").at(0).starts_with("drei"));
  const auto refused = [](const Words& options, const std::string& input, const std::string& message) {
    CHECK_REFUSED(run(joined({"translate", small_model()}, options), {.input = input}), message);
  };
  refused({"--line-terms"}, "one\tzwei\none\tzebra\n", "line 2: the vocabulary of the model cannot write");
  refused({"--line-terms"}, "one\t \n", "line 1: a term is empty");
  CHECK(translated({"--line-terms"}, "one\t\nfour\n") == translated({}, "one\nfour\n"));
  CHECK(run({"translate", small_model(), "--line-prefixes"}).code != 0);
  if (has_option("translate", "--sample"))
    CHECK(run({"translate", small_model(), "--line-terms", "--sample"}).code != 0);
  for (const std::string other : {"--document", "--markup"})  // they read lines in another way
    if (has_option("translate", other))
      CHECK_REFUSED(run({"translate", small_model(), "--line-terms", other}), "excludes");
}

TEST_CASE("a warning names the terms that the model cannot read", "[program]") {
  const TemporaryDirectory directory;
  const std::string terms = directory.file("terms.tsv", "ONE\tvier\nseven\teins\nnin*\teins\nten\teins\n");
  const Outcome outcome = run({"translate", small_model(), "--glossary", terms}, {.input = "one\n"});
  CHECK_CONTAINS(outcome.out, "vier");
  CHECK(outcome.err ==
        "regard: warning: " + terms +
            ", line 2: \"seven\" and 1 more cannot be found in a sentence, because the model does not "
            "know a word of it\n");
}

TEST_CASE("a model that was trained with a glossary reads its terms beside the source", "[program]") {
  const TemporaryDirectory directory;
  const std::string terms = directory.file("terms.tsv", "one\teins\ntwo\tzwei\n"),
                    model = directory / "model";
  CHECK(run(train_command(model, {"data.glossary=" + terms, "training.steps=3"})).code == 0);
  CHECK_CONTAINS(content(model + "/vocabulary.json"), "⟦");
  const auto tokens = [&](const Words& options) {
    return run(joined({"translate", model, "--alignments"}, options), {.input = "two four\n"}).out;
  };
  CHECK_CONTAINS(tokens({"--glossary", terms}), "two ⟦ zwei ⟧ four");
  CHECK_CONTAINS(tokens({"--glossary", terms, "--search-terms=false"}), "two ⟦ zwei ⟧ four");
  CHECK(tokens({}).find("⟦") == std::string::npos);
  CHECK_REFUSED(run(train_command(directory / "other", {"data.glossary=" + directory / "none"})), "none");
}
