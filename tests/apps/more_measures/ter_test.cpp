// TER in cases that can be checked by hand.
#include "apps/more_measures/ter.h"

#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::tests;
using namespace regard::translation;
using Words = std::vector<std::string>;

namespace {

regard::Index edits(const std::string& hypothesis, const std::string& reference) {
  return translation_edits(words_for_ter(hypothesis, {}), words_for_ter(reference, {}));
}

double score(const Words& hypotheses, const References& references, const TerOptions& options = {}) {
  TerCounts sum;
  for (const TerCounts& counts : ter_counts(hypotheses, references, options)) sum += counts;
  return ter(sum);
}

}  // namespace

TEST_CASE("an inserted, a deleted, a replaced word and a shift are one edit each", "[ter]") {
  CHECK(edits("a b c", "a b c") == 0);
  CHECK(edits("a b c d", "a b d") == 1);
  CHECK(edits("a b", "a b c") == 1);
  CHECK(edits("a x c", "a b c") == 1);
  CHECK(edits("d e f a b c g", "a b c d e f g") == 1);  // a distance without shifts is 6
  CHECK(edits("c a b", "a b c") == 1);
  // Snover et al. 2006, section 3: four edits: a shift, two replaced words, an inserted one.
  CHECK(edits("THIS WEEK THE SAUDIS denied information published in the new york times",
              "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times") == 4);
}

TEST_CASE("a shift must be of words that both texts have, and not too far or too long", "[ter]") {
  const auto range = [](int from, int to, const std::string& name) {
    std::string text;
    for (int i = from; i < to; ++i) text += fmt::format("{}{} ", name, i);
    return text;
  };
  // Ten words at a time, so eleven that move take two shifts.
  CHECK(edits(range(0, 10, "m") + range(0, 30, "w"), range(0, 30, "w") + range(0, 10, "m")) == 1);
  CHECK(edits(range(0, 11, "m") + range(0, 30, "w"), range(0, 30, "w") + range(0, 11, "m")) == 2);
  // A word that has to move over 51 others is deleted and inserted.
  CHECK(edits("m " + range(0, 50, "w"), range(0, 50, "w") + "m") == 1);
  CHECK(edits("m " + range(0, 51, "w"), range(0, 51, "w") + "m") == 2);
}

TEST_CASE("the edits are those of the nearest reference, the length is the mean", "[ter]") {
  const References references{{"a b c d", "x"}, {"a b", "y z"}};
  const auto counts = ter_counts({"a b c", "y z"}, references);
  CHECK(counts[0].edits == 1);
  CHECK(counts[0].reference_length == 3);
  CHECK(counts[1].edits == 0);
  CHECK(counts[1].reference_length == 1.5);
  CHECK(score({"a b c", "y z"}, references) == Approx(100 / 4.5));
  CHECK(score({""}, {{""}}) == 0);
  CHECK(score({"a b"}, {{""}}) == 100);
  CHECK(score({"a b", "c"}, {{"", "c"}}) == 200);  // may be above 100
  CHECK_ERROR(score({"a"}, {{"a", "b"}}), "TER: 1 hypotheses, but 2 references");
  CHECK_ERROR(score({"\xFF"}, {{"a"}}), "not UTF-8");
}

TEST_CASE("the options of TER choose what a word is", "[ter]") {
  const std::string text = "It's \"John's\", 3.5 (ok).";
  CHECK(words_for_ter(text, {}) == Words{"it's", "\"john's\",", "3.5", "(ok)."});
  CHECK(words_for_ter(text, {.normalized = true, .case_sensitive = true}) ==
        Words{"It", "'s", "\"", "John", "'s", "\"", ",", "3.5", "(", "ok", ")", "."});
  CHECK(words_for_ter(text, {.no_punct = true}) == Words{"it's", "john's", "35", "ok"});
  CHECK(words_for_ter("我很好。", {.normalized = true}) == Words{"我很好。"});
  CHECK(words_for_ter("我很好。ひら", {.normalized = true, .asian_support = true}) ==
        Words{"我", "很", "好", "。", "ひら"});
  CHECK(words_for_ter("我很好。!", {.no_punct = true, .asian_support = true}) == Words{"我很好"});
  CHECK(signature({.no_punct = true}, 3)
            .starts_with("nrefs:3|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:regard-"));
}
