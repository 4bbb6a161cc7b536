#include "apps/experiments/rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <iterator>
#include <utility>

#include "apps/translation/files/json_fields.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

using translation::Fields;
using translation::Json;
using translation::whole;
using Kind = Condition::Kind;

const char* to_string(Verdict verdict) {
  static constexpr std::array names{"holds", "holds in part", "does not hold here", "cannot be decided here"};
  return names[static_cast<std::size_t>(verdict)];
}

namespace {

constexpr std::array<std::pair<const char*, Kind>, 6> kinds{{{"every", Kind::every},
                                                             {"mean", Kind::mean},
                                                             {"paired", Kind::paired},
                                                             {"all", Kind::all},
                                                             {"any", Kind::any},
                                                             {"none", Kind::none}}};

bool has_parts(Kind kind) { return kind == Kind::all || kind == Kind::any || kind == Kind::none; }

constexpr std::array orders{"above", "below", "at_least", "at_most"};

/// [measurement, variant or variants, index], or a number. One side for each variant.
std::vector<Condition::Side> read_sides(const Json& json, const std::string& name) {
  if (json.is_number()) return {{.number = json.get<double>()}};
  std::vector<Condition::Side> sides;
  if (json.is_array() && (json.size() == 2 || (json.size() == 3 && whole(0, most_index).holds(json[2]))) &&
      json[0].is_string() && json[0] != "") {
    const Json variants = json[1].is_array() ? json[1] : Json::array({json[1]});
    for (std::size_t i = 0; translation::list_of_texts().holds(variants) && i < variants.size(); ++i)
      sides.push_back({json[0], variants[i], json.size() == 3 ? json[2].get<Index>() : 0});
  }
  if (sides.empty())
    fail(
        "{}: {} is no side of a comparison; give [\"measurement\", \"variant\"], or with an index, or a "
        "number",
        name, translation::printable(json.dump(), 100));
  return sides;
}

std::vector<Condition> read_conditions(const Json& list, const std::string& name);

std::vector<Condition> read_condition(const Json& json, const std::string& name) {
  const std::string text = translation::printable(json.dump(), 100);
  if (!json.is_object() || json.empty()) fail("{}: {} is no condition", name, text);
  const auto kind =
      std::ranges::find_if(kinds, [&](const auto& known) { return json.begin().key() == known.first; });
  if (kind == kinds.end()) fail("{}: a condition begins with {}", name, json.begin().key());
  Condition condition{.kind = kind->second};
  Fields fields(json, fmt::format("{}, {}", name, text));
  std::vector<Condition> result;
  if (has_parts(condition.kind)) {
    condition.parts = read_conditions(fields.list(kind->first), name);
    if (condition.parts.empty()) fail("{}: {} has no conditions", name, text);
    result.push_back(condition);
  } else {
    if (json.size() < 2) fail("{}: the condition {} compares with nothing", name, text);
    condition.order = std::next(json.begin()).key();
    if (std::ranges::count(orders, condition.order) == 0)
      fail("{}: a comparison has \"{}\"; choose {}", name, condition.order, fmt::join(orders, ", "));
    const Json left_side = fields.part(kind->first), right_side = fields.part(condition.order);
    fields.take("times", condition.times, translation::any_number());
    fields.take("plus", condition.plus, translation::any_number());
    if (left_side.is_number()) fail("{}: {} begins with a number, not with a measurement", name, text);
    for (const Condition::Side& left : read_sides(left_side, name))
      for (const Condition::Side& right : read_sides(right_side, name)) {
        condition.left = left;
        condition.right = right;
        result.push_back(condition);
      }
  }
  fields.end();
  return result;
}

std::vector<Condition> read_conditions(const Json& list, const std::string& name) {
  std::vector<Condition> conditions;
  for (const Json& json : list) std::ranges::move(read_condition(json, name), std::back_inserter(conditions));
  return conditions;
}

void collect(const std::vector<Condition>& conditions, std::vector<Condition>& comparisons) {
  for (const Condition& condition : conditions) {
    if (!has_parts(condition.kind)) comparisons.push_back(condition);
    collect(condition.parts, comparisons);
  }
}

bool in_order(double left, const std::string& order, double right) {
  if (order == "above") return left > right;
  if (order == "below") return left < right;
  return order == "at_least" ? left >= right : left <= right;
}

Range range_of(const Condition::Side& side, const Results& results) {
  if (side.measurement.empty()) return {side.number, side.number, side.number};
  return results.range(side.variant, side.measurement, side.index);
}

/// For each seed of `left`, true if the same seed of `right` is in order with it.
bool is_met_in_pairs(const Condition& condition, const Results& results) {
  const auto& runs = results.of(condition.left.variant).runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Condition::Side& right = condition.right;
    const double other = right.measurement.empty()
                             ? right.number
                             : results.of(right.variant).runs.at(i).value(right.measurement, right.index);
    if (!in_order(runs[i].value(condition.left.measurement, condition.left.index), condition.order,
                  other * condition.times + condition.plus))
      return false;
  }
  return true;
}

