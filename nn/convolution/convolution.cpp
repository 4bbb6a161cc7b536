#include "nn/convolution/convolution.h"

#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/kernel.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops/linear_products.h"
#include "nn/convolution/packed_windows.h"

// The pixels under the window at one place are a patch, a row of size * size * in numbers. With all patches
// as the matrix P[places, patch] and the weights as the matrix W[out, patch], a convolution is a product:
//
//   y = P W^T + b        dW = dy^T P        dP = dy W        db = sum over places of dy
//
// and dx of a pixel is the sum of its dP in all patches that hold it. P has each pixel up to size^2 times, so
// it never exists as a whole: patches are unfolded in blocks that fit into the second-level cache.

namespace regard { inline namespace REGARD_PRECISION {

using kernels::ConstMatrix;
using kernels::Matrix;

namespace {

struct Convolution {
  PackedWindows windows;
  Index patch, out;

  Index places() const { return windows.places(); }
  /// Places whose patches are unfolded together: no more than fit the second-level cache.
  Index block() const {
    constexpr Index most_numbers = 131072, fewest = 16, unit = 64;
    const Index size = block_size(places(), patch * out / multiplications_per_number, unit);
    return size >= places() ? size : std::min(size, std::max(most_numbers / patch, fewest));
  }
  double flops() const { return 2 * static_cast<double>(places() * patch * out); }
};

/// Memory for the patches of one block per thread.
class PatchBlocks {
 public:
  explicit PatchBlocks(const Convolution& c)
      : block_(c.block()), numbers_(Tensor::empty({threads(), block_, c.patch})) {}
  /// [places, patch] for a worker.
  Tensor of(int worker, Index places) const {
    return numbers_.view({places, numbers_.size(2)}, worker * block_ * numbers_.size(2));
  }

 private:
  Index block_;
  Tensor numbers_;
};

/// W[out, patch] of weight[out, in, size, size]: patches have the channels of a pixel side by side.
Tensor patch_weights(const Tensor& weight) {
  const Index out = weight.size(0), in = weight.size(1), pixels = weight.size(2) * weight.size(3);
  const Tensor result = Tensor::empty({out, pixels * in});
  parallel_for(out, block_size(out, pixels * in), [&](Index begin, Index end) {
    for (Index o = begin; o < end; ++o)
      for (Index k = 0; k < in; ++k)
        for (Index pixel = 0; pixel < pixels; ++pixel)
          result.data()[(o * pixels + pixel) * in + k] = weight.data()[(o * in + k) * pixels + pixel];
  });
  return result;
}

/// Patches of the places first .. last of the batch.
void unfold(const Tensor& patches, const Convolution& c, const Tensor& x, Index first, Index last) {
  c.windows.for_each_plane(first, last, [&](Index plane, Index in_plane, Index count, Index in_batch) {
    kernels::unfold(patches.data() + (in_batch - first) * c.patch,
                    x.data() + c.windows.first_pixel[to_size(plane)] * c.windows.channels(),
                    c.windows.on(plane), in_plane, count);
  });
}

/// The products of patches with the weights W[out, patch], on the calling thread.
class PatchProducts {
 public:
  PatchProducts(const Convolution& c, const Tensor& weight)
      : patch_(c.patch), weight_(linear_weight(patch_weights(weight))) {
    blas::load();  // once, before the threads start
  }

  /// y = P W^T
  void forward(const Tensor& patches, Real* y, Index out) const {
    weight_(patches)->forward(0, patches.size(0), Matrix{y, out});
  }
  /// dP = dy W
  void input_gradient(Index places, const Real* dy, Real* dpatches) const {
    weight_(Tensor::empty({0, patch_}))->backward(0, places, dy, {.data = dpatches}, {});
  }
  /// dW = dy^T P (+ dW)
  void weight_gradient(const Tensor& patches, const Real* dy, GradSlot dweight) const {
    weight_(patches)->backward(0, patches.size(0), dy, {}, dweight);
  }

