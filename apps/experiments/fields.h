#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

/// Takes the keys of a JSON object one after another, and refuses those that nobody took. Messages contain
/// `name`.
class Fields {
 public:
  /// Throws Error unless this is an object.
  Fields(translation::Json json, std::string name);

  /// Reads a key if it is there. Throws Error if the value is not of this kind.
  template <class T>
  void take(const std::string& key, T& value, const translation::Kind& kind) {
    if (const translation::Json* json = find(key, kind)) value = json->get<T>();
  }
  /// The same. Throws Error if the key is missing.
  template <class T>
  void need(const std::string& key, T& value, const translation::Kind& kind) {
    if (!json_.contains(key)) fail("{}: \"{}\" is missing", name_, key);
    take(key, value, kind);
  }
  /// Returns the value of a key, null if it is missing.
  translation::Json part(const std::string& key);
  /// Returns a list or an object, an empty one if it is missing.
  translation::Json list(const std::string& key);
  translation::Json object(const std::string& key);
  /// Throws Error if there are other keys.
  void end() const;

 private:
  const translation::Json* find(const std::string& key, const translation::Kind& kind);

  translation::Json json_;
  std::string name_;
  std::vector<std::string> known_;
};

/// Reads an object with values of one kind under any keys.
template <class T>
std::map<std::string, T> read_map(const translation::Json& json, const std::string& name,
                                  const translation::Kind& kind) {
  std::map<std::string, T> values;
  Fields fields(json, name);
  for (const auto& [key, value] : json.items()) fields.take(key, values[key], kind);
  return values;
}

// Kinds of values, beside those of the settings.

inline translation::Kind a_text() { return translation::text("a text"); }
inline translation::Kind texts() { return translation::list_of_texts("a list of texts"); }
translation::Kind any_number();
translation::Kind list_of(const translation::Kind& kind);

}  // namespace regard::experiments
