#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "apps/translation/import/pickle.h"
#include "nn/stored_numbers.h"

namespace regard::translation {

/// The tensors of a state_dict that torch.save wrote (pytorch_model.bin): a zip archive with a pickle and the
/// numbers, or, before PyTorch 1.6, pickles followed by the numbers. No code in the file is run
/// (PickleReader).
class PytorchFile : public nn::TensorFile {
 public:
  /// Throws Error that names the file and its fault.
  explicit PytorchFile(const std::string& path);
  ~PytorchFile() override;

  const std::map<std::string, Shape>& shapes() const override { return shapes_; }
  using TensorFile::read;
  /// Throws Error if the numbers have a type that cannot be read, or if the file lacks some of them.
  Tensor read(const std::string& name) const override;

  /// Where the numbers of the storages are.
  class Storages {
   public:
    virtual ~Storages() = default;
    /// Begins to read a storage; see ZipArchive::open. `bytes` is its size by the pickle.
    virtual std::function<std::string(std::uint64_t)> open(const std::string& key,
                                                           std::uint64_t bytes) const = 0;
  };

 private:
  std::unique_ptr<Storages> storages_;
  std::map<std::string, PickledTensor> tensors_;
  std::map<std::string, Shape> shapes_;
};

}  // namespace regard::translation
