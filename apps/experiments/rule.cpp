#include "apps/experiments/rule.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "autograd/error.h"

namespace regard::experiments {

using translation::Json;
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

/// [measurement, variant or variants, index], or a number. One side for each variant.
std::vector<Condition::Side> read_sides(const Json& json) {
  if (json.is_number()) return {{.number = json.get<double>()}};
  std::vector<Condition::Side> sides;
  const Json variants = json.at(1).is_array() ? json.at(1) : Json::array({json.at(1)});
  for (const Json& variant : variants)
    sides.push_back({json.at(0), variant, json.size() > 2 ? json.at(2).get<Index>() : 0});
  return sides;
}

std::vector<Condition> read_conditions(const Json& list) {
  std::vector<Condition> conditions;
  for (const Json& json : list) {
    if (!json.is_object() || json.empty()) fail("{} is no condition", json.dump());
    const auto kind =
        std::ranges::find_if(kinds, [&](const auto& known) { return json.begin().key() == known.first; });
    if (kind == kinds.end()) fail("a condition begins with {}", json.begin().key());
    Condition condition{.kind = kind->second};
    if (has_parts(condition.kind)) {
      condition.parts = read_conditions(json.begin().value());
      conditions.push_back(std::move(condition));
      continue;
    }
    if (json.size() < 2) fail("the condition {} compares with nothing", json.dump());
    condition.order = std::next(json.begin()).key();
    condition.times = json.value("times", 1.0);
    condition.plus = json.value("plus", 0.0);
    for (const Condition::Side& left : read_sides(json.at(kind->first)))
      for (const Condition::Side& right : read_sides(json.at(condition.order))) {
        condition.left = left;
        condition.right = right;
        conditions.push_back(condition);
      }
  }
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

Rule read_rule(const Json& json, const std::string& name) {
  try {
    Rule rule{};
    for (const auto& [key, value] : json.items()) {
      if (key == "needs")
        rule.needs = read_conditions(value);
      else if (key == "must")
        rule.must = read_conditions(value);
      else if (key == "holds_if")
        rule.holds_if = read_conditions(value);
      else if (key == "fails_if")
        rule.fails_if = read_conditions(value);
      else if (key == "in_part_if" && value.is_number())
        rule.in_part_count = value;
      else if (key == "in_part_if")
        rule.in_part_if = read_conditions(value);
      else
        fail("there is no \"{}\"; choose needs, must, holds_if, in_part_if or fails_if", key);
    }
    if (rule.holds_if.empty()) fail("\"holds_if\" is missing");
    for (const Condition& one : comparisons(rule))
      if (one.order != "above" && one.order != "below" && one.order != "at_least" && one.order != "at_most")
        fail("a comparison has \"{}\"; choose above, below, at_least or at_most", one.order);
    return rule;
  } catch (const Json::exception& error) {
    fail("{}: \"decide\" is not a rule ({})", name, error.what());
  } catch (const Error& error) {
    fail("{}: \"decide\": {}", name, error.what());
  }
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
