#pragma once

#include <array>
#include <cstdint>
#include <vector>

// Random numbers: the same ones on every machine.

namespace regard {

/// Philox 4x32 with 10 rounds (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"):
/// 128 random bits as a function of a counter and a key, with no state.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key);

/// Names one random sequence among all that a training run uses.
struct RandomStream {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  std::uint32_t part = 0;  ///< of the batch of this step
  // Layers and calls count from 0. Reserved: call 2^32 - 1 for the cuts of subwords, layer 2^32 - 1 for
  // scheduled sampling, both for gradcheck.
  std::uint32_t layer = 0;
  std::uint32_t call = 0;

  /// The key of this sequence: a Philox block of step, part, layer and call, with the seed as its key.
  std::uint64_t key() const;
};

/// The decision of the engine's dropout for one element (row, column) under `key`: true if it is kept. The
/// probability is rounded to a multiple of 1/65536.
bool dropout_keeps(double probability, std::uint64_t key, std::uint64_t row, std::uint64_t column);

/// A sequence of random numbers for initial weights and data. Same seed, same numbers, everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed);  ///< begins the sequence of this seed
  /// For weights that will be read from a file. With it Tensor::uniform and Tensor::normal leave the contents
  /// undefined, which saves time and, until they are read, memory.
  static Random none();
  bool draws() const { return draws_; }  ///< false for none()
  std::uint64_t bits();                  ///< 64 random bits
  /// In [0, 1), 53 random bits.
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Standard normal (Box and Muller 1958).
  double normal();
  /// In [0, bound), all with the same probability. bound > 0.
  std::uint64_t below(std::uint64_t bound);

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
  bool draws_ = true;
};

/// The seed of initial weights and dropouts that are given no seed. 1 unless set.
std::uint64_t default_seed();
void set_default_seed(std::uint64_t seed);  ///< for default_seed()

}  // namespace regard
