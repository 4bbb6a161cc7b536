// `regard translate --sample`
#include <set>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

const std::string five_lines = "one two\n\nthree\nfour four\none\n";

Words sampled(const std::string& input, Words options = {}) {
  options.insert(options.begin(), {"translate", small_model(), "--sample"});
  const Outcome outcome = run(options, {.input = input});
  CHECK(outcome.code == 0);  // a warning counts the samples that reach their greatest length
  return lines(outcome.out);
}

}  // namespace

TEST_CASE("samples are written like translations, and the same seed gives the same samples", "[program]") {
  // The temperature is so high that all words are equally likely.
  const Words hot = {"--temperature", "1000", "--max-length", "6", "--n-best", "4", "--scores"};
  const Words found = sampled(five_lines, hot);
  REQUIRE(found.size() == 4 * 4 + 1);
  std::set<std::string> distinct;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string number = found[i].substr(0, found[i].find('\t'));
    CHECK(number == (i < 4 ? "1" : i == 4 ? "2" : i < 9 ? "3" : i < 13 ? "4" : "5"));
    distinct.insert(found[i].substr(found[i].rfind('\t')));
  }
  CHECK(distinct.size() > 10);
  CHECK(sampled(five_lines, hot) == found);

  Words another = hot;
  another.insert(another.end(), {"--seed", "2"});
  CHECK(sampled(five_lines, another) != found);
}

TEST_CASE("options of sampling that make no sense are refused", "[program]") {
  const auto refused = [](Words options, const std::string& why) {
    options.insert(options.begin(), {"translate", small_model()});
    const Outcome outcome = run(options, {.input = five_lines});
    CHECK_REFUSED(outcome, why);
    CHECK(outcome.out.empty());
  };
  refused({"--temperature", "1"}, "--temperature requires --sample");
  refused({"--top-k", "1"}, "--top-k requires --sample");
  refused({"--top-p", "1"}, "--top-p requires --sample");
  refused({"--seed", "1"}, "--seed requires --sample");
  refused({"--sample", "--beam", "3"}, "--beam excludes --sample");
  refused({"--sample", "--prefix", "eins"}, "--prefix excludes --sample");
  refused({"--sample", "--attention"}, "--attention excludes --sample");
  refused({"--sample", "--top-p", "0"}, "top_p is 0; it must be above 0 and at most 1");
  refused({"--sample", "--seed", "99999999999999999999"}, "99999999999999999999 is too large");
  refused({"--sample", "--seed", "-1"}, "-1 is negative");
}
