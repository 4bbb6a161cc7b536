#include "nn/head_mask.h"

#include <algorithm>

#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/ops/elementwise.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

void HeadMask::switch_off(Index head) {
  if (head < 0 || head >= heads())
    fail("there is no head {}; this attention has {} heads, from 0", head, heads());
  on_[to_size(head)] = false;
}

void HeadMask::switch_all_on() { std::fill(on_.begin(), on_.end(), true); }

Tensor HeadMask::operator()(const Tensor& heads) const {
  if (std::find(on_.begin(), on_.end(), false) == on_.end()) return heads;
  const Tensor mask = Tensor::zeros({1, heads.size(1)});
  const Index width = heads.size(1) / this->heads();
  for (Index head = 0; head < this->heads(); ++head)
    if (on_[to_size(head)]) std::fill_n(mask.data() + head * width, width, Real{1});
  return heads * mask;
}

}}}  // namespace regard::REGARD_PRECISION::nn
