#include "apps/experiments/rules/formula.h"

#include <cmath>

#include "tests/apps/support.h"

using namespace regard;
using namespace regard::experiments;

namespace {

/// a(x) is 8, a(y) is 2, a(y)[3] is 5, and 'a b'(...) is of the variant "no a".
double computed(const std::string& expression) {
  return value(read_comparison(expression + " >= 0", "mine.json").formula, [](const Formula& entry) {
    if (entry.variant == "no a") return 100.0;
    if (entry.variant == "x") return 8.0;
    return entry.index == 3 ? 5.0 : 2.0;
  });
}

std::string refused(const std::string& formula) { return MESSAGE_OF(read_comparison(formula, "mine.json")); }

}  // namespace

TEST_CASE("a formula has the number that a hand calculation has", "[experiments]") {
  CHECK(computed("a(x) - a(y)[3]") == 3);
  CHECK(computed("a(x) - a(y) - a(y)[3]") == 1);  // from the left
  CHECK(computed("a(x) - (a(y) - a(y)[3])") == 11);
  CHECK(computed("1 + 2 * a(x)") == 17);
  CHECK(computed("(1 + 2) * a(x)") == 24);
  CHECK(computed("a(x) / a(y) / 2") == 2);
  CHECK(computed("-a(x) + 10") == 2);
  CHECK(computed("2 * -a(x)") == -16);
  CHECK(computed("--a(x)") == 8);
  CHECK(computed("a('no a') + a(\"no a\")") == 200);
  CHECK(computed("log(a(x)) / log(a(y))") == Approx(3));
  CHECK(computed("abs(a(y) - a(x))") == 6);
  CHECK(computed("min(a(x), a(y), 3)") == 2);
  CHECK(computed("max(a(x), a(y), 30)") == 30);
  CHECK(computed("mean(a(x), a(y), 5)") == 5);
  CHECK(computed("max(a(x))") == 8);
  CHECK(computed(" a ( x ) [ 0 ] * .5e1 ") == 40);
  CHECK(std::isinf(computed("1 / (a(y) - 2)")));
  // A difference of differences, as "one head loses more without positions".
  CHECK(computed("(a(x) - a(y)) - (a(y)[3] - a(y))") == 3);
}

TEST_CASE("a comparison has a side and a mark", "[experiments]") {
  const Comparison least = read_comparison("bleu(one)[3] >= 2.5", "mine.json");
  CHECK(least.at_least);
  CHECK(least.mark == 2.5);
  CHECK(least.text == "bleu(one)[3] >= 2.5");
  CHECK(least.formula.measurement == "bleu");
  CHECK(least.formula.variant == "one");
  CHECK(least.formula.index == 3);
  const Comparison most = read_comparison("bleu('it\"s') <= - 1e-3", "mine.json");
  CHECK_FALSE(most.at_least);
  CHECK(most.mark == -0.001);
  CHECK(most.formula.variant == "it\"s");
  CHECK(measurements(read_comparison("log(a(x)) * 2 - min(a(y), b(x)[2]) >= 0", "").formula).size() == 3);
}

TEST_CASE("a malformed formula is refused with the place and what is expected there", "[experiments]") {
  CHECK(refused("a(x) > 2") ==
        "mine.json: the formula \"a(x) > 2\" needs >= or <= at character 6 instead of \"> 2\"");
  const auto at = [](const std::string& formula, int place, const std::string& what) {
    CAPTURE(formula);
    CHECK_CONTAINS(refused(formula),
                   "needs " + what + " at character " + std::to_string(place) + " instead of");
  };
  at("", 1, "a number, a measurement or (");
  at("a(x)", 5, ">= or <=");
  at("a(x) >=", 8, "a number");
  at("a(x) >= two", 9, "a number");
  at("a(x) >= nan", 9, "a number");
  at("a(x) >= 1e999", 9, "a number");
  at("a(x) >= 1 2", 11, "the end");
  at("a(x) >= 1 >= 0", 11, "the end");
  at("a >= 1", 3, "(");
  at("a() >= 1", 3, "the name of a variant");
  at("a(x >= 1", 5, ")");
  at("a('x >= 1", 3, "a variant that ends with '");
  at("a(no attention) >= 1", 6, ")");
  at("a(x)[] >= 1", 6, "a whole number");
  at("a(x)[-1] >= 1", 6, "a whole number");
  at("a(x)[1 >= 1", 8, "]");
  at("a(x) + >= 1", 8, "a number, a measurement or (");
  at("a(x) * / 2 >= 1", 8, "a number, a measurement or (");
  at("(a(x) >= 1", 7, ")");
  at("a(x)) >= 1", 5, ">= or <=");
  at("log(a(x), 2) >= 1", 9, ")");
  at("min() >= 1", 5, "a number, a measurement or (");
  at("2a(x) >= 1", 2, ">= or <=");
  CHECK_CONTAINS(refused("a(x)[1.5] >= 1"), "has the index 1.5; give a whole number from 0 to 1000000");
  CHECK_CONTAINS(refused("a(x)[1e9] >= 1"), "has the index 1000000000; give");
  CHECK_CONTAINS(refused("3 >= 1"), "has no measurement");
  CHECK_CONTAINS(refused(std::string(100'000, '(')), "is nested too deeply");
  CHECK_CONTAINS(refused(std::string(100'000, '-')), "is nested too deeply");
}
