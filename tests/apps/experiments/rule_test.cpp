#include "apps/experiments/rules/rule.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/experiments/rules/catalogue.h"
#include "tests/apps/experiments/made_up.h"
#include "tests/apps/support.h"

using namespace regard;
using namespace regard::experiments;
using tests::made_up;
using tests::MadeUp;
using translation::Json;

namespace {

Rule rule_of(const std::string& parts, const std::string& needs = "[]") {
  return read_rule(translation::parse_json(needs, "mine.json"), translation::parse_json(parts, "mine.json"),
                   "mine.json");
}

Decision decided(const std::string& parts, const MadeUp& values, const std::string& needs = "[]") {
  static std::vector<std::unique_ptr<Rule>> rules;  // a decision points into its rule
  rules.push_back(std::make_unique<Rule>(rule_of(parts, needs)));
  return decide(*rules.back(), made_up(values, 4));
}

const std::vector<double> of_yes{2}, of_no{0}, of_undecided{0, 2, 0, 2};  // for ">= 1"
const std::vector<double>& values_for(Answer answer) {
  return answer == Answer::yes ? of_yes : answer == Answer::no ? of_no : of_undecided;
}

Answer joined(const std::string& kind, Answer first, Answer second) {
  return decided("[{\"says\": \"Two.\", \"" + kind + "\": [\"a(x) >= 1\", \"a(y) >= 1\"]}]",
                 {{"a(x)", values_for(first)}, {"a(y)", values_for(second)}})
      .answers[0];
}

}  // namespace

TEST_CASE("a comparison is yes, no or undecided by its whole interval", "[experiments]") {
  // Mean 3, standard deviation 2 / sqrt(3), t of 3 degrees of freedom 3.1824: 3 -+ 1.8374.
  const MadeUp values{{"a(x)", {2, 4, 2, 4}}};
  const auto answer = [&](const std::string& formula) {
    const Decision decision = decided(R"([{"says": "It.", "if": ")" + formula + "\"}]", values);
    CHECK(decision.comparisons.back().effect.low == Approx(1.1626).epsilon(1e-4));
    CHECK(decision.comparisons.back().effect.high == Approx(4.8374).epsilon(1e-4));
    return decision.answers[0];
  };
  CHECK(answer("a(x) >= 1.16") == Answer::yes);
  CHECK(answer("a(x) >= 1.17") == Answer::undecided);
  CHECK(answer("a(x) >= 4.83") == Answer::undecided);
  CHECK(answer("a(x) >= 4.84") == Answer::no);
  CHECK(answer("a(x) <= 4.84") == Answer::yes);
  CHECK(answer("a(x) <= 4.83") == Answer::undecided);
  CHECK(answer("a(x) <= 1.17") == Answer::undecided);
  CHECK(answer("a(x) <= 1.16") == Answer::no);
  // An interval that ends at the mark contains it.
  Rule rule = rule_of(R"([{"says": "It.", "all": ["a(x) >= 1", "a(x) <= 1"]}])");
  rule.compared = 1;
  for (Comparison& comparison : rule.parts[0].comparisons)
    comparison.mark = decide(rule, made_up(values, 4)).comparisons[0].effect.high;
  const Decision at_end = decide(rule, made_up(values, 4));
  CHECK(at_end.comparisons[0].answer == Answer::undecided);
  CHECK(at_end.comparisons[1].answer == Answer::yes);
  for (Comparison& comparison : rule.parts[0].comparisons) comparison.mark = at_end.comparisons[0].effect.low;
  const Decision at_begin = decide(rule, made_up(values, 4));
  CHECK(at_begin.comparisons[0].answer == Answer::yes);
  CHECK(at_begin.comparisons[1].answer == Answer::undecided);
  // A point at the mark reaches it.
  CHECK(decided(R"([{"says": "It.", "if": "a(x) >= 1"}])", {{"a(x)", {1}}}).answers[0] == Answer::yes);
  CHECK(decided(R"([{"says": "It.", "if": "a(x) <= 1"}])", {{"a(x)", {1}}}).answers[0] == Answer::yes);
}

TEST_CASE("differences are between runs of the same seed", "[experiments]") {
  // Each seed gives both variants the same luck; the differences are 1.1, 0.9, 1, 1.
  const std::string part = R"([{"says": "x is better.", "if": "a(x) - a(y) >= 0.5"}])";
  const MadeUp paired{{"a(x)", {11.1, 20.9, 31, 41}}, {"a(y)", {10, 20, 30, 40}}};
  const Decision with_pairs = decided(part, paired);
  CHECK(with_pairs.verdict == Verdict::holds);
  // Negative control: the same numbers with other partners have the same mean and a wide interval.
  const MadeUp shuffled{{"a(x)", {11.1, 20.9, 31, 41}}, {"a(y)", {30, 10, 40, 20}}};
  const Decision without = decided(part, shuffled);
  CHECK(without.verdict == Verdict::cannot_be_decided);
  const Interval narrow = with_pairs.comparisons.back().effect, wide = without.comparisons.back().effect;
  CHECK(narrow.mean == Approx(wide.mean));
  CHECK(wide.high - wide.low > 50 * (narrow.high - narrow.low));
  // The order in which a variant has its seeds does not count.
  Results other_order = made_up(paired, 4);
  std::ranges::reverse(other_order.variants[1].runs);
  const Rule rule = rule_of(part);
  CHECK(decide(rule, other_order).comparisons.back().values == with_pairs.comparisons.back().values);
  other_order.variants[1].runs[0].seed = 9;
  CHECK_ERROR(decide(rule, other_order), "\"y\" has no run with the seed 4");
}

