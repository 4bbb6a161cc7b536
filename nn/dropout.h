#pragma once

#include "autograd/ops/dropout.h"
#include "autograd/random.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Dropout (Srivastava et al. 2014) of one place in a network: in training it sets values to 0 with the given
/// probability and scales the others by 1/(1-p); in evaluation it does nothing. No mask is stored. A key,
/// made of seed, step, micro-batch, layer and call (RandomStream, autograd/random.h), decides each element;
/// the backward uses the same key again. For attention weights an element is a head, a query and a key of a
/// sentence.
class Dropout {
 public:
  /// Throws Error unless 0 <= probability < 1.
  explicit Dropout(double probability);

  Tensor operator()(const Tensor& x) { return dropout(x, next()); }

  /// The dropout of the next call, for operations that apply it themselves.
  regard::Dropout next() {
    if (!training_ || probability_ == 0) return {};
    const regard::Dropout result{probability_, stream_.key()};
    ++stream_.call;
    return result;
  }

  /// A key for the next call of a layer that draws by itself.
  std::uint64_t next_key() {
    const std::uint64_t key = stream_.key();
    ++stream_.call;
    return key;
  }
  bool training() const { return training_; }
  /// Of the training, as set_random() gave it.
  std::uint32_t step() const { return stream_.step; }

  void set_training(bool training) { training_ = training; }
  void set_random(const RandomStream& stream) { stream_ = stream; }

 private:
  Real probability_;
  bool training_ = true;
  RandomStream stream_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
