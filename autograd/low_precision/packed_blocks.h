#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "autograd/kernels/products.h"
#include "autograd/low_precision/products.h"
#include "autograd/machine/real.h"
#include "autograd/ops/linear_products.h"

namespace regard { inline namespace REGARD_PRECISION {

/// B[k, n] of products C = A B in few bits, as blocks of its columns that are packed one by one.
class PackedBlocks {
 public:
  /// No product.
  PackedBlocks() = default;
  /// Packs B, whose numbers lie in memory as `strides` say, on all threads. If n is a multiple of `part`,
  /// blocks end where parts end; 0: there are no parts.
  PackedBlocks(Precision precision, Index k, Index n, const void* b, low_precision::Strides strides,
               Index part);

  /// Multiplies rows row .. row + rows of A with a block that begins at `column` of B and writes to, or adds
  /// to, C there. `memory` has room for the result.
  using Multiply = std::function<void(Index row, Index rows, const low_precision::PackedMatrix& block,
                                      Index column, kernels::Matrix to, blas::Store store, void* memory)>;
  /// C[rows, n] = A B (+ C) on all threads; `done` as in kernels::product.
  void product(Index rows, kernels::Matrix c, blas::Store store, const Multiply& multiply,
               const kernels::BlockDone& done) const;

  /// Columns first .. last of B, sharing memory. Throws Error unless they are whole blocks; `name` is for
  /// the message.
  PackedBlocks columns(Index first, Index last, const char* name) const;
  void add_memory(std::vector<std::span<const std::byte>>& all) const;

 private:
  Index k_ = 0, n_ = 0, width_ = 1;
  std::vector<std::shared_ptr<const low_precision::PackedMatrix>> blocks_;
};

/// Adds memory that is there to the list.
void add_memory(std::vector<std::span<const std::byte>>& all, const Buffer& memory, Index bytes);

/// Throws Error if a gradient is wanted of products with a matrix that has none.
void check_no_gradient(const Tensor& x, const MatrixForm& weight);

}}  // namespace regard::REGARD_PRECISION
