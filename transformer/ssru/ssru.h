#pragma once

#include <vector>

#include "nn/layers.h"
#include "nn/module.h"

// The simpler simple recurrent unit, in place of self-attention (Kim et al. 2019, section 3.1).

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// c_t = f_t c_(t-1) + (1 - f_t) z_t, element by element, through each sentence: f, z and c are [rows,
/// width], sentence i has the rows offsets[i] .. offsets[i + 1]. `initial` has c_0 of each sentence,
/// [sentences, width]; empty: zeros. Throws Error if the shapes do not fit.
Tensor gated_mean(const Tensor& f, const Tensor& z, const Tensor& initial, const std::vector<Index>& offsets);

/// Kim et al. 2019, "From Research to Production and Back: Ludicrously Fast Neural Machine Translation", eq.
/// 1:
///   f_t = sigmoid(W_f x_t + b_f)     c_t = f_t c_(t-1) + (1 - f_t) W x_t     h_t = ReLU(c_t)
/// No product reads c_(t-1), so the products of all steps are computed at once.
class Ssru : public nn::Module {
 public:
  Ssru(Index width, Random& random);

  /// The c of all rows of x[rows, width]; the output h is relu(c). The others are as in gated_mean.
  Tensor cells(const Tensor& x, const Tensor& initial, const std::vector<Index>& offsets) const;
  void visit(nn::Visitor& visitor) override;

  nn::Linear input;   ///< W; it has no bias
  nn::Linear forget;  ///< W_f, b_f
};

}}}  // namespace regard::REGARD_PRECISION::transformer
