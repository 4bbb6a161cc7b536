#include "apps/experiments/fields.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace regard::experiments {

using translation::Json;
using translation::Kind;

Fields::Fields(Json json, std::string name) : json_(std::move(json)), name_(std::move(name)) {
  if (!json_.is_object())
    fail("{} must be an object {{\"key\": ...}}, got {}", name_, translation::printable_value(json_));
}

Json Fields::part(const std::string& key) {
  known_.push_back(key);
  return json_.contains(key) ? json_.at(key) : Json();
}

Json Fields::list(const std::string& key) {
  Json list = Json::array();
  take(key, list, {"a list", [](const Json& json) { return json.is_array(); }});
  return list;
}

Json Fields::object(const std::string& key) {
  Json object = Json::object();
  take(key, object, {"an object", [](const Json& json) { return json.is_object(); }});
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
  fail("{}: \"{}\" must be {}, got {}", name_, key, kind.allowed, translation::printable_value(json));
}

Kind any_number() {
  return {"a number", [](const Json& json) { return json.is_number(); }};
}

Kind list_of(const Kind& kind) {
  return {"a list, each entry " + kind.allowed, [holds = kind.holds](const Json& json) {
            return json.is_array() && std::ranges::all_of(json, holds);
          }};
}

}  // namespace regard::experiments
