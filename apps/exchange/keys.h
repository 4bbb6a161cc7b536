#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "apps/translation/files/json_fields.h"
#include "autograd/machine/real.h"

namespace regard::exchange {

using translation::Json;

/// Reads a whole file. Throws Error if it has more than `most` bytes: then it is not what it should be.
std::string read_limited(const std::string& path, std::uint64_t most);

/// The keys of a configuration of another program. null counts as missing. All functions throw Error that
/// names the file, the key and its value if the value is not what is asked for.
class Keys {
 public:
  /// `name` is for messages. Throws Error unless the JSON is an object.
  Keys(const Json& json, const std::string& name);
  /// Reads a file of JSON.
  explicit Keys(const std::string& path);

  /// Adds the keys of another file of JSON, which take precedence over those that are there.
  void add(const std::string& path);

  /// The value of a key, or null.
  Json find(const std::string& key) const;
  /// The file that has the key, or the first file.
  const std::string& file(const std::string& key) const;

  /// The value of a key. Without `otherwise`, the key must be there.
  template <class T>
  T get(const std::string& key, const translation::Kind& kind, const std::optional<T>& otherwise = {}) const {
    T value = otherwise.value_or(T());
    translation::Fields fields(values_, file(key));
    otherwise ? fields.take(key, value, kind) : fields.need(key, value, kind);
    return value;
  }
  /// A whole number from `least` to 10,000,000, so that every product of two fits into an Index.
  Index whole_number(const std::string& key, std::optional<Index> otherwise = {}, Index least = 1) const {
    return get(key, translation::whole(least, 10'000'000), otherwise);
  }
  double number(const std::string& key, std::optional<double> otherwise = {}) const {
    return get(key, translation::any_number(), otherwise);
  }
  bool flag(const std::string& key, std::optional<bool> otherwise = {}) const {
    return get(key, translation::flag(), otherwise);
  }
  std::string text(const std::string& key, std::optional<std::string> otherwise = {}) const {
    return get(key, translation::text(), otherwise);
  }
  /// Throws Error unless the key has this value or is missing.
  void require(const std::string& key, const Json& value) const;

 private:
  void add(const Json& json, const std::string& name);

  Json values_ = Json::object();
  std::string first_file_;
  std::map<std::string, std::string> files_;  ///< of each key
};

}  // namespace regard::exchange
