#include "apps/translation/import/pytorch_file.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "apps/translation/import/zip_archive.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

/// A pickle of a thousand tensors has 300 kB.
constexpr std::uint64_t longest_pickle = 4 << 20;

/// Bytes of the storage of a tensor; nothing if no file is so large.
std::optional<std::uint64_t> size_of_storage(const PickledTensor& tensor) {
  constexpr std::uint64_t most = std::numeric_limits<Index>::max();
  return nn::stored_size(*tensor.read, {static_cast<Index>(std::min(tensor.storage_size, most))});
}

class ZipStorages : public PytorchFile::Storages {
 public:
  ZipStorages(const std::string& path, std::map<std::string, PickledTensor>& tensors)
      : path_(path), archive_(path) {
    constexpr std::string_view pickle = "/data.pkl";
    for (const auto& [member, size] : archive_.members())
      if (member.ends_with(pickle)) folder_ = member.substr(0, member.size() - pickle.size() + 1);
    if (folder_.empty())
      fail("{} is a zip archive, but not one of torch.save: it has no member data.pkl", path);
    const std::string order = folder_ + "byteorder";
    if (archive_.members().contains(order) && contents(order, 100) != "little")
      fail("{} has numbers whose highest byte comes first; save it on another machine", path);
    const std::string bytes = contents(folder_ + "data.pkl", longest_pickle);
    tensors = PickleReader(bytes, path).state_dict();
  }

  std::function<std::string(std::uint64_t)> open(const std::string& key, std::uint64_t bytes) const override {
    const std::string member = folder_ + "data/" + key;
    const auto found = archive_.members().find(member);
    if (found != archive_.members().end() && found->second != bytes)
      fail("{}: the member {} has {} bytes, but its tensors need {}", path_, printable(member), found->second,
           bytes);
    return archive_.open(member);
  }

 private:
  std::string contents(const std::string& member, std::uint64_t most) const {
    const std::uint64_t size = archive_.members().at(member);
    if (size > most)
      fail("{}: the member {} has {} bytes, which is too much; it is no file of weights", path_,
           printable(member), size);
    return archive_.open(member)(size);
  }

  std::string path_;
  ZipArchive archive_;
  std::string folder_;  ///< with a / at its end
};

/// The format before PyTorch 1.6: pickles of a magic number, of the format's version, of the machine, of the
/// state_dict and of the keys of the storages; then for each key the number of its numbers, and the numbers.
class LegacyStorages : public PytorchFile::Storages {
 public:
  LegacyStorages(const std::string& path, std::map<std::string, PickledTensor>& tensors)
      : path_(path), file_(path) {
    const std::string bytes = file_.read(0, std::min(file_.size(), longest_pickle));
    PickleReader pickles(bytes, path);
    for (int i = 0; i < 3; ++i) pickles.skip();
    tensors = pickles.state_dict();
    std::map<std::string, const PickledTensor*> storages;
    for (const auto& [name, tensor] : tensors) {
      // The size of a type that is not read is not known, so what follows could not be found.
      if (!tensor.read)
        fail("{}: {} is a {}; it is no weight of a model", path, printable(name), tensor.type);
      storages[tensor.storage] = &tensor;
    }
    const std::vector<std::string> keys = pickles.texts();
    std::uint64_t offset = pickles.position();
    for (const std::string& key : keys) {
      const auto storage = storages.find(key);
      if (storage == storages.end()) fail("{}: a storage in it belongs to no tensor", path);
      const std::string stored = file_.read(offset, sizeof(std::uint64_t));
      std::uint64_t numbers = 0;
      std::memcpy(&numbers, stored.data(), sizeof numbers);
      if (numbers != storage->second->storage_size)
        fail("{} has a storage of {} numbers where {} should be; it is damaged", path, numbers,
             storage->second->storage_size);
      offset += sizeof numbers;
      const auto size = size_of_storage(*storage->second);
      if (!size || *size > file_.size() - offset) fail("{} is truncated: it ends within a tensor", path);
      offsets_[key] = offset;
      offset += *size;
    }
  }

  std::function<std::string(std::uint64_t)> open(const std::string& key,
                                                 std::uint64_t /*bytes*/) const override {
    const auto found = offsets_.find(key);
    if (found == offsets_.end()) fail("{}: the numbers of the storage {} are missing", path_, printable(key));
    return [this, offset = found->second](std::uint64_t bytes) mutable {
      std::string piece = file_.read(offset, bytes);
      offset += bytes;
      return piece;
    };
  }

 private:
  std::string path_;
  nn::PartlyReadFile file_;
  std::map<std::string, std::uint64_t> offsets_;
};

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
    storages_ = std::make_unique<ZipStorages>(path, tensors_);
  else if (pickle)
    storages_ = std::make_unique<LegacyStorages>(path, tensors_);
  else
    fail("{} is no file of torch.save; it may be damaged", path);
  for (const auto& [name, tensor] : tensors_) shapes_.emplace(name, tensor.shape);
}

PytorchFile::~PytorchFile() = default;

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
  const auto next = storages_->open(pickled.storage, *in_storage);
  constexpr std::uint64_t block = 1 << 20;
  for (std::uint64_t skipped = pickled.first * size_of(*pickled.read); skipped > 0;) {
    const std::uint64_t bytes = std::min(block, skipped);
    next(bytes);
    skipped -= bytes;
  }
  nn::convert(*pickled.read, next, tensor);
  return tensor;
}

}  // namespace regard::translation
