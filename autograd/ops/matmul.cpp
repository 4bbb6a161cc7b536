#include "autograd/graph.h"
#include "autograd/kernels/products.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION {

using kernels::ConstMatrix;
using kernels::Matrix;

Tensor matmul(const Tensor& a, const Tensor& b) {
  const Operation op("matmul");
  const auto mismatch = [&](const char* what) {
    op.fail("shapes {} and {} do not fit: {}", to_string(a.shape()), to_string(b.shape()), what);
  };
  if (a.rank() < 2 || b.rank() < 2) mismatch("both need at least two axes");
  const Index k = a.size(-1), n = b.size(-1);
  if (b.size(-2) != k) mismatch("the columns of the first must be the rows of the second");
  std::vector<Index> extents = a.shape().extents();
  extents.back() = n;
  const bool one_b = b.rank() == 2;
  if (!one_b && std::vector<Index>(extents.begin(), extents.end() - 2) !=
                    std::vector<Index>(b.shape().extents().begin(), b.shape().extents().end() - 2))
    mismatch("the leading axes must be equal");

  // One b for all matrices of a: they are one tall matrix.
  const Index batch = one_b ? 1 : a.shape().size_before(-2);
  const Index m = one_b ? a.shape().size_before(-1) : a.size(-2);
  const Tensor y = Tensor::empty(Shape(std::move(extents)));
  const double flops = 2.0 * static_cast<double>(batch * m * n * k);
  count_flops(flops);
  for (Index i = 0; i < batch; ++i)
    kernels::product(blas::Transposed::none, m, n, k, ConstMatrix{a.data() + i * m * k, k},
                     ConstMatrix{b.data() + i * k * n, n}, Matrix{y.data() + i * m * n, n},
                     blas::Store::overwrite);

  // da = dy b^T, db = a^T dy
  return op.record(y, {a, b}, [=](BackwardContext& context) {
    if (const GradSlot da = context.input_grad(0)) {
      count_flops(flops);
      for (Index i = 0; i < batch; ++i)
        kernels::product(blas::Transposed::b, m, k, n, ConstMatrix{context.output_grad() + i * m * n, n},
                         ConstMatrix{b.data() + i * k * n, n}, Matrix{da.data + i * m * k, k},
                         kernels::store(da));
    }
    if (const GradSlot db = context.input_grad(1)) {
      count_flops(flops);
      for (Index i = 0; i < batch; ++i)
        kernels::product(blas::Transposed::a, k, n, m, ConstMatrix{a.data() + i * m * k, k},
                         ConstMatrix{context.output_grad() + i * m * n, n}, Matrix{db.data + i * k * n, n},
                         kernels::store(db));
    }
  });
}

}}  // namespace regard::REGARD_PRECISION
