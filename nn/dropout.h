#pragma once

#include <cstdint>
#include <vector>

#include "autograd/machine/random.h"
#include "autograd/ops.h"

// Dropout without stored masks.

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Dropout (Srivastava et al. 2014) of one place in a network: in training it sets values to 0 with the given
/// probability and scales the others by 1/(1-p); in evaluation it does nothing. No mask is stored. A key,
/// made of seed, step, part of the batch, layer and call (RandomStream, autograd/machine/random.h), decides
/// each element; the backward uses the same key again. For attention weights an element is a head, a query
/// and a key of a sentence.
class Dropout {
 public:
  /// Throws Error unless 0 <= probability < 1.
  explicit Dropout(double probability);

  Tensor operator()(const Tensor& x) { return dropout(x, next()); }  ///< x with the dropout of the next call

  /// The dropout of the next call, for operations that apply it themselves.
  DropoutMask next() {
    if (!training_ || probability_ == 0) return {};
    const DropoutMask result{probability_, stream_.key()};
    ++stream_.call;
    return result;
  }

  /// The key of the next call, for a layer that makes random decisions of its own.
  std::uint64_t next_key() {
    const std::uint64_t key = stream_.key();
    ++stream_.call;
    return key;
  }
  bool training() const { return training_; }  ///< true in training mode
  /// The step that set_random() was given.
  std::uint32_t step() const { return stream_.step; }

  void set_training(bool training) { training_ = training; }  ///< true: training mode, false: evaluation mode
  void set_random(const RandomStream& stream) { stream_ = stream; }  ///< the random numbers from now on

 private:
  Real probability_;
  bool training_ = true;
  RandomStream stream_;
};

/// Gives each dropout of a network (Module::dropouts) its random numbers: those of the stream, with the place
/// in the list as the layer.
void set_random(const std::vector<Dropout*>& dropouts, RandomStream stream);

}}}  // namespace regard::REGARD_PRECISION::nn
