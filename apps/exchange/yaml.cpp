#include "apps/exchange/yaml.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include "autograd/machine/error.h"

namespace regard::exchange {

namespace {

/// A text without quotes is a number or a truth value if it can be one. "n" and "y" are texts: Marian names
/// steps of a layer by such letters.
Json value_of(const YAML::Node& node) {
  if (node.IsNull()) return {};
  if (!node.IsScalar()) return Json::array();
  const bool quoted = node.Tag() == "!";
  std::int64_t whole = 0;
  double number = 0;
  bool truth = false;
  if (!quoted && YAML::convert<std::int64_t>::decode(node, whole)) return whole;
  if (!quoted && YAML::convert<double>::decode(node, number)) return number;
  if (!quoted && node.Scalar().size() > 1 && YAML::convert<bool>::decode(node, truth)) return truth;
  return node.Scalar();
}

}  // namespace

std::vector<std::pair<std::string, Json>> parse_yaml(const std::string& text, const std::string& name) {
  try {
    const YAML::Node map = YAML::Load(text);
    if (!map.IsMap()) fail("{} has no keys with values", name);
    std::vector<std::pair<std::string, Json>> values;
    for (const auto& entry : map) values.emplace_back(entry.first.as<std::string>(), value_of(entry.second));
    return values;
  } catch (const YAML::Exception& error) {
    fail("{} is no YAML: line {}, column {} cannot be read", name, error.mark.line + 1,
         error.mark.column + 1);
  }
}

}  // namespace regard::exchange
