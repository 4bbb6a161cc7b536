#pragma once

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "autograd/machine/error.h"

namespace regard::translation {

/// The values of an option and their names, in a configuration or on the command line.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

/// "a", "b" or "c"
inline std::string in_quotes(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "\"" : i + 1 == names.size() ? " or \"" : ", \"") + names[i] + "\"";
  return text;
}

template <class T>
std::vector<std::string> names_of(const Choices<T>& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return names;
}

/// Returns the value with this name. Throws Error that contains the option if no value has this name.
template <class T>
const T& value_of(const Choices<T>& choices, const std::string& name, const char* option) {
  for (const auto& [known, value] : choices)
    if (known == name) return value;
  fail("{} {}: give {}", option, name, in_quotes(names_of(choices)));
}

/// Returns the name of a value. Throws Error if the value has no name.
template <class T>
const std::string& name_of(const Choices<T>& choices, const T& value) {
  for (const auto& [name, known] : choices)
    if (known == value) return name;
  fail("this value is not one of {}", in_quotes(names_of(choices)));
}

}  // namespace regard::translation
