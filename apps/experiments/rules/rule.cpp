#include "apps/experiments/rules/rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

#include "apps/experiments/rules/results.h"
#include "apps/translation/files/json_fields.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

using translation::Fields;
using translation::Json;

namespace {

std::vector<Comparison> read_comparisons(const Json& list, const std::string& name) {
  std::vector<Comparison> comparisons;
  for (const Json& text : list) comparisons.push_back(read_comparison(text.get<std::string>(), name));
  return comparisons;
}

Part read_part(const Json& json, const std::string& name) {
  Part part;
  std::vector<std::string> texts;
  Fields fields(json, name);
  fields.need("says", part.says, translation::text());
  for (const char* const kind : {"if", "all", "any"}) {
    if (!json.contains(kind)) continue;
    if (!texts.empty()) fail("{} has more than one of \"if\", \"all\" and \"any\"", name);
    part.any = kind == std::string("any");
    if (kind == std::string("if"))
      fields.need("if", texts.emplace_back(), translation::text());
    else
      fields.need(kind, texts, translation::list_of_texts());
  }
  std::vector<std::string> needs;
  fields.take("needs", needs, translation::list_of_texts());
  fields.end();
  if (texts.empty()) fail("{} needs \"if\" with a comparison, or \"all\" or \"any\" with several", name);
  if (texts.size() > 26)
    fail("{} has {} comparisons; the letters a to z name at most 26", name, texts.size());
  part.comparisons = read_comparisons(texts, name);
  part.needs = read_comparisons(needs, name + ", \"needs\"");
  return part;
}

/// The formula for each seed of the results.
std::vector<double> values_of(const Comparison& comparison, const Results& results) {
  std::vector<double> values;
  for (const Results::Run& run : results.variants.front().runs) {
    values.push_back(value(comparison.formula, [&](const Formula& entry) {
      const auto& runs = results.of(entry.variant).runs;
      const auto same = std::ranges::find(runs, run.seed, &Results::Run::seed);
      if (same == runs.end()) fail("\"{}\" has no run with the seed {}", entry.variant, run.seed);
      return same->value(entry.measurement, entry.index);
    }));
    if (!std::isfinite(values.back()))
      fail("the formula \"{}\" has no number with the seed {}", comparison.text, run.seed);
  }
  return values;
}

/// With values and effect, and the answer of the interval or, if it is a need, of the mean.
Decided compared(Decided decided, const Results& results, const Rule& rule) {
  const Comparison& comparison = *decided.comparison;
  decided.values = values_of(comparison, results);
  Interval& effect = decided.effect;
  effect = interval(decided.values, rule.error());
  if (decided.need || (rule.exact && decided.values.size() == 1)) effect.low = effect.high = effect.mean;
  const bool at_least = comparison.at_least;
  const double mark = comparison.mark;
  if (at_least ? effect.low >= mark : effect.high <= mark)
    decided.answer = Answer::yes;
  else if (at_least ? effect.high < mark : effect.low > mark)
    decided.answer = Answer::no;
  return decided;
}

}  // namespace

Rule read_rule(const Json& needs, const Json& parts, const std::string& name) {
  Rule rule;
  if (!translation::list_of_texts().holds(needs))
    fail("{}: \"needs\" must be a list of comparisons, such as [\"exact(attention) >= 95\"]", name);
  rule.needs = read_comparisons(needs, name + ", \"needs\"");
  if (!parts.is_array() || parts.empty()) fail("{}: \"parts\" is missing or empty", name);
  for (const Json& part : parts)
    rule.parts.push_back(read_part(part, fmt::format("{}, part {}", name, rule.parts.size() + 1)));
  rule.compared = count(rule);
  return rule;
}

Index count(const Rule& rule) {
  std::size_t sum = 0;
  for (const Part& part : rule.parts) sum += part.comparisons.size();
  return to_index(sum);
}

std::vector<Comparison> comparisons(const Rule& rule) {
  std::vector<Comparison> list = rule.needs;
  for (const Part& part : rule.parts) {
    std::ranges::copy(part.comparisons, std::back_inserter(list));
    std::ranges::copy(part.needs, std::back_inserter(list));
  }
  return list;
}

const char* to_string(Answer answer) {
  static constexpr std::array names{"no", "undecided", "yes"};
  return names[static_cast<std::size_t>(answer)];
}

const char* to_string(Verdict verdict) {
  static constexpr std::array names{"holds", "holds in part", "does not hold here", "cannot be decided here"};
  return names[static_cast<std::size_t>(verdict)];
}

Decision decide(const Rule& rule, const Results& results) {
  Decision decision{Verdict::cannot_be_decided, {}, {}};
  std::vector<Decided>& list = decision.comparisons;
  const auto met = [](const std::vector<Decided>& needs) {
    return std::ranges::all_of(needs, [](const Decided& need) { return need.answer == Answer::yes; });
  };
  for (const Comparison& need : rule.needs)
    list.push_back(compared({.label = "need", .comparison = &need, .need = true}, results, rule));
  const bool all_met = met(list);
  for (std::size_t i = 0; i < rule.parts.size(); ++i) {
    const Part& part = rule.parts[i];
    std::vector<Decided> needs;
    for (const Comparison& need : part.needs)
      needs.push_back(compared(
          {.label = fmt::format("need of {}", i + 1), .comparison = &need, .part = to_index(i), .need = true},
          results, rule));
    std::vector<Answer> answers;
    for (const Comparison& one : part.comparisons) {
      const std::string letter =
          part.comparisons.size() == 1 ? "" : std::string(1, static_cast<char>('a' + answers.size()));
      list.push_back(
          compared({.label = fmt::format("{}{}", i + 1, letter), .comparison = &one, .part = to_index(i)},
                   results, rule));
      if (!all_met || !met(needs)) list.back().answer = Answer::undecided;
      answers.push_back(list.back().answer);
    }
    decision.answers.push_back(part.any ? std::ranges::max(answers) : std::ranges::min(answers));
    std::ranges::move(needs, std::back_inserter(list));
  }
  const auto [least, most] = std::ranges::minmax(decision.answers);
  if (most == Answer::yes) decision.verdict = least == Answer::yes ? Verdict::holds : Verdict::holds_in_part;
  if (most == Answer::no) decision.verdict = Verdict::does_not_hold;
  return decision;
}

const Decided& Decision::deciding(std::size_t part) const {
  const auto missed = std::ranges::find_if(comparisons, [&](const Decided& one) {
    return one.need && one.answer != Answer::yes && (one.part < 0 || to_size(one.part) == part);
  });
  if (missed != comparisons.end()) return *missed;
  return *std::ranges::find_if(comparisons, [&](const Decided& one) {
    return !one.need && to_size(one.part) == part && one.answer == answers[part];
  });
}

std::string text(const Interval& interval) {
  const std::string mean = short_text(interval.mean);
  if (interval.low == interval.high) return mean;
  if (!std::isfinite(interval.low)) return mean + " (one seed)";
  return fmt::format("{} ({} to {})", mean, short_text(interval.low), short_text(interval.high));
}

std::string text(const Decision& decision) {
  const char* const verdict = to_string(decision.verdict);
  const auto [least, most] = std::ranges::minmax(decision.answers);
  if (least == most) return verdict;
  std::vector<std::string> counts;
  for (const Answer answer : {Answer::yes, Answer::no, Answer::undecided})
    if (const auto count = std::ranges::count(decision.answers, answer); count > 0)
      counts.push_back(fmt::format("{} {}", count, to_string(answer)));
  return fmt::format("{} ({})", verdict, fmt::join(counts, ", "));
}

}  // namespace regard::experiments
