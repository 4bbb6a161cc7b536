#include "tests/apps/metrics/corpus_chrf.h"
#include "tests/apps/support.h"

using namespace regard::translation;
using regard::Index;
using regard::tests::corpus_chrf;

TEST_CASE("chrF2 equals a result computed by hand", "[chrf]") {
  // Characters: precision 2 of 2, recall 2 of 3. Pairs: precision 1 of 1, recall 1 of 2. Only the reference
  // has triples, so they do not count. P = 1, R = (2/3 + 1/2) / 2 = 7/12, F2 = 5 PR / (4P + R) = 7/11.
  CHECK(corpus_chrf({"ab"}, {"abc"}) == Approx(100 * 7.0 / 11));
  // With the texts exchanged, P = 7/12 and R = 1: F2 = (35/12) / (28/12 + 1) = 35/40. Recall counts more.
  CHECK(corpus_chrf({"abc"}, {"ab"}) == Approx(100 * 35.0 / 40));
}

TEST_CASE("chrF counts characters, not bytes, and no blanks", "[chrf]") {
  CHECK(corpus_chrf({"ü b"}, {"üb c"}) == corpus_chrf({"xb"}, {"xbc"}));
  CHECK(corpus_chrf({"ä"}, {"ö"}) == 0);  // they share a byte
  CHECK(corpus_chrf({"ÄB"}, {"äb"}) == 0);
  CHECK(corpus_chrf({"ÄB"}, {"äb"}, {.lowercase = true}) == Approx(100));
}

TEST_CASE("chrF of a corpus comes from summed counts", "[chrf]") {
  const auto counts = chrf_counts({"abcd", "xy"}, {"abce", "yx"});
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].matches == std::array<Index, 6>{3, 2, 1, 0, 0, 0});
  CHECK(counts[1].matches == std::array<Index, 6>{2, 0, 0, 0, 0, 0});
  ChrfCounts sum = counts[0];
  sum += counts[1];
  CHECK(chrf(sum) == corpus_chrf({"abcd", "xy"}, {"abce", "yx"}));
  // n = 1: 5 of 6, 2: 2 of 4, 3: 1 of 2, 4: 0 of 1, the same for P and R.
  CHECK(chrf(sum) == Approx(100 * (5.0 / 6 + 0.5 + 0.5) / 4));
}

TEST_CASE("chrF of empty texts is 0", "[chrf]") {
  CHECK(corpus_chrf({""}, {"abc"}) == 0);
  CHECK(corpus_chrf({"abc"}, {" "}) == 0);
  CHECK(chrf_counts({"abc"}, {" "})[0].hypothesis[0] == 0);
  CHECK_ERROR(corpus_chrf({"a"}, {}), "1 hypotheses, but 0 references");
}
