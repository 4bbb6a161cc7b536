#include "apps/translation/files/json_fields.h"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>

#include "apps/translation/files/choices.h"

namespace regard::translation {

namespace {

bool is_text(const Json& json) {
  return json.is_string() && json.get_ref<const std::string&>().find('\0') == std::string::npos;
}

Kind numbers(const std::string& range, const std::function<bool(double)>& in_range) {
  return {"a number " + range,
          [in_range](const Json& json) { return json.is_number() && in_range(json.get<double>()); }};
}

}  // namespace

Kind flag() {
  return {"true or false", [](const Json& json) { return json.is_boolean(); }};
}

Kind text(const std::string& allowed) { return {allowed, is_text}; }

Kind list_of_texts(const std::string& allowed) {
  return {allowed, [](const Json& json) { return json.is_array() && std::ranges::all_of(json, is_text); }};
}

Kind one_of(const std::vector<std::string>& names) {
  return {in_quotes(names), [names](const Json& json) {
            return std::ranges::any_of(names, [&](const std::string& name) { return json == name; });
          }};
}

Kind any_number() {
  return {"a number", [](const Json& json) { return json.is_number(); }};
}

Kind at_least(double low) {
  return numbers(fmt::format("of at least {}", low), [low](double x) { return x >= low; });
}

Kind above(double low) {
  return numbers(fmt::format("above {}", low),
                 [low](double x) { return static_cast<float>(x) > static_cast<float>(low); });
}

Kind from_to(double low, double high) {
  return numbers(fmt::format("from {} to {}", low, high), [=](double x) { return x >= low && x <= high; });
}

Kind from_to_below(double low, double high) {
  return numbers(fmt::format("from {} to below {}", low, high),
                 [=](double x) { return x >= low && static_cast<float>(x) < static_cast<float>(high); });
}

Kind whole(Index low, Index high) {
  // No limit is above 2^53, so the limits are exact as double.
  const Kind range = from_to(static_cast<double>(low), static_cast<double>(high));
  return {fmt::format("a whole number from {} to {}", low, high), [range](const Json& json) {
            return range.holds(json) && json.get<double>() == std::floor(json.get<double>());
          }};
}

Kind whole_numbers(Index most, Index low, Index high) {
  const auto holds = whole(low, high).holds;
  return {fmt::format("a list of at most {} whole numbers, each from {} to {}", most, low, high),
          [=](const Json& json) {
            return json.is_array() && to_index(json.size()) <= most && std::ranges::all_of(json, holds);
          }};
}

Kind any_list() {
  return {"a list", [](const Json& json) { return json.is_array(); }};
}

Kind list_of(const Kind& kind) {
  return {"a list, each entry " + kind.allowed, [holds = kind.holds](const Json& json) {
            return json.is_array() && std::ranges::all_of(json, holds);
          }};
}

Kind any_object() {
  return {"an object", [](const Json& json) { return json.is_object(); }};
}

Kind or_null(const Kind& kind) {
  return {kind.allowed + ", or null",
          [kind](const Json& json) { return json.is_null() || kind.holds(json); }};
}

Fields::Fields(Json json, std::string name) : json_(std::move(json)), name_(std::move(name)) {
  if (!json_.is_object())
    fail("{} must be an object {{\"key\": ...}}, got {}", name_, printable_value(json_));
}

Json Fields::part(const std::string& key) {
  known_.push_back(key);
  return json_.contains(key) ? json_.at(key) : Json();
}

Json Fields::list(const std::string& key) {
  Json list = Json::array();
  take(key, list, any_list());
  return list;
}

Json Fields::object(const std::string& key) {
  Json object = Json::object();
  take(key, object, any_object());
  return object;
}

void Fields::end() const {
  for (const auto& [key, value] : json_.items())
    if (std::ranges::count(known_, key) == 0)
      fail("{} has an unknown \"{}\"; choose one of {}", name_, key, fmt::join(known_, ", "));
}

const Json* Fields::find(const std::string& key, const Kind& kind) {
  known_.push_back(key);
  if (!json_.contains(key)) return nullptr;
  const Json& json = json_.at(key);
  if (kind.holds(json)) return &json;
  fail("{}: \"{}\" must be {}, got {}", name_, key, kind.allowed, printable_value(json));
}

}  // namespace regard::translation
