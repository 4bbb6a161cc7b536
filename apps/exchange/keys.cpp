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
  const translation::Fields checked(json, name);
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

void Keys::require(const std::string& key, const Json& value) const {
  if (const Json found = find(key); !found.is_null() && found != value)
    fail("{}: {} is {}, but only {} can be imported", file(key), key, translation::printable_value(found),
         value.dump());
}

}  // namespace regard::exchange
