#pragma once

#include <vector>

#include "autograd/index.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Which heads of an attention take part (Michel et al. 2019, section 2.3):
///   MultiHead = Concat(xi_1 head_1, …, xi_h head_h) W^O    with each xi 0 or 1
/// All heads are on until switch_off(). A visitor finds the masks of a model (Visitor::heads).
class HeadMask {
 public:
  explicit HeadMask(Index heads) : on_(static_cast<std::size_t>(heads), true) {}

  Index heads() const { return static_cast<Index>(on_.size()); }
  /// Throws Error unless 0 <= head < heads().
  void switch_off(Index head);
  void switch_all_on();

  /// `heads` is the concatenation of all heads, [rows, width]. Returns it with zeros in the columns of heads
  /// that are off; returns `heads` itself if all are on.
  Tensor operator()(const Tensor& heads) const;

 private:
  std::vector<bool> on_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
