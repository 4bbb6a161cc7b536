// Weights on disk: what can be read can be written and read again.
#include <cstring>

#include "autograd/machine/error.h"
#include "nn/low_precision/quantise.h"
#include "tests/fuzz/fuzz.h"

using namespace regard;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzz::file_with(fuzz::text_of(data, size), "weights");
  fuzz::allow_errors([&] {
    nn::Metadata metadata;
    const std::map<std::string, Tensor> tensors = nn::load_quantised(path, &metadata);
    std::vector<nn::NamedParameter> named;
    for (const auto& [name, tensor] : tensors) named.push_back({name, tensor});
    nn::save_safetensors(path, named, metadata);
    const std::map<std::string, Tensor> again = nn::load_quantised(path);
    fuzz::require(again.size() == tensors.size());
    for (const auto& [name, tensor] : tensors) {
      fuzz::require(again.at(name).shape() == tensor.shape());
      fuzz::require(
          std::memcmp(again.at(name).data(), tensor.data(), to_size(tensor.size()) * sizeof(Real)) == 0);
    }
  });
  std::remove(path.c_str());
  return 0;
}
