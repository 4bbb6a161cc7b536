// `regard translate --exact`
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

TEST_CASE("--exact writes translations, and says which may not be the most probable", "[program]") {
  // The translations of these lines, or the error message.
  const auto translated = [](const std::string& text, const Words& options) {
    const Outcome outcome = run(joined({"translate", small_model()}, options), {.input = text});
    return outcome.code == 0 ? outcome.out + outcome.err : outcome.err;
  };
  const Words exact = lines(translated("one two\n\nfour four one\n", {"--exact", "--scores"}));
  REQUIRE(exact.size() == 3);
  CHECK(exact[0].ends_with("\teins zwei"));
  CHECK(exact[1] == "\t");
  const Outcome limited =
      run({"translate", small_model(), "--exact", "--most-expansions", "0", "--alignments"},
          {.input = "one two\n"});
  CHECK(limited.code == 0);
  CHECK_CONTAINS(limited.out, "eins zwei\t0-0");
  CHECK_CONTAINS(limited.err, "line 1: the exact search ended after 0 expansions");
  for (const Words& option :
       {Words{"--n-best", "2"}, {"--alpha", "1"}, {"--prefix", "eins"}, {"--length-penalty", "wu"}})
    CHECK_CONTAINS(translated("one\n", joined({"--exact"}, option)), "excludes");
  if (has_option("translate", "--sample"))
    CHECK_CONTAINS(translated("one\n", {"--exact", "--sample"}), "--sample excludes --exact");
  CHECK_CONTAINS(translated("one\n", {"--most-expansions", "5"}), "--most-expansions requires --exact");
  CHECK_CONTAINS(translated("one\n", {"--exact", "--most-expansions", "-1"}),
                 "--most-expansions: -1 is too small; give at least 0");
}
