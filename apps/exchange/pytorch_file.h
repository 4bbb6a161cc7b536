#pragma once

#include <functional>
#include <map>
#include <string>

#include "apps/exchange/pickled_tensors.h"
#include "apps/exchange/zip_archive.h"
#include "nn/stored_numbers.h"

namespace regard::exchange {

/// The tensors of a state_dict that torch.save wrote (pytorch_model.bin): a zip archive with a pickle and the
/// numbers, or, before PyTorch 1.6, pickles followed by the numbers. No code in the file is run (Pickles).
class PytorchFile : public nn::TensorFile {
 public:
  /// Throws Error that names the file and its fault.
  explicit PytorchFile(const std::string& path);

  const std::map<std::string, Shape>& shapes() const override { return shapes_; }
  using TensorFile::read;
  /// Throws Error if the numbers have a type that cannot be read, or if the file lacks some of them.
  Tensor read(const std::string& name) const override;

 private:
  void read_zip();
  void read_legacy();

  std::map<std::string, PickledTensor> tensors_;
  std::map<std::string, Shape> shapes_;
  /// Begins to read a storage, which has so many bytes by the pickle.
  std::function<NextBytes(const std::string& key, std::uint64_t bytes)> open_;
};

}  // namespace regard::exchange
