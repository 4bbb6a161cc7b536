#include "apps/experiments/book/book.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/experiments/jobs/plan.h"
#include "apps/experiments/rules/catalogue.h"
#include "tests/apps/experiments/made_up.h"
#include "tests/apps/support.h"

using namespace regard;
using namespace regard::experiments;
using tests::made_up;
using tests::MadeUp;

namespace {

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

const char* const book_file = R"json({
  "id": "A1", "claim": "First & second differ.", "source": "nobody", "method": "Two lists.", "means": "Nothing.",
  "before": "It said that they do not.",
  "task": {"toy": "copy", "train": 70},
  "settings": ["training.steps=2", "model.d_model=16"],
  "tuning": {"training.learning_rate": [0.001, 0.002, 0.004, 0.008]},
  "variants": {"first": ["model.encoder_layers=1"], "second": ["model.encoder_layers=3"]},
  "measure": ["bleu", {"right_by_length": {"lengths": [1, 2], "pairs": 3}}],
  "needs": ["bleu(first) >= 4"],
  "parts": [
    {"says": "The first is better.", "if": "bleu(first) - bleu(second) >= 1"},
    {"says": "One is good.", "any": ["bleu(second) >= 9", "bleu(first) >= 5"], "needs": ["bleu(first) >= 3"]}
  ],
  "columns": [{"measurement": "bleu", "title": "BLEU"}, {"measurement": "right", "index": 1, "title": "of two"}],
  "figures": [
    {"measurement": "bleu", "y": "BLEU"},
    {"measurement": "right", "y": "letters", "x": "length", "at": [1, 2], "line": "chance", "line_at": [3, 4]}
  ]
})json";

Experiment book_experiment(const std::string& text) {
  return read_experiment(translation::parse_json(text, "mine.json"), "mine.json");
}

const Experiment& in_book() {
  static const Experiment experiment = book_experiment(book_file);
  return experiment;
}

/// Four seeds, from first_seed on. bleu(first) is about 6, bleu(second) about 1.
Results in_seeds(double bleu_of_second = 1, Index first_seed = 1, double bleu_of_first = 6) {
  const double b = bleu_of_second, a = bleu_of_first;
  Results made = made_up({{"bleu(first)", {a - 0.1, a + 0.1, a, a}},
                          {"bleu(second)", {b - 0.1, b + 0.1, b + 0.01, b - 0.01}},
                          {"right(first)[0]", {50}},
                          {"right(first)[1]", {40, 42, 44, 46}},
                          {"right(second)[0]", {20}},
                          {"right(second)[1]", {10}},
                          {"parameters(first)", {1000}},
                          {"parameters(second)", {3000}}},
                         4);
  for (Results::OfVariant& variant : made.variants) {
    variant.at_edge = variant.name == "second";
    variant.tuned = variant.at_edge ? "training.learning_rate=0.004" : "training.learning_rate=0.002";
    variant.tried = {0.001, 0.002, 0.004};
    if (variant.at_edge) variant.tried.push_back(0.008);
    for (Results::Run& run : variant.runs) run.seed += first_seed - 1;
  }
  return made;
}

Block block_of(const Experiment& experiment, const Results& of) { return {of, decide(experiment.rule, of)}; }

}  // namespace

