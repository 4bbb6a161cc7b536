#include "autograd/machine/random.h"

#include <atomic>
#include <cmath>
#include <numbers>

#include "autograd/machine/error.h"
#include "autograd/machine/philox.h"

namespace regard {

namespace {
std::atomic<std::uint64_t> seed_of_default{1};
}

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key) {
  std::uint64_t words[4] = {counter[0], counter[1], counter[2], counter[3]};  // the other counter: 0
  philox_rounds(words, key);
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  return {low(words[0]), low(words[1]), low(words[2]), low(words[3])};
}

std::uint64_t RandomStream::key() const {
  const auto block = philox({step, part, layer, call}, seed);
  return (std::uint64_t{block[1]} << 32) | block[0];
}

bool dropout_keeps(double probability, std::uint64_t key, std::uint64_t row, std::uint64_t column) {
  // The layout of autograd/machine/philox.h, one element at a time: a tile of 128 columns takes 16 counters,
  // its 512 bytes hold word 0 of all sixteen blocks, then word 1, and each word holds two 16-bit numbers.
  const std::uint64_t tile = column / dropout_tile, within = column % dropout_tile;
  const auto word = to_size(within / 32);
  const auto lane = static_cast<std::uint32_t>((within % 32) / 2);
  const auto counter = static_cast<std::uint32_t>(tile * 16 + lane);
  const auto block =
      philox({counter, 0, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32)}, key);
  const std::uint32_t number = (block[word] >> (within % 2 == 0 ? 0 : 16)) & 0xffff;
  return number >= dropout_threshold(probability);
}

Random::Random(std::uint64_t seed) : key_(seed) {}

Random Random::none() {
  Random random(0);
  random.draws_ = false;
  return random;
}

std::uint64_t Random::bits() {
  const auto block =
      philox({static_cast<std::uint32_t>(counter_), static_cast<std::uint32_t>(counter_ >> 32), 0x52616e64,
              0x6f6d},  // different from all counters of RandomStream under the same seed
             key_);
  ++counter_;
  return (std::uint64_t{block[1]} << 32) | block[0];
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log1p(-uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::uint64_t Random::below(std::uint64_t bound) {
  // Numbers below 2^64 mod bound would make small results more likely, so they are drawn again.
  const std::uint64_t least = (0 - bound) % bound;
  std::uint64_t number = bits();
  while (number < least) number = bits();
  return number % bound;
}

std::uint64_t default_seed() { return seed_of_default; }
void set_default_seed(std::uint64_t seed) { seed_of_default = seed; }

}  // namespace regard
