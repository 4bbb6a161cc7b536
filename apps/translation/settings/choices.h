#pragma once

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "autograd/error.h"

namespace regard::translation {

/// One of a few names, each of which stands for a value: in a configuration, or on the command line.
template <class T>
struct Choices {
  std::vector<std::pair<std::string, T>> options;
};

/// Names that stand for themselves.
inline Choices<std::string> one_of(const std::vector<std::string>& names) {
  Choices<std::string> choices;
  for (const std::string& name : names) choices.options.emplace_back(name, name);
  return choices;
}

/// "a", "b" or "c"
template <class T>
std::string words(const Choices<T>& choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.options.size(); ++i) {
    const bool last = i + 1 == choices.options.size();
    text += (i == 0 ? "" : last ? " or " : ", ") + fmt::format("\"{}\"", choices.options[i].first);
  }
  return text;
}

/// The value that a name stands for. Throws Error naming the option if it is none of the names.
template <class T>
const T& chosen(const Choices<T>& choices, const std::string& name, const char* option) {
  for (const auto& [known, value] : choices.options)
    if (known == name) return value;
  fail("{} {}: give {}", option, name, words(choices));
}

/// The name that stands for a value. Throws Error if there is none.
template <class T>
const std::string& name_of(const Choices<T>& choices, const T& value) {
  for (const auto& [name, known] : choices.options)
    if (known == value) return name;
  fail("this is none of {}", words(choices));
}

}  // namespace regard::translation
