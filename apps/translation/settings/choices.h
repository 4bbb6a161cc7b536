#pragma once

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "autograd/error.h"

namespace regard::translation {

/// The values of an option and their names, in a configuration or on the command line.
template <class T>
struct Choices {
  std::vector<std::pair<std::string, T>> options;
};

/// Choices whose name is also their value.
inline Choices<std::string> one_of(const std::vector<std::string>& names) {
  Choices<std::string> choices;
  for (const std::string& name : names) choices.options.emplace_back(name, name);
  return choices;
}

/// "a", "b" or "c"
template <class T>
std::string list_of_names(const Choices<T>& choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.options.size(); ++i) {
    const bool last = i + 1 == choices.options.size();
    text += (i == 0 ? "" : last ? " or " : ", ") + fmt::format("\"{}\"", choices.options[i].first);
  }
  return text;
}

/// Returns the value with this name. Throws Error that contains the option if no value has this name.
template <class T>
const T& value_of(const Choices<T>& choices, const std::string& name, const char* option) {
  for (const auto& [known, value] : choices.options)
    if (known == name) return value;
  fail("{} {}: give {}", option, name, list_of_names(choices));
}

/// Returns the name of a value. Throws Error if the value has no name.
template <class T>
const std::string& name_of(const Choices<T>& choices, const T& value) {
  for (const auto& [name, known] : choices.options)
    if (known == value) return name;
  fail("this value is not one of {}", list_of_names(choices));
}

}  // namespace regard::translation
