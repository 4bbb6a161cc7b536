#include "apps/exchange/keys.h"

#include "autograd/machine/error.h"
#include "nn/stored_numbers.h"

namespace regard::exchange {

std::string read_limited(const std::string& path, std::uint64_t most) {
  const nn::PartlyReadFile file(path);
  if (file.size() > most)
    fail("{} has {} bytes, but such a file has at most {}; is it the right file?", path, file.size(), most);
  return file.read(0, file.size());
}

Keys::Keys(const Json& json, const std::string& name) : first_file_(name) { add(json, name); }

Keys::Keys(const std::string& path) : first_file_(path) { add(path); }

void Keys::add(const std::string& path) {
  constexpr std::uint64_t longest = 1 << 20;  // bytes
  add(translation::parse_json(read_limited(path, longest), path), path);
}

void Keys::add(const Json& json, const std::string& name) {
  if (!json.is_object()) fail("{} is no JSON object", name);
  for (const auto& [key, value] : json.items()) {
    if (value.is_null()) continue;
    values_[key] = value;
    files_[key] = name;
  }
}

Json Keys::find(const std::string& key) const { return values_.value(key, Json()); }

const std::string& Keys::file(const std::string& key) const {
  const auto found = files_.find(key);
  return found == files_.end() ? first_file_ : found->second;
}

template <class T>
T Keys::get(const std::string& key, const std::optional<T>& otherwise, bool (Json::*holds)() const noexcept,
            const std::string& needed) const {
  const Json value = find(key);
  if (value.is_null() && !otherwise) fail("{}: {} is missing", file(key), key);
  if (value.is_null()) return *otherwise;
  if (!(value.*holds)()) wrong(key, needed);
  return value.get<T>();
}

Index Keys::whole_number(const std::string& key, std::optional<Index> otherwise, Index least) const {
  constexpr Index most = 10'000'000;
  const std::string needed = fmt::format("a whole number from {} to {}", least, most);
  const Index value = get(key, otherwise, &Json::is_number_integer, needed);
  if (value < least || value > most) wrong(key, needed);
  return value;
}

double Keys::number(const std::string& key, std::optional<double> otherwise) const {
  return get(key, otherwise, &Json::is_number, "a number");
}

bool Keys::flag(const std::string& key, std::optional<bool> otherwise) const {
  return get(key, otherwise, &Json::is_boolean, "true or false");
}

std::string Keys::text(const std::string& key, std::optional<std::string> otherwise) const {
  return get(key, otherwise, &Json::is_string, "a text");
}

void Keys::require(const std::string& key, const Json& value) const {
  if (const Json found = find(key); !found.is_null() && found != value)
    fail("{}: {} is {}, but only {} can be imported", file(key), key, translation::printable_value(found),
         value.dump());
}

void Keys::wrong(const std::string& key, const std::string& needed) const {
  fail("{}: {} is {}; it must be {}", file(key), key, translation::printable_value(find(key)), needed);
}

}  // namespace regard::exchange
