// Tries a fuzz target on kept inputs and on changes of them, the same ones every time:
//   PROGRAM DIRECTORY CHANGES
// libFuzzer, which looks for inputs that reach new code, is for longer searches (tests/fuzz.sh); this needs
// nothing but the compiler.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/machine/random.h"
#include "tests/fuzz/fuzz.h"

using regard::to_size;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// One of the changes that readers stumble over.
void change(Bytes& bytes, const Bytes& other, regard::Random& random) {
  const auto place = [&](const Bytes& in) {
    return static_cast<std::ptrdiff_t>(random.below(in.size() + 1));
  };
  const std::ptrdiff_t at = place(bytes);
  const auto begin = bytes.begin();
  switch (random.below(6)) {
    case 0:  // a flipped bit
      if (!bytes.empty())
        bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1u << random.below(8));
      break;
    case 1:  // an end that is missing
      bytes.resize(to_size(at));
      break;
    case 2:  // any byte
      bytes.insert(begin + at, static_cast<std::uint8_t>(random.below(256)));
      break;
    case 3:  // a byte that means something
      bytes.insert(begin + at, static_cast<std::uint8_t>("\"{}[],:0-9eE.\\\t\n\r \0"[random.below(20)]));
      break;
    case 4: {  // a piece that is missing
      const std::ptrdiff_t end = place(bytes);
      bytes.erase(begin + std::min(at, end), begin + std::max(at, end));
      break;
    }
    default: {  // a piece of another input
      const std::ptrdiff_t from = place(other), to = place(other);
      bytes.insert(begin + at, other.begin() + std::min(from, to), other.begin() + std::max(from, to));
    }
  }
  constexpr std::size_t longest = 1 << 16;
  bytes.resize(std::min(bytes.size(), longest));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s DIRECTORY CHANGES\n", argv[0]);
    return 1;
  }
  std::vector<std::filesystem::path> paths{std::filesystem::directory_iterator(argv[1]),
                                           std::filesystem::directory_iterator()};
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> inputs;
  for (const auto& path : paths) inputs.push_back(read(path));
  if (inputs.empty()) {
    std::fprintf(stderr, "there are no inputs in %s\n", argv[1]);
    return 1;
  }
  for (const Bytes& input : inputs) LLVMFuzzerTestOneInput(input.data(), input.size());
  regard::Random random(1);
  for (long i = std::strtol(argv[2], nullptr, 10); i > 0; --i) {
    Bytes bytes = inputs[random.below(inputs.size())];
    for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes)
      change(bytes, inputs[random.below(inputs.size())], random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%zu inputs and %s changes of them\n", inputs.size(), argv[2]);
  return 0;
}
