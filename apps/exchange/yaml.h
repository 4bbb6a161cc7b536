#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/exchange/keys.h"

namespace regard::exchange {

/// Returns the keys and values of a map in YAML, in their order. Values that are lists or maps are empty
/// lists. `name` is for messages. Only yaml.cpp includes the library, whose header takes seconds.
std::vector<std::pair<std::string, Json>> parse_yaml(const std::string& text, const std::string& name);

}  // namespace regard::exchange