TEST_CASE("all and any join three answers as Kleene's logic does", "[experiments]") {
  constexpr Answer no = Answer::no, open = Answer::undecided, yes = Answer::yes;
  constexpr Answer each[] = {no, open, yes};
  // Kleene 1952, section 64: rows are the first, columns the second, in the order no, undecided, yes.
  constexpr Answer all[3][3] = {{no, no, no}, {no, open, open}, {no, open, yes}};
  constexpr Answer any[3][3] = {{no, open, yes}, {open, open, yes}, {yes, yes, yes}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      CAPTURE(i, j);
      CHECK(joined("all", each[i], each[j]) == all[i][j]);
      CHECK(joined("any", each[i], each[j]) == any[i][j]);
    }
}

TEST_CASE("the verdict follows from the answers of the parts, and from what is needed", "[experiments]") {
  const std::string two = R"([{"says": "One.", "if": "a(x) >= 1"}, {"says": "Two.", "if": "a(y) >= 1"}])";
  const auto verdict = [&](Answer first, Answer second) {
    return text(decided(two, {{"a(x)", values_for(first)}, {"a(y)", values_for(second)}}));
  };
  constexpr Answer no = Answer::no, open = Answer::undecided, yes = Answer::yes;
  CHECK(verdict(yes, yes) == "holds");
  CHECK(verdict(yes, open) == "holds in part (1 yes, 1 undecided)");
  CHECK(verdict(no, yes) == "holds in part (1 yes, 1 no)");
  CHECK(verdict(no, no) == "does not hold here");
  CHECK(verdict(no, open) == "cannot be decided here (1 no, 1 undecided)");
  CHECK(verdict(open, open) == "cannot be decided here");
  // A need is decided by its mean, whatever the interval.
  const auto needing = [&](const std::string& need) {
    return decided(two, {{"a(x)", of_yes}, {"a(y)", of_yes}, {"right(x)", {80, 100, 90, 94}}}, need).verdict;
  };
  CHECK(needing(R"(["right(x) >= 91"])") == Verdict::holds);
  CHECK(needing(R"(["right(x) >= 91.1"])") == Verdict::cannot_be_decided);
  CHECK(needing(R"(["right(x) >= 91", "right(x) <= 50"])") == Verdict::cannot_be_decided);
  // A part may need something of its own.
  const auto part_needing = [&](const std::string& need) {
    return decided(R"([{"says": "One.", "if": "a(x) >= 1", "needs": [")" + need +
                       R"("]}, {"says": "Two.", "all": ["a(y) >= 1", "a(y) >= 2"]}])",
                   {{"a(x)", of_yes}, {"a(y)", {2}}, {"right(x)", {80, 100, 90, 94}}});
  };
  CHECK(part_needing("right(x) >= 91").answers == std::vector{yes, yes});
  const Decision without = part_needing("right(x) >= 91.1");
  CHECK(without.answers == std::vector{open, yes});
  CHECK(without.verdict == Verdict::holds_in_part);
  CHECK(without.deciding(0).label == "need of 1");
  CHECK(without.deciding(1).label == "2a");
  std::string labels;
  for (const Decided& one : without.comparisons) labels += one.label + "; ";
  CHECK(labels == "1; need of 1; 2a; 2b; ");
  // The comparison that decided a part: the first that has its answer, or a need that is not met.
  const auto deciding = [&](Answer first, Answer second, const std::string& need = "[]") {
    return decided(R"([{"says": "It.", "any": ["a(x) >= 1", "a(y) >= 1"]}])",
                   {{"a(x)", values_for(first)}, {"a(y)", values_for(second)}}, need)
        .deciding(0)
        .comparison->text;
  };
  CHECK(deciding(yes, yes) == "a(x) >= 1");
  CHECK(deciding(no, yes) == "a(y) >= 1");
  CHECK(deciding(no, open) == "a(y) >= 1");
  CHECK(deciding(no, yes, R"(["a(x) <= 1e9", "a(y) <= -1e9"])") == "a(y) <= -1e9");
}

