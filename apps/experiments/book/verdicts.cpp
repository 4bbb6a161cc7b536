#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "apps/experiments/book/book.h"
#include "autograd/machine/error.h"

// The verdicts of all claims, for readers and for programs.

namespace regard::experiments {

std::string link(const std::string& id) {
  std::string anchor = id;  // of a heading: in lower case
  std::ranges::transform(anchor, anchor.begin(), [](unsigned char c) { return std::tolower(c); });
  return fmt::format("[{}](#{})", id, anchor);
}

std::string seeds_text(const Results& results) {
  const auto& runs = results.variants.front().runs;
  return runs.size() == 1 ? fmt::format("{}", runs.front().seed)
                          : fmt::format("{} to {}", runs.front().seed, runs.back().seed);
}

namespace {

/// What each part says, its answer, the mark, and the mean with its interval: "It is better. **yes**, at
/// least 1: 5 (4 to 6)".
std::string parts_text(const Claim& claim) {
  const Decision& first = claim.first->decision;
  std::string text;
  for (std::size_t i = 0; i < first.answers.size(); ++i) {
    const Decided& shown = first.deciding(i);
    text += fmt::format("{}{} **{}**", i == 0 ? "" : "<br>", claim.experiment->rule.parts[i].says,
                        to_string(first.answers[i]));
    if (claim.fresh && claim.fresh->decision.answers[i] != first.answers[i])
      text += fmt::format(" (on fresh seeds: {})", to_string(claim.fresh->decision.answers[i]));
    const Comparison& comparison = *shown.comparison;
    text += fmt::format(
        "{}: {}", shown.need ? fmt::format("; needed: `{}`", comparison.text) : ", " + mark_text(comparison),
        experiments::text(shown.effect));
  }
  return text;
}

}  // namespace

std::string verdicts_table(const std::vector<Claim>& all) {
  std::string text =
      "| | claim | verdict | parts | on fresh seeds | on real text |\n|---|---|---|---|---|---|\n";
  Index fresh = 0, stayed = 0, turned = 0, answers = 0, answers_stayed = 0;
  for (const Claim& claim : all) {
    const Experiment& experiment = *claim.experiment;
    const bool has_row = experiment.text_of.empty();  // real text stands in the row of its claim
    std::string doubt, on_fresh, on_text;
    for (const Claim& other : all)
      if (other.first && other.experiment->text_of == experiment.id)
        on_text = fmt::format("{}: {}", link(other.experiment->id), experiments::text(other.first->decision));
    if (!claim.first) {
      if (has_row)
        text += fmt::format("| {} | {} | not run yet | | | {} |\n", link(experiment.id), experiment.claim,
                            on_text);
      continue;
    }
    const Verdict verdict = claim.first->decision.verdict;
    if (claim.fresh) {
      const Verdict again = claim.fresh->decision.verdict;
      if (claim.differs()) doubt = "not decided; first: ";
      on_fresh = experiments::text(claim.fresh->decision);
      ++fresh;
      stayed += verdict == again;
      turned += (verdict == Verdict::holds && again == Verdict::does_not_hold) ||
                (verdict == Verdict::does_not_hold && again == Verdict::holds);
      for (std::size_t i = 0; i < claim.first->decision.comparisons.size(); ++i) {
        const Decided& one = claim.first->decision.comparisons[i];
        answers += !one.need;
        answers_stayed += !one.need && one.answer == claim.fresh->decision.comparisons[i].answer;
      }
    }
    if (!has_row) continue;
    text += fmt::format("| {} | {} | {}{} | {} | {} | {} |\n", link(experiment.id), experiment.claim, doubt,
                        experiments::text(claim.first->decision), parts_text(claim), on_fresh, on_text);
  }
  if (fresh == 0) return text;
  return text +
         fmt::format(
             "\nOn fresh seeds {} of {} verdicts stayed, and {} of {} answers of their comparisons; {} "
             "turned between \"holds\" and \"does not hold here\".\n",
             stayed, fresh, answers_stayed, answers, turned);
}

std::string verdicts_tsv(const std::vector<Claim>& all) {
  std::string text = "id\tpart\tformula\tmark";
  for (const char* const of : {"", "fresh "})
    for (const char* const column :
         {"mean", "low", "high", "seeds", "answer", "answer of the part", "verdict"})
      text += fmt::format("\t{}{}", of, column);
  text += "\tverdict of both";
  for (const Claim& claim : all)
    for (std::size_t i = 0; claim.first && i < claim.first->decision.comparisons.size(); ++i) {
      const Decided& first = claim.first->decision.comparisons[i];
      text += fmt::format("\n{}\t{}\t{}\t{}", claim.experiment->id, first.label, first.comparison->text,
                          first.comparison->mark);
      for (const Block* const block : {&*claim.first, claim.fresh ? &*claim.fresh : nullptr}) {
        if (block == nullptr) {
          text += "\t\t\t\t\t\t\t";
          continue;
        }
        const Decided& one = block->decision.comparisons[i];
        text += fmt::format("\t{:.6g}\t{:.6g}\t{:.6g}\t{}\t{}\t{}\t{}", one.effect.mean, one.effect.low,
                            one.effect.high, seeds_text(block->results), to_string(one.answer),
                            one.need ? "" : to_string(block->decision.answers[to_size(one.part)]),
                            to_string(block->decision.verdict));
      }
      text += fmt::format("\t{}", claim.differs() ? "not decided" : to_string(claim.first->decision.verdict));
    }
  return text + "\n";
}

}  // namespace regard::experiments