TEST_CASE("a section states the rule, with the answers, and how it was trained", "[experiments]") {
  const Claim claim{&in_book(), block_of(in_book(), in_seeds()), block_of(in_book(), in_seeds(8, 101))};
  const std::string text = section(claim, {claim}, "a1.svg");
  CHECK_CONTAINS(text, "> First & second differ. (nobody)\n");
  CHECK_CONTAINS(
      text,
      "**Here.** Two lists. Steps 2, warm-up steps 200, pairs 70, d_model 16, encoder layers 1 to 3, "
      "decoder layers 2, dropout 0.1, parameters 1000 to 3000, 4 seeds. `training.learning_rate` was tried "
      "with the seeds 91 and 92: 0.001, 0.002, 0.004, 0.008 (only for `second`). The least validation loss "
      "chose 0.002 for `first`, and 0.004 for `second` (at the edge of what was tried).\n");
  // Three comparisons. Differences 5, 5, 4.99, 5.01 with the mean 5 and the standard error 0.00408; t of 3
  // degrees of freedom at 0.05 / 3 is 4.8567, so 5 -+ 0.0198. BLEU of first: 6 -+
  // 4.8567 * 0.0408 = 6 -+ 0.1983; of second: 1 -+ 4.8567 * 0.0410 = 1 -+ 0.1993.
  CHECK_CONTAINS(text,
                 "- Needed: `bleu(first) >= 4`: 6, yes\n"
                 "- **1. The first is better.** `bleu(first) - bleu(second) >= 1`: 5 (4.98 to 5.02), yes (4 "
                 "of 4 seeds)\n"
                 "- **2. One is good.** One of these is enough: yes\n"
                 "  - 2a: `bleu(second) >= 9`: 1 (0.8007 to 1.199), no (0 of 4 seeds)\n"
                 "  - 2b: `bleu(first) >= 5`: 6 (5.802 to 6.198), yes (4 of 4 seeds)\n"
                 "  - Needed for this: `bleu(first) >= 3`: 6, yes\n");
  CHECK_CONTAINS(text,
                 "| | BLEU `bleu` | of two `right[1]` |\n|---|---|---|\n| first | 6.0 (5.9 to 6.1) | 43.0 "
                 "(40.0 to 46.0) |\n");
  CHECK_CONTAINS(
      text,
      "**Verdict: not decided.** On the first seeds: holds. On the fresh seeds 101 to 104: holds in part "
      "(1 yes, 1 no).\n");
  CHECK_CONTAINS(text, "**What it means.** Nothing.\n");
}

TEST_CASE("the table of verdicts has parts, fresh seeds and real text, and counts what stayed",
          "[experiments]") {
  Experiment on_text = in_book();
  on_text.id = "A1-text";
  on_text.text_of = "A1";
  Experiment other = in_book();
  other.id = "B2";
  // A1 stays, A1-text has no fresh seeds, B2 turns: neither is good, and the first is worse.
  const Claim first{&in_book(), block_of(in_book(), in_seeds()), block_of(in_book(), in_seeds(1.5, 101))};
  const Claim text{&on_text, block_of(on_text, in_seeds(8)), std::nullopt};
  const Claim turned{&other, block_of(other, in_seeds()), block_of(other, in_seeds(6, 201, 4.5))};
  CHECK(
      verdicts_table({first, text, turned}) ==
      "| | claim | verdict | parts | on fresh seeds | on real text |\n|---|---|---|---|---|---|\n"
      "| [A1](#a1) | First & second differ. | holds | The first is better. **yes**, at least 1: 5 (4.98 to "
      "5.02)<br>One is good. **yes**, at least 5: 6 (5.802 to 6.198) | holds | [A1-text](#a1-text): holds in "
      "part (1 yes, 1 no) |\n"
      "| [B2](#b2) | First & second differ. | not decided; first: holds | The first is better. **yes** "
      "(on fresh seeds: no), at least 1: 5 (4.98 to 5.02)<br>One is good. **yes** (on fresh seeds: no), at "
      "least 5: 6 (5.802 to 6.198) | does not hold here |  |\n"
      "\nOn fresh seeds 1 of 2 verdicts stayed, and 4 of 6 answers of their comparisons; 1 turned between "
      "\"holds\" and \"does not hold here\".\n");
  CHECK_CONTAINS(section(first, {first, text}, "a1.svg"),
                 " On real text ([A1-text](#a1-text)): holds in part (1 yes, 1 no).");
  CHECK(verdicts_table({text}).ends_with("|---|\n"));
  // A need that is not met is what decides.
  const Claim low{&in_book(), block_of(in_book(), in_seeds(8, 1, 3.5)), std::nullopt};
  CHECK_CONTAINS(verdicts_table({low}),
                 "The first is better. **undecided**; needed: `bleu(first) >= 4`: 3.5<br>");
  // The claim itself is not run yet.
  CHECK_CONTAINS(verdicts_table({Claim{&in_book(), std::nullopt, std::nullopt}, text}),
                 "| [A1](#a1) | First & second differ. | not run yet | | | [A1-text](#a1-text): holds in "
                 "part (1 yes, 1 no) |\n");
  // The pairs of the task are not those of a corpus.
  CHECK_CONTAINS(section(first, {}, "a1.svg"), "pairs 70");
  CHECK_FALSE(tests::contains(section(text, {}, "a1.svg"), "pairs"));
}

