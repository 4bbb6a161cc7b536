#include "apps/exchange/pytorch_file.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::exchange {

using translation::printable;

namespace {

/// A pickle of a thousand tensors has 300 kB.
constexpr std::uint64_t longest_pickle = 4 << 20;

/// Bytes of the storage of a tensor; nothing if no file is so large.
std::optional<std::uint64_t> size_of_storage(const PickledTensor& tensor) {
  constexpr std::uint64_t most = std::numeric_limits<Index>::max();
  return nn::stored_size(*tensor.read, {static_cast<Index>(std::min(tensor.storage_size, most))});
}

/// True if the numbers of a tensor stand one after another.
bool is_contiguous(const PickledTensor& tensor) {
  std::uint64_t step = 1;
  for (std::size_t axis = tensor.strides.size(); axis-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(tensor.shape.extents()[axis]);
    if (extent != 1 && tensor.strides[axis] != step) return false;
    step *= extent;
  }
  return true;
}

}  // namespace

PytorchFile::PytorchFile(const std::string& path) : TensorFile(path) {
  const nn::PartlyReadFile file(path);
  const bool zip = file.size() >= 4 && file.read(0, 4) == "PK\x03\x04";
  const bool pickle = file.size() >= 2 && file.read(0, 2) == "\x80\x02";
  if (zip)
    read_zip();
  else if (pickle)
    read_legacy();
  else
    fail("{} is no file of torch.save; it may be damaged", path);
  for (const auto& [name, tensor] : tensors_) shapes_.emplace(name, tensor.shape);
}

void PytorchFile::read_zip() {
  const auto archive = std::make_shared<const ZipArchive>(path_);
  constexpr std::string_view pickle = "/data.pkl";
  std::string folder;
  for (const auto& [member, size] : archive->members())
    if (member.ends_with(pickle)) folder = member.substr(0, member.size() - pickle.size() + 1);
  if (folder.empty())
    fail("{} is a zip archive, but not one of torch.save: it has no member data.pkl", path_);
  const std::string order = folder + "byteorder";
  if (archive->members().contains(order) && archive->read(order, 100) != "little")
    fail("{} has numbers whose highest byte comes first; save it on another machine", path_);
  const std::string bytes = archive->read(folder + "data.pkl", longest_pickle);
  tensors_ = state_dict(Pickles(bytes, path_, 1)[0], path_);
  open_ = [archive, folder, path = path_](const std::string& key, std::uint64_t needed) {
    const std::string member = folder + "data/" + key;
    const auto found = archive->members().find(member);
    if (found != archive->members().end() && found->second != needed)
      fail("{}: the member {} has {} bytes, but its tensors need {}", path, printable(member), found->second,
           needed);
    return archive->open(member);
  };
}

/// The format before PyTorch 1.6: pickles of a magic number, of the format's version, of the machine, of the
/// state_dict and of the keys of the storages; then for each key the number of its numbers, and the numbers.
void PytorchFile::read_legacy() {
  const nn::PartlyReadFile file(path_);
  const std::string bytes = file.read(0, std::min(file.size(), longest_pickle));
  const Pickles pickles(bytes, path_, 5);
  tensors_ = state_dict(pickles[3], path_);
  std::map<std::string, const PickledTensor*> storages;
  for (const auto& [name, tensor] : tensors_) {
    // The size of a type that is not read is not known, so what follows could not be found.
    if (!tensor.read) fail("{}: {} is a {}; it is no weight of a model", path_, printable(name), tensor.type);
    storages[tensor.storage] = &tensor;
  }
  std::map<std::string, std::uint64_t> offsets;
  std::uint64_t offset = pickles.size();
  for (const PickledValue* const key : pickles[4].items) {
    const auto storage = storages.find(key->text);
    if (storage == storages.end()) fail("{}: a storage in it belongs to no tensor", path_);
    const std::string stored = file.read(offset, sizeof(std::uint64_t));
    std::uint64_t numbers = 0;
    std::memcpy(&numbers, stored.data(), sizeof numbers);
    if (numbers != storage->second->storage_size)
      fail("{} has a storage of {} numbers where {} should be; it is damaged", path_, numbers,
           storage->second->storage_size);
    offset += sizeof numbers;
    const auto size = size_of_storage(*storage->second);
    if (!size || *size > file.size() - offset) fail("{} is truncated: it ends within a tensor", path_);
    offsets[key->text] = offset;
    offset += *size;
  }
  open_ = [file, offsets, path = path_](const std::string& key, std::uint64_t) {
    const auto found = offsets.find(key);
    if (found == offsets.end()) fail("{}: the numbers of the storage {} are missing", path, printable(key));
    return [file, from = found->second](std::uint64_t count) mutable {
      std::string piece = file.read(from, count);
      from += count;
      return piece;
    };
  };
}

Tensor PytorchFile::read(const std::string& name) const {
  const PickledTensor& pickled = tensors_.at(name);
  if (!pickled.read)
    fail("{}: {} is a {}; weights are float16, bfloat16, float32 or float64", path_, printable(name),
         pickled.type);
  const auto in_storage = size_of_storage(pickled);
  const auto in_tensor = nn::stored_size(*pickled.read, pickled.shape.extents());
  if (!in_storage || !in_tensor || !is_contiguous(pickled) || pickled.first > pickled.storage_size ||
      *in_tensor > *in_storage - pickled.first * size_of(*pickled.read))
    fail("{}: {} of shape {} does not lie in its storage row by row; save it after contiguous()", path_,
         printable(name), to_string(pickled.shape));
  const Tensor tensor = Tensor::empty(pickled.shape);
  const auto next = open_(pickled.storage, *in_storage);
  constexpr std::uint64_t block = 1 << 20;
  for (std::uint64_t left = pickled.first * size_of(*pickled.read); left > 0; left -= std::min(block, left))
    next(std::min(block, left));
  nn::convert(*pickled.read, next, tensor);
  return tensor;
}

}  // namespace regard::exchange
