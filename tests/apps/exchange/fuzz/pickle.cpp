// State_dicts of PyTorch, in both formats: tensors come whole from their storage, or the file is refused.
#include "apps/exchange/pytorch_file.h"
#include "tests/fuzz/fuzz.h"

using namespace regard;
using namespace regard::exchange;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::allow_errors([&] {
    const Pickles pickles(bytes, "the input", 1);
    fuzz::require(pickles.size() <= bytes.size());
    state_dict(pickles[0], "the input");
  });
  const std::string path = fuzz::file_with(bytes, "pickle");
  fuzz::allow_errors([&] {
    const PytorchFile file(path);
    for (const auto& [name, shape] : file.shapes())
      fuzz::allow_errors([&file, &key = name, &expected = shape, size] {
        const Tensor tensor = file.read(key);
        fuzz::require(tensor.shape() == expected);
        fuzz::require(to_size(tensor.size()) * 2 <= size);  // no number takes less than two bytes
      });
  });
  std::remove(path.c_str());
  return 0;
}
