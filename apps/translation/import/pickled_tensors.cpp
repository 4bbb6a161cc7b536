#include <algorithm>
#include <array>

#include "apps/translation/import/pickle.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

// What the pickle of a state_dict builds: storages, tensors, and the dictionary itself.

namespace regard::translation {

namespace {

constexpr std::size_t longest_key = 100, greatest_rank = 8;

struct Storage {
  const char* name;
  std::optional<nn::StoredType> type;
};
/// The classes of storages (torch/storage.py). The last ones occur in files, but no model needs their
/// numbers.
constexpr std::array<Storage, 10> known_storages{{{"FloatStorage", nn::StoredType::float32},
                                                  {"HalfStorage", nn::StoredType::float16},
                                                  {"BFloat16Storage", nn::StoredType::bfloat16},
                                                  {"DoubleStorage", nn::StoredType::float64},
                                                  {"LongStorage", {}},
                                                  {"IntStorage", {}},
                                                  {"ShortStorage", {}},
                                                  {"CharStorage", {}},
                                                  {"ByteStorage", {}},
                                                  {"BoolStorage", {}}}};

constexpr std::string_view of_torch = "torch ";

}  // namespace

bool PickleReader::is_storage(std::string_view name) {
  return name.starts_with(of_torch) && std::ranges::any_of(known_storages, [&](const Storage& storage) {
           return name.substr(of_torch.size()) == storage.name;
         });
}

std::uint64_t PickleReader::size_in(const Value& value) const {
  if (value.kind != Kind::number || value.number < 0)
    refuse("a size in it is not a whole number of at least 0; it is damaged");
  return static_cast<std::uint64_t>(value.number);
}

/// The name of a storage: ("storage", class, key, device, numbers), and in files before PyTorch 1.6 None.
void PickleReader::push_storage() {
  const Value* const place = pop();
  const std::vector<Value*>& items = place->items;
  const bool fits = place->kind == Kind::tuple && (items.size() == 5 || items.size() == 6) &&
                    items[0]->kind == Kind::text && items[0]->text == "storage" &&
                    items[1]->kind == Kind::name && is_storage(items[1]->text) &&
                    items[2]->kind == Kind::text && items[2]->text.size() <= longest_key &&
                    (items.size() == 5 || items[5]->kind == Kind::none);
  if (!fits) refuse("a storage in it is not described as torch.save describes it");
  const std::string type = items[1]->text.substr(of_torch.size());
  const auto* const known =
      std::ranges::find_if(known_storages, [&](const Storage& storage) { return type == storage.name; });
  push({.kind = Kind::storage,
        .tensor = {.storage = items[2]->text,
                   .type = type,
                   .read = known->type,
                   .storage_size = size_in(*items[4])}});
}

/// Arguments: storage, first number, shape, strides, and what a training needs.
PickleReader::Value PickleReader::rebuilt_tensor(const std::vector<Value*>& arguments) const {
  if (arguments.size() < 4 || arguments[0]->kind != Kind::storage || arguments[2]->kind != Kind::tuple ||
      arguments[3]->kind != Kind::tuple || arguments[2]->items.size() != arguments[3]->items.size() ||
      arguments[2]->items.size() > greatest_rank)
    refuse("a tensor in it is not described as torch.save describes it");
  Value tensor{.kind = Kind::tensor, .tensor = arguments[0]->tensor};
  tensor.tensor.first = size_in(*arguments[1]);
  std::vector<Index> extents;
  for (std::size_t axis = 0; axis < arguments[2]->items.size(); ++axis) {
    extents.push_back(static_cast<Index>(size_in(*arguments[2]->items[axis])));
    tensor.tensor.strides.push_back(size_in(*arguments[3]->items[axis]));
  }
  tensor.tensor.shape = Shape(std::move(extents));
  return tensor;
}

std::map<std::string, PickledTensor> PickleReader::state_dict() {
  const Value* const dictionary = load();
  if (dictionary->kind != Kind::dictionary)
    refuse("it holds no dictionary of tensors; save model.state_dict()");
  std::map<std::string, PickledTensor> tensors;
  for (std::size_t i = 0; i < dictionary->items.size(); i += 2) {
    const Value& key = *dictionary->items[i];
    const Value& value = *dictionary->items[i + 1];
    if (key.kind != Kind::text) refuse("the name of a tensor is no text");
    if (value.kind != Kind::tensor)
      refuse(fmt::format("{} is no tensor; save model.state_dict()", printable(key.text)));
    if (!tensors.emplace(key.text, value.tensor).second)
      refuse(fmt::format("{} occurs twice", printable(key.text)));
  }
  return tensors;
}

std::vector<std::string> PickleReader::texts() {
  const Value* const list = load();
  std::vector<std::string> result;
  if (list->kind != Kind::list) refuse("it has no list of storages");
  for (const Value* const item : list->items) {
    if (item->kind != Kind::text) refuse("the key of a storage is no text");
    result.push_back(item->text);
  }
  return result;
}

}  // namespace regard::translation
