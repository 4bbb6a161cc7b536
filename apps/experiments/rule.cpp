#include "apps/experiments/rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "apps/experiments/results.h"
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
  fields.end();
  if (texts.empty()) fail("{} needs \"if\" with a comparison, or \"all\" or \"any\" with several", name);
  part.comparisons = read_comparisons(texts, name);
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

Decided compared(const Comparison& comparison, const Results& results, const Rule& rule, bool by_mean) {
  Decided decided{&comparison, values_of(comparison, results), {}, Answer::undecided};
  Interval& effect = decided.effect;
  effect = interval(decided.values, rule.error());
  if (by_mean || (rule.exact && decided.values.size() == 1)) effect.low = effect.high = effect.mean;
  const double mark = comparison.mark;
  const bool above = effect.low >= mark, below = effect.high <= mark;
  if (comparison.at_least ? above : below)
    decided.answer = Answer::yes;
  else if (comparison.at_least ? effect.high < mark : effect.low > mark)
    decided.answer = Answer::no;
  return decided;
}

Answer joined(const Part& part, const std::vector<Decided>& comparisons) {
  const auto [least, most] = std::ranges::minmax(comparisons, {}, &Decided::answer);
  return part.any ? most.answer : least.answer;
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
  for (const Part& part : rule.parts) std::ranges::copy(part.comparisons, std::back_inserter(list));
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
  Decision decision{Verdict::cannot_be_decided, {}, {}, {}};
  for (const Comparison& need : rule.needs) decision.needs.push_back(compared(need, results, rule, true));
  for (const Part& part : rule.parts) {
    std::vector<Decided>& of_part = decision.parts.emplace_back();
    for (const Comparison& one : part.comparisons) of_part.push_back(compared(one, results, rule, false));
    decision.answers.push_back(joined(part, of_part));
  }
  const auto [least, most] = std::ranges::minmax(decision.answers);
  if (std::ranges::all_of(decision.needs, [](const Decided& one) { return one.answer == Answer::yes; })) {
    if (most == Answer::yes)
      decision.verdict = least == Answer::yes ? Verdict::holds : Verdict::holds_in_part;
    else if (most == Answer::no)
      decision.verdict = Verdict::does_not_hold;
  }
  return decision;
}

const Decided& Decision::deciding() const {
  for (const Decided& need : needs)
    if (need.answer != Answer::yes) return need;
  const Answer sought = verdict == Verdict::holds           ? Answer::yes
                        : verdict == Verdict::does_not_hold ? Answer::no
                                                            : Answer::undecided;
  for (std::size_t part = 0; part < parts.size(); ++part)
    for (const Decided& one : parts[part])
      if (answers[part] == sought && one.answer == sought) return one;
  return parts.front().front();
}

std::string text(const Interval& interval) {
  const std::string mean = short_text(interval.mean);
  if (interval.low == interval.high) return mean;
  if (!std::isfinite(interval.low)) return mean + " (one seed)";
  return fmt::format("{} ({} to {})", mean, short_text(interval.low), short_text(interval.high));
}

}  // namespace regard::experiments
