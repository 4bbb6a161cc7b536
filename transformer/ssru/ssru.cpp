#include "transformer/ssru/ssru.h"

#include <algorithm>

#include "autograd/graph.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

void check_gated_mean(const Operation& op, const Tensor& f, const Tensor& z, const Tensor& initial,
                      const std::vector<Index>& offsets) {
  if (f.rank() != 2 || z.shape() != f.shape())
    op.fail("f of shape {} and z of shape {} must be matrices of one shape", to_string(f.shape()),
            to_string(z.shape()));
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != f.size(0) ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    op.fail("the offsets do not cut {} rows into sentences", f.size(0));
  const Shape state{to_index(offsets.size()) - 1, f.size(1)};
  if (initial && initial.shape() != state)
    op.fail("initial of shape {} does not fit: expected {}", to_string(initial.shape()), to_string(state));
}

/// Calls run(begin, end, i) with the rows of each sentence i, on all threads.
template <class Run>
void for_each_sentence(const std::vector<Index>& offsets, Index width, const Run& run) {
  const Index sentences = to_index(offsets.size()) - 1;
  const Index rows_of_one = offsets.back() / std::max<Index>(sentences, 1) + 1;
  parallel_for(sentences, block_size(sentences, 4 * rows_of_one * width), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) run(offsets[to_size(i)], offsets[to_size(i) + 1], i);
  });
}

}  // namespace

Tensor gated_mean(const Tensor& f, const Tensor& z, const Tensor& initial,
                  const std::vector<Index>& offsets) {
  const Operation op("gated_mean");
  check_gated_mean(op, f, z, initial, offsets);
  const Index width = f.size(1), sentences = to_index(offsets.size()) - 1;
  const Tensor start = initial ? initial.detach() : Tensor::zeros({sentences, width});
  const Tensor c = Tensor::empty(f.shape());
  for_each_sentence(offsets, width, [&](Index begin, Index end, Index i) {
    const Real* before = start.data() + i * width;
    for (Index at = begin * width; at < end * width; at += width) {
      for (Index k = 0; k < width; ++k)
        c.data()[at + k] = f.data()[at + k] * before[k] + (1 - f.data()[at + k]) * z.data()[at + k];
      before = c.data() + at;
    }
  });

  // From the last step to the first, with dc_t += f_(t+1) dc_(t+1):
  //   df_t = dc_t (c_(t-1) - z_t)    dz_t = dc_t (1 - f_t)    and at the end dc_0 = f_1 dc_1
  return op.record(c, {f, z, initial}, [=, c = c.detach()](BackwardContext& context) {
    // Two slots at once: if f and z are one tensor, the second one adds, and df_t is written first.
    const GradSlot df = context.input_grad(0), dz = context.input_grad(1);
    const Real* const dy = context.output_grad();
    const Tensor carried = Tensor::zeros({sentences, width});
    for_each_sentence(offsets, width, [&](Index begin, Index end, Index i) {
      Real* const carry = carried.data() + i * width;
      for (Index row = end; row-- > begin;) {
        const Index at = row * width;
        const Real* const before = row > begin ? c.data() + at - width : start.data() + i * width;
        for (Index k = 0; k < width; ++k) {
          const Real dc = dy[at + k] + carry[k], gate = f.data()[at + k];
          if (df) df.put(at + k, dc * (before[k] - z.data()[at + k]));
          if (dz) dz.put(at + k, dc * (1 - gate));
          carry[k] = dc * gate;
        }
      }
    });
    if (const GradSlot dstart = context.input_grad(2))
      for (Index k = 0; k < carried.size(); ++k) dstart.put(k, carried.data()[k]);
  });
}

Ssru::Ssru(Index width, Random& random) : input(width, width, random), forget(width, width, random) {
  input.bias = {};
}

Tensor Ssru::cells(const Tensor& x, const Tensor& initial, const std::vector<Index>& offsets) const {
  return gated_mean(sigmoid(forget(x)), input(x), initial, offsets);
}

void Ssru::visit(nn::Visitor& visitor) {
  visitor("input", input);
  visitor("forget", forget);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