bool all_met(const std::vector<Condition>& conditions, const Results& results) {
  return std::ranges::all_of(conditions, [&](const Condition& one) { return is_met(one, results); });
}

Index number_met(const std::vector<Condition>& conditions, const Results& results) {
  return std::ranges::count_if(conditions, [&](const Condition& one) { return is_met(one, results); });
}

}  // namespace

Rule read_rule(const Json& json, const std::string& of) {
  const std::string name = of + ", \"decide\"";
  Rule rule{};
  Fields fields(json, name);
  rule.needs = read_conditions(fields.list("needs"), name);
  rule.must = read_conditions(fields.list("must"), name);
  rule.holds_if = read_conditions(fields.list("holds_if"), name);
  if (json.contains("in_part_if") && json["in_part_if"].is_number())
    fields.take("in_part_if", rule.in_part_count, whole(0, most_index));
  else
    rule.in_part_if = read_conditions(fields.list("in_part_if"), name);
  rule.fails_if = read_conditions(fields.list("fails_if"), name);
  fields.end();
  if (rule.holds_if.empty()) fail("{}: \"holds_if\" is missing", name);
  return rule;
}

std::vector<Condition> comparisons(const Rule& rule) {
  std::vector<Condition> list;
  for (const auto* conditions : {&rule.needs, &rule.must, &rule.holds_if, &rule.in_part_if, &rule.fails_if})
    collect(*conditions, list);
  return list;
}

bool is_met(const Condition& condition, const Results& results) {
  switch (condition.kind) {
    case Kind::all:
      return all_met(condition.parts, results);
    case Kind::any:
      return number_met(condition.parts, results) > 0;
    case Kind::none:
      return number_met(condition.parts, results) == 0;
    case Kind::paired:
      return is_met_in_pairs(condition, results);
    case Kind::every:
    case Kind::mean:
      break;
  }
  const Range left = range_of(condition.left, results), right = range_of(condition.right, results);
  const auto compared = [&](double a, double b) {
    return in_order(a, condition.order, b * condition.times + condition.plus);
  };
  if (condition.kind == Kind::mean) return compared(left.mean, right.mean);
  return compared(left.least, right.least) && compared(left.least, right.most) &&
         compared(left.most, right.least) && compared(left.most, right.most);
}

Verdict decide(const Rule& rule, const Results& results) {
  if (!all_met(rule.needs, results)) return Verdict::cannot_be_decided;
  if (!all_met(rule.must, results)) return Verdict::does_not_hold;
  if (all_met(rule.holds_if, results)) return Verdict::holds;
  const bool in_part = rule.in_part_if.empty() ? number_met(rule.holds_if, results) >= rule.in_part_count
                                               : all_met(rule.in_part_if, results);
  if (in_part) return Verdict::holds_in_part;
  return rule.fails_if.empty() || number_met(rule.fails_if, results) > 0 ? Verdict::does_not_hold
                                                                         : Verdict::cannot_be_decided;
}

std::string text(const Condition& one, const Results& results, int decimals, const std::string& of_right) {
  const auto side = [&](const Condition::Side& of, const std::string& before) {
    if (of.measurement.empty()) return fmt::format("{}", of.number);
    const Range range = range_of(of, results);
    return fmt::format("`{}` {}{}", of.variant, before,
                       one.kind == Kind::mean ? text(range.mean, decimals) : text(range, decimals));
  };
  std::string order = one.order;
  std::ranges::replace(order, '_', ' ');
  const std::string times = one.times == 1 ? "" : fmt::format("{} x ", one.times);
  const std::string plus =
      one.plus == 0 ? "" : fmt::format(" {} {}", one.plus < 0 ? '-' : '+', std::abs(one.plus));
  return fmt::format("{} {} {}{}{}", side(one.left, ""), order, times, side(one.right, of_right), plus);
}

}  // namespace regard::experiments
