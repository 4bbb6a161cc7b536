#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/translation/files/json.h"
#include "autograd/machine/error.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// The values that a key of JSON may have.
struct Kind {
  std::string allowed;                            ///< for messages: "true or false"
  std::function<bool(const Json& json)> holds{};  ///< true if it may have this value
};

Kind flag();
/// A text without NUL characters, because a path would end there; or a list of such texts. `allowed`
/// describes them.
Kind text(const std::string& allowed = "a text");
Kind list_of_texts(const std::string& allowed = "a list of texts");
Kind one_of(const std::vector<std::string>& names);
/// Numbers. A limit that is not allowed itself is compared in float, because weights are computed in float: a
/// value must not round to the limit.
Kind any_number();
Kind at_least(double low);
Kind above(double low);
Kind from_to(double low, double high);
Kind from_to_below(double low, double high);
/// Whole numbers, written as 4096 or as 4e3. Each has an upper limit, so that sums and products of two
/// numbers fit an Index.
Kind whole(Index low, Index high = 1'000'000'000);
/// A list of at most so many whole numbers.
Kind whole_numbers(Index most, Index low, Index high);
Kind any_list();
Kind list_of(const Kind& kind);
Kind any_object();
/// For std::optional.
Kind or_null(const Kind& kind);

/// Takes the keys of a JSON object one after another, and refuses those that nobody took. Messages contain
/// `name`.
class Fields {
 public:
  /// Throws Error unless this is an object.
  Fields(Json json, std::string name);

  /// Reads a key if it is there. Throws Error if the value is not of this kind.
  template <class T>
  void take(const std::string& key, T& value, const Kind& kind) {
    if (const Json* json = find(key, kind)) value = json->get<T>();
  }
  /// The same. Throws Error if the key is missing.
  template <class T>
  void need(const std::string& key, T& value, const Kind& kind) {
    if (!json_.contains(key)) fail("{}: \"{}\" is missing", name_, key);
    take(key, value, kind);
  }
  /// Returns the value of a key, null if it is missing.
  Json part(const std::string& key);
  /// Returns a list or an object, an empty one if it is missing.
  Json list(const std::string& key);
  Json object(const std::string& key);
  /// Throws Error if there are other keys.
  void end() const;

 private:
  const Json* find(const std::string& key, const Kind& kind);

  Json json_;
  std::string name_;
  std::vector<std::string> known_;
};

/// Reads an object with values of one kind under any keys.
template <class T>
std::map<std::string, T> read_map(const Json& json, const std::string& name, const Kind& kind) {
  std::map<std::string, T> values;
  Fields fields(json, name);
  for (const auto& [key, value] : json.items()) fields.take(key, values[key], kind);
  return values;
}

}  // namespace regard::translation
