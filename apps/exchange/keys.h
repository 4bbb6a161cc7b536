#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/translation/files/json.h"
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

  // Without `otherwise`, the key must be there.

  /// A whole number from `least` to 10,000,000, so that every product of two fits into an Index.
  Index whole_number(const std::string& key, std::optional<Index> otherwise = {}, Index least = 1) const;
  double number(const std::string& key, std::optional<double> otherwise = {}) const;
  bool flag(const std::string& key, std::optional<bool> otherwise = {}) const;
  std::string text(const std::string& key, std::optional<std::string> otherwise = {}) const;
  /// Throws Error unless the key has this value or is missing.
  void require(const std::string& key, const Json& value) const;
  [[noreturn]] void wrong(const std::string& key, const std::string& needed) const;

 private:
  void add(const Json& json, const std::string& name);
  template <class T>
  T get(const std::string& key, const std::optional<T>& otherwise, bool (Json::*holds)() const noexcept,
        const std::string& needed) const;

  Json values_ = Json::object();
  std::string first_file_;
  std::map<std::string, std::string> files_;  ///< of each key
};

}  // namespace regard::exchange