 private:
  Index patch_;
  LinearWeight weight_;
};

void forward(const Tensor& y, const Convolution& c, const PatchProducts& products, const Tensor& x,
             const Tensor& bias) {
  const PatchBlocks blocks(c);
  parallel_for(c.places(), c.block(), [&](Index first, Index last, int worker) {
    const Tensor patches = blocks.of(worker, last - first);
    unfold(patches, c, x, first, last);
    products.forward(patches, y.data() + first * c.out, c.out);
    if (bias)
      kernels::add_bias(Matrix{y.data(), c.out}, bias.data(),
                        kernels::MatrixBlock{first, last - first, 0, c.out});
  });
}

/// dW = dy^T P. The sum over the places is cut into parts, and the sums of the parts are added in their
/// order.
void weight_backward(const GradSlot& dweight, const Convolution& c, const PatchProducts& products,
                     const Tensor& x, const Real* dy) {
  if (c.patch == 0) return;  // no channels, no weights
  constexpr Index most_parts = 32, places_per_part = 128;
  const Index parts =
      c.block() == c.places() ? 1 : std::clamp<Index>(c.places() / places_per_part, 1, most_parts);
  const Tensor sums = Tensor::empty({parts, c.out, c.patch});
  const PatchBlocks blocks(c);
  parallel_for(parts, 1, [&](Index part, Index, int worker) {
    const Index begin = c.places() * part / parts, end = c.places() * (part + 1) / parts;
    for (Index first = begin; first < end || first == begin; first += c.block()) {
      const Index last = std::min(first + c.block(), end);
      const Tensor patches = blocks.of(worker, last - first);
      unfold(patches, c, x, first, last);
      products.weight_gradient(patches, dy + first * c.out,
                               {.data = sums.data() + part * c.out * c.patch, .add = first > begin});
    }
  });
  const Index in = c.windows.channels(), pixels = c.patch / in;
  parallel_for(c.out, block_size(c.out, parts * c.patch), [&](Index begin, Index end) {
    for (Index o = begin; o < end; ++o) {
      Real* const sum = sums.data() + o * c.patch;  // the first part takes the others
      for (Index part = 1; part < parts; ++part) {
        const Real* const more = sum + part * c.out * c.patch;
        for (Index i = 0; i < c.patch; ++i) sum[i] += more[i];
      }
      for (Index k = 0; k < in; ++k)
        for (Index pixel = 0; pixel < pixels; ++pixel)
          dweight.put((o * in + k) * pixels + pixel, sum[pixel * in + k]);
    }
  });
}

/// The first plane of each group of planes that has at least a block of places, and the end.
std::vector<Index> groups_of_planes(const Convolution& c) {
  std::vector<Index> groups{0};
  for (Index plane = 0; plane < c.windows.planes(); ++plane) {
    const Index begin = c.windows.first_place[to_size(groups.back())];
    if (c.windows.first_place[to_size(plane) + 1] - begin >= c.block() || plane + 1 == c.windows.planes())
      groups.push_back(plane + 1);
  }
  return groups;
}

/// dP = dy W, and dx of each pixel is the sum of its dP. A plane stays on one thread, so threads never write
/// to the same pixel.
void input_backward(const GradSlot& dx, const Convolution& c, const PatchProducts& products, const Real* dy) {
  const PatchBlocks blocks(c);
  const Index in = c.windows.channels();
  const std::vector<Index> groups = groups_of_planes(c);
  parallel_for(to_index(groups.size()) - 1, 1, [&](Index group, Index, int worker) {
    const auto begin = to_size(groups[to_size(group)]), end = to_size(groups[to_size(group) + 1]);
    if (!dx.add)
      std::fill(dx.data + c.windows.first_pixel[begin] * in, dx.data + c.windows.first_pixel[end] * in,
                Real{0});
    const Tensor dpatches = blocks.of(worker, c.block());
    const Index last_place = c.windows.first_place[end];
    for (Index first = c.windows.first_place[begin]; first < last_place; first += c.block()) {
      const Index last = std::min(first + c.block(), last_place);
      products.input_gradient(last - first, dy + first * c.out, dpatches.data());
      c.windows.for_each_plane(first, last, [&](Index plane, Index in_plane, Index count, Index in_batch) {
        kernels::fold(dx.data + c.windows.first_pixel[to_size(plane)] * in,
                      dpatches.data() + (in_batch - first) * c.patch, c.windows.on(plane), in_plane, count);
      });
    }
  });
}

}  // namespace

Tensor conv2d(const Tensor& x, const Planes& planes, const Tensor& weight, const Tensor& bias,
              const SlidingWindow& window) {
  const Operation op("conv2d");
  const Index in = x.rank() == 2 ? x.size(1) : 0;
  if (x.rank() != 2 || weight.rank() != 4 ||
      weight.shape() != Shape{weight.size(0), in, window.size, window.size})
    op.fail("x of shape {} and weight of shape {} do not fit: expected [pixels, in] and [out, in, {}, {}]",
            to_string(x.shape()), to_string(weight.shape()), window.size, window.size);
  if (bias && bias.shape() != Shape{weight.size(0)})
    op.fail("bias of shape {} does not fit weight of shape {}: expected [{}]", to_string(bias.shape()),
            to_string(weight.shape()), weight.size(0));
  const Convolution c{PackedWindows(op, x, planes, window), window.size * window.size * in, weight.size(0)};
  const Tensor y = Tensor::empty({c.places(), c.out});
  count_flops(c.flops());
  const PatchProducts products(c, weight);
  forward(y, c, products, x, bias);
  return op.record(y, {x, weight, bias}, [=](BackwardContext& context) {
    const Real* const dy = context.output_grad();
    if (const GradSlot dx = context.input_grad(0)) {
      count_flops(c.flops());
      input_backward(dx, c, products, dy);
    }
    if (const GradSlot dweight = context.input_grad(1)) {
      count_flops(c.flops());
      weight_backward(dweight, c, products, x, dy);
    }
    if (const GradSlot dbias = context.input_grad(2)) kernels::column_sums(dbias, dy, c.places(), c.out);
  });
}

}}  // namespace regard::REGARD_PRECISION
