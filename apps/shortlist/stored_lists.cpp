#include "apps/shortlist/stored_lists.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

constexpr const char* stored_type = "I32";

nn::StoredTensor stored(const std::string& name, const std::vector<std::int32_t>& numbers) {
  return {name,
          stored_type,
          Shape{to_index(numbers.size())},
          {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int32_t)}};
}

std::vector<std::int32_t> numbers_in(const nn::SafetensorsFile& file, const std::string& name) {
  if (!file.has(name) || file.type(name) != stored_type)
    fail("{} has no numbers {} of type {}", file.path(), name, stored_type);
  const std::string bytes = file.bytes(name);
  std::vector<std::int32_t> numbers(bytes.size() / sizeof(std::int32_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(std::int32_t));
  return numbers;
}

}  // namespace

StoredLists::StoredLists(const std::vector<std::vector<std::int32_t>>& lists) {
  for (const std::vector<std::int32_t>& list : lists) {
    lengths_.push_back(static_cast<std::int32_t>(list.size()));
    numbers_.insert(numbers_.end(), list.begin(), list.end());
  }
}

void StoredLists::add_to(std::vector<nn::StoredTensor>& tensors, const std::string& name) const {
  tensors.push_back(stored(name + ".lengths", lengths_));
  tensors.push_back(stored(name + ".numbers", numbers_));
}

std::vector<std::vector<std::int32_t>> StoredLists::read(const nn::SafetensorsFile& file,
                                                         const std::string& name) {
  const std::vector<std::int32_t> lengths = numbers_in(file, name + ".lengths"),
                                  numbers = numbers_in(file, name + ".numbers");
  const auto negative = [](std::int32_t length) { return length < 0; };
  if (std::ranges::any_of(lengths, negative) ||
      std::accumulate(lengths.begin(), lengths.end(), Index{0}) != to_index(numbers.size()))
    fail("{} is damaged: the numbers {} do not fit their lengths", file.path(), name);
  std::vector<std::vector<std::int32_t>> lists;
  auto next = numbers.begin();
  for (const std::int32_t length : lengths) {
    lists.emplace_back(next, next + length);
    next += length;
  }
  return lists;
}

}  // namespace regard::translation
