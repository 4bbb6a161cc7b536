// `regard translate --exact`
#include <algorithm>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// The translations of these lines, or the error message.
std::string translated(const std::string& text, Words options = {}) {
  options.insert(options.begin(), {"translate", small_model()});
  const Outcome outcome = run(options, {.input = text});
  return outcome.code == 0 ? outcome.out + outcome.err : outcome.err;
}

/// The two halves of a line at its tab.
std::pair<std::string, std::string> at_tab(const std::string& line) {
  const std::size_t tab = line.find('\t');
  return {line.substr(0, tab), line.substr(std::min(line.size(), tab + 1))};
}

}  // namespace

TEST_CASE("--exact writes translations, and says which may not be the most probable", "[program]") {
  const Words exact = lines(translated("one two\n\nfour four one\n", {"--exact", "--scores"}));
  REQUIRE(exact.size() == 3);
  CHECK(at_tab(exact[0]).second == "eins zwei");
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