TEST_CASE("more comparisons share the same error", "[experiments]") {
  Rule rule = rule_of(R"([{"says": "It.", "if": "a(x) >= 1"}])");
  const Results results = made_up({{"a(x)", {2, 4, 2, 4}}}, 4);
  CHECK(rule.compared == 1);
  CHECK(decide(rule, results).verdict == Verdict::holds);
  rule.compared = 100;
  CHECK(decide(rule, results).verdict == Verdict::cannot_be_decided);
  CHECK(rule_of(R"([{"says": "It.", "all": ["a(x) >= 1", "a(x) >= 2"]}, {"says": "Or.", "if": "a(x) >= 3"}])",
                R"(["a(x) >= 0"])")
            .compared == 3);  // a need has no interval
  // The claims of the book share one correction.
  Index all = 0;
  for (const Experiment& experiment : all_experiments()) all += count(experiment.rule);
  for (const Experiment& experiment : all_experiments()) CHECK(experiment.rule.compared == all);
}

TEST_CASE("one number decides only where nothing is random", "[experiments]") {
  Rule rule = rule_of(R"([{"says": "It.", "if": "a(x) >= 1"}])");
  const Results one = made_up({{"a(x)", {5}}}, 1);
  CHECK(decide(rule, one).verdict == Verdict::cannot_be_decided);
  rule.exact = true;
  CHECK(decide(rule, one).verdict == Verdict::holds);
}

TEST_CASE("what is wrong with a rule is said", "[experiments]") {
  const auto refused = [](const std::string& parts, const std::string& needs = "[]") {
    return MESSAGE_OF(rule_of(parts, needs));
  };
  CHECK_CONTAINS(refused("[]"), "mine.json: \"parts\" is missing or empty");
  CHECK_CONTAINS(refused(R"([{"if": "a(x) >= 1"}])"), "mine.json, part 1: \"says\" is missing");
  CHECK_CONTAINS(refused(R"([{"says": "It."}])"), "mine.json, part 1 needs \"if\" with a comparison");
  CHECK_CONTAINS(refused(R"([{"says": "It.", "all": []}])"), "mine.json, part 1 needs \"if\"");
  CHECK_CONTAINS(refused(R"([{"says": "It.", "if": "a(x) >= 1", "any": ["a(x) >= 1"]}])"),
                 "more than one of");
  CHECK_CONTAINS(refused(R"([{"says": "It.", "if": "a(x) >= 1", "when": 1}])"), "unknown \"when\"");
  CHECK_CONTAINS(refused(R"([{"says": "It.", "if": ["a(x) >= 1"]}])"), "\"if\" must be a text");
  CHECK_CONTAINS(refused(R"([{"says": "It.", "if": "a(x) > 1"}])"),
                 "mine.json, part 1: the formula \"a(x) > 1\"");
  CHECK_CONTAINS(refused(R"([{"says": "It.", "if": "a(x) >= 1"}])", "[1]"), "\"needs\" must be a list");
  CHECK_CONTAINS(refused(R"([{"says": "It.", "if": "a(x) >= 1"}])", R"(["a >= 1"])"), "mine.json, \"needs\"");
  CHECK_CONTAINS(refused(R"([{"says": "It.", "if": "a(x) >= 1", "needs": ["a >= 1"]}])"),
                 "mine.json, part 1, \"needs\"");
  CHECK_CONTAINS(refused(R"([{"says": "It.", "if": "a(x) >= 1", "needs": 1}])"), "\"needs\" must be");
  std::string many = "\"a(x) >= 0\"";
  for (int i = 0; i < 26; ++i) many += ", \"a(x) >= 0\"";
  CHECK_CONTAINS(refused("[{\"says\": \"It.\", \"all\": [" + many + "]}]"), "has 27 comparisons");
  const Rule rule = rule_of(R"([{"says": "It.", "if": "log(a(x)) >= 1"}])");
  CHECK_ERROR(decide(rule, made_up({{"a(x)", {1, 0, 1, 1}}}, 4)),
              "the formula \"log(a(x)) >= 1\" has no number with the seed 2");
  CHECK_ERROR(decide(rule, made_up({{"b(x)", {1}}}, 4)), "no measurement \"a\"; it has b");
  CHECK_ERROR(decide(rule, made_up({{"a(y)", {1}}}, 4)), "there are no results of \"x\"");
}

TEST_CASE("made-up results make each claim of the book hold, and others make it fail", "[experiments]") {
  const std::string folder = std::string(REGARD_FIXTURES) + "/../apps/experiments/controls";
  std::size_t controls = 0;
  for (const Experiment& experiment : all_experiments()) {
    CAPTURE(experiment.id);
    const std::string path = folder + "/" + experiment.id + ".json";
    REQUIRE(std::filesystem::exists(path));
    const Json control = translation::parse_json(tests::content(path), path);
    ++controls;
    const auto verdict = [&](const char* which) {
      MadeUp values;
      for (const auto& [entry, value] : control.at(which).items())
        values[entry] =
            value.is_array() ? value.get<std::vector<double>>() : std::vector{value.get<double>()};
      return std::string(to_string(decide(experiment.rule, made_up(values, experiment.seeds)).verdict));
    };
    CHECK(verdict("holds") == "holds");
    CHECK(verdict("fails") == "does not hold here");
  }
  // No control is left over.
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    CAPTURE(file.path().string());
    CHECK(controls-- > 0);
  }
  CHECK(controls == 0);
}
