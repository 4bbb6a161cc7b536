#pragma once

#include <vector>

#include "autograd/kernels/segments.h"
#include "autograd/machine/real.h"
#include "autograd/ops/attention.h"
#include "autograd/tensor.h"

// Attention and its gradients in plain loops. This is the definition: the fast operation of
// autograd/ops/attention.h is tested against it. It records nothing, runs on one thread and checks nothing,
// so the shapes must fit.

namespace regard { inline namespace REGARD_PRECISION { namespace reference {

struct AttentionResult {
  Tensor out;                   ///< [query rows, width]
  std::vector<Tensor> weights;  ///< for each sentence [heads, queries, keys]: the softmax, before dropout
};

/// softmax(scale Q K^T) V (Vaswani et al. 2017, eq. 1) for query[query rows, width], key and
/// value[key rows, width], with d_k = width / heads. A query that sees no key, or belongs to no sentence,
/// gives zeros.
AttentionResult attention(const Tensor& query, const Tensor& key, const Tensor& value,
                          const Segments& segments, const AttentionOptions& options);

/// dL/dquery, dL/dkey and dL/dvalue, and dL/drelative, if there are relative scores.
struct AttentionGradients {
  Tensor query, key, value, relative;
};

/// The gradients of attention(...).out, for dout = dL/dout [query rows, width].
AttentionGradients attention_backward(const Tensor& dout, const Tensor& query, const Tensor& key,
                                      const Tensor& value, const Segments& segments,
                                      const AttentionOptions& options);

/// True if dropout keeps the weight of query t and key s in head h. Both are counted from the first row of
/// their sentence. The answer depends on the dropout's key, the sentence's first row, h, t and s alone.
bool attention_keeps(const AttentionOptions& options, const Segment& sentence, Index h, Index t, Index s);

}}}  // namespace regard::REGARD_PRECISION::reference
