#include "apps/exchange/pickled_tensors.h"

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::exchange {

namespace {

using Kind = PickledValue::Kind;
using Items = std::vector<const PickledValue*>;

/// The types of the numbers (torch/storage.py). Other classes occur in files, but no model needs their
/// numbers.
const std::map<std::string, nn::StoredType> stored_types{{"FloatStorage", nn::StoredType::float32},
                                                         {"HalfStorage", nn::StoredType::float16},
                                                         {"BFloat16Storage", nn::StoredType::bfloat16},
                                                         {"DoubleStorage", nn::StoredType::float64}};

std::uint64_t size_in(const PickledValue& value, const std::string& file) {
  if (value.kind != Kind::number || value.number < 0)
    refuse_pickle(file, "a size in it is not a whole number of at least 0; it is damaged");
  return static_cast<std::uint64_t>(value.number);
}

bool are(const Items& items, std::initializer_list<Kind> kinds) {
  if (items.size() < kinds.size()) return false;
  auto item = items.begin();
  for (const Kind kind : kinds)
    if ((*item++)->kind != kind) return false;
  return true;
}

/// A storage: ("storage", class, key, device, numbers), and in files before PyTorch 1.6 None.
PickledTensor storage_of(const Items& items, const std::string& file) {
  constexpr std::size_t longest_key = 100;
  if (!are(items, {Kind::text, Kind::name, Kind::text, Kind::text, Kind::number}) || items.size() > 6 ||
      (items.size() == 6 && items[5]->kind != Kind::none) || items[0]->text != "storage" ||
      !items[1]->text.starts_with(Pickles::torch) || items[2]->text.size() > longest_key)
    refuse_pickle(file, "a storage in it is not described as torch.save describes it");
  const std::string type = items[1]->text.substr(Pickles::torch.size());
  const auto known = stored_types.find(type);
  return {.storage = items[2]->text,
          .type = type,
          .read = known == stored_types.end() ? std::nullopt : std::optional(known->second),
          .storage_size = size_in(*items[4], file)};
}

/// Arguments of a call: storage, first number, shape, strides, and what a training needs.
PickledTensor tensor_of(const Items& items, const std::string& file) {
  constexpr std::size_t greatest_rank = 8;
  if (!are(items, {Kind::reference, Kind::number, Kind::tuple, Kind::tuple}) ||
      items[2]->items.size() != items[3]->items.size() || items[2]->items.size() > greatest_rank)
    refuse_pickle(file, "a tensor in it is not described as torch.save describes it");
  PickledTensor tensor = storage_of(items[0]->items, file);
  tensor.first = size_in(*items[1], file);
  std::vector<Index> extents;
  for (const PickledValue* const extent : items[2]->items)
    extents.push_back(static_cast<Index>(size_in(*extent, file)));
  for (const PickledValue* const stride : items[3]->items) tensor.strides.push_back(size_in(*stride, file));
  tensor.shape = Shape(std::move(extents));
  return tensor;
}

}  // namespace

std::map<std::string, PickledTensor> state_dict(const PickledValue& dictionary, const std::string& file) {
  if (dictionary.kind != Kind::dictionary)
    refuse_pickle(file, "it holds no dictionary of tensors; save model.state_dict()");
  std::map<std::string, PickledTensor> tensors;
  for (std::size_t i = 0; i < dictionary.items.size(); i += 2) {
    const PickledValue& key = *dictionary.items[i];
    const PickledValue* value = dictionary.items[i + 1];
    if (key.kind != Kind::text) refuse_pickle(file, "the name of a tensor is no text");
    const std::string name = translation::printable(key.text);
    if (value->text == Pickles::rebuild_parameter && are(value->items, {Kind::call})) value = value->items[0];
    if (value->kind != Kind::call || value->text != Pickles::rebuild_tensor)
      refuse_pickle(file, fmt::format("{} is no tensor; save model.state_dict()", name));
    if (!tensors.emplace(key.text, tensor_of(value->items, file)).second)
      refuse_pickle(file, fmt::format("{} occurs twice", name));
  }
  return tensors;
}

}  // namespace regard::exchange