TEST_CASE("verdicts.tsv has a line for each comparison, with the same columns in each", "[experiments]") {
  const Claim fresh{&in_book(), block_of(in_book(), in_seeds()), block_of(in_book(), in_seeds(8, 101))};
  const Claim without{&in_book(), block_of(in_book(), in_seeds()), std::nullopt};
  const std::string text = verdicts_tsv({fresh, without});
  CHECK(occurrences(text, "\n") == 1 + 2 * 5);
  CHECK(occurrences(text, "\t") == (1 + 2 * 5) * 18);
  CHECK_CONTAINS(text,
                 "\nA1\t1\tbleu(first) - bleu(second) >= 1\t1\t5\t4.98017\t5.01983\t1 to 4\tyes\tyes\tholds"
                 "\t-2\t-2.01983\t-1.98017\t101 to 104\tno\tno\tholds in part\tnot decided\n");
  CHECK_CONTAINS(text, "\nA1\tneed\tbleu(first) >= 4\t4\t6\t6\t6\t1 to 4\tyes\t\tholds\t");
  CHECK_CONTAINS(text, "\nA1\t2a\tbleu(second) >= 9\t9\t1\t0.800");
}

TEST_CASE("a picture shows each seed, the interval, and the marks of the rule", "[experiments]") {
  const std::string svg = figures_svg(in_book(), in_seeds());
  CHECK(occurrences(svg, "nan") == 0);
  CHECK(occurrences(svg, "<circle") == (3 + 2) * 4);  // three comparisons and two variants, four seeds
  CHECK(occurrences(svg, "class=\"mark\"") ==
        3 + 4);  // the rule, and marks on BLEU: three of first, one of second
  CHECK(occurrences(svg, "class=\"band\"") == 2);
  CHECK_CONTAINS(svg, ">1: 5, needs >= 1: yes<");
  CHECK_CONTAINS(svg, ">2a: 1, needs >= 9: no<");
  CHECK_CONTAINS(svg, ">second<");  // beside its row
  CHECK_CONTAINS(svg, ">chance<");  // in the legend
  CHECK_CONTAINS(svg, "First &amp; second differ.");
  // The first point of a row is on the side of its answer: 125 is the middle.
  const auto first_point = [](const std::string& picture, const std::string& row) {
    const std::size_t at = picture.find("cx=\"", picture.find(row));
    return std::stod(picture.substr(at + 4));
  };
  CHECK(first_point(svg, ">1: 5, needs") > 125);
  CHECK(first_point(svg, ">2a: 1, needs") < 125);
  std::string at_most = book_file;
  at_most.replace(at_most.find("bleu(second) >= 9"), 17, "bleu(second) <= 9");
  CHECK(first_point(figures_svg(book_experiment(at_most), in_seeds()), ">2a: 1, needs") > 125);
  // Negative control: other seeds with the same mean change points and interval.
  Results wider = in_seeds();
  wider.variants[0].runs[0].measurements["bleu"] = {5.5};
  wider.variants[0].runs[1].measurements["bleu"] = {6.5};
  CHECK(figures_svg(in_book(), wider) != svg);
  // One seed has a point and no interval.
  Results one = in_seeds();
  for (Results::OfVariant& variant : one.variants) variant.runs.resize(1);
  const std::string alone = figures_svg(in_book(), one);
  CHECK(occurrences(alone, "nan") == 0);
  CHECK(occurrences(alone, "inf") == 0);
  CHECK_CONTAINS(alone, ">1: 5, needs >= 1: undecided<");
}

TEST_CASE("figures of one axis share its ends", "[experiments]") {
  std::string text = book_file;
  const std::string before = R"({"measurement": "bleu", "y": "BLEU"})";
  const auto ticks_of = [&](const std::string& figures) {
    std::string changed = text;
    changed.replace(changed.find(before), before.size(), figures);
    return occurrences(figures_svg(book_experiment(changed), in_seeds()),
                       ">60<");  // a tick of right, not of BLEU
  };
  const std::string rows = R"({"measurement": "right", "y": "one"})";
  CHECK(ticks_of(before) == 1);
  CHECK(ticks_of(R"({"measurement": "bleu", "y": "BLEU", "axis": "right"})") == 2);
}

TEST_CASE("the results of the book are of its claims as they are now", "[experiments]") {
  const std::string folder = std::string(REGARD_FIXTURES) + "/../../apps/experiments/results/";
  for (const Experiment& experiment : all_experiments())
    for (const Index first_seed : {1, 101, 201})
      CHECK_NOTHROW(read_results(experiment, folder + experiment.id + ".jsonl", first_seed));
}
