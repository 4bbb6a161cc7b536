// One task is one head of one sentence; the threads divide the tasks. A task goes through its queries in
// blocks of 64 rows, so that the scores of a block against all keys are the only matrix of probabilities
// that ever exists: memory grows with the length of a sentence, not with its square.
#include "autograd/kernels/attention.h"

#include "autograd/blas.h"
#include "autograd/kernels/rows.h"
#include "autograd/parallel.h"

namespace regard::inline REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE {

namespace {

using Input = blas::Matrix<const Real>;
using Output = blas::Matrix<Real>;

Input rows_of(Columns columns, std::int64_t row, std::int64_t first_column) {
  return {columns.data + row * columns.stride + first_column, columns.stride};
}

blas::Store store(bool add) { return add ? blas::Store::add : blas::Store::overwrite; }

/// A head of a sentence, and the block of its queries at hand.
struct Block {
  Segment sentence;
  std::int64_t head;
  std::int64_t first;  ///< row of the first query of the block
  std::int64_t queries;
  std::int64_t keys;  ///< keys that at least one query of the block may see

  /// With a causal mask the last query sees all keys, the one before it one less, and so on.
  std::int64_t visible(std::int64_t query, bool causal) const {
    if (!causal) return keys;
    const std::int64_t all = sentence.key_end - sentence.key_begin;
    const std::int64_t count = all - (sentence.query_end - 1 - (first + query));
    return count > 0 ? count : 0;
  }
};

Block make_block(const Attention& problem, const Segment& sentence, std::int64_t head, std::int64_t first) {
  const std::int64_t left = sentence.query_end - first;
  Block block{sentence, head, first, left < attention_query_block ? left : attention_query_block,
              sentence.key_end - sentence.key_begin};
  block.keys = block.visible(block.queries - 1, problem.causal);
  return block;
}

/// Numbers from one row of scores to the next: rows begin on cache lines and are a whole number of vectors
/// long. Sentences are short, and a loop over 14 numbers would run its last 14 one by one.
std::int64_t padded(std::int64_t keys) {
  return (keys + attention_row_unit - 1) / attention_row_unit * attention_row_unit;
}

/// scores[queries, keys] = Q K^T
void multiply_query_key(Real* scores, const Attention& problem, const Block& block) {
  const std::int64_t column = block.head * problem.d_head;
  blas::gemm_nt(block.queries, block.keys, problem.d_head, rows_of(problem.query, block.first, column),
                rows_of(problem.key, block.sentence.key_begin, column), Output{scores, padded(block.keys)},
                blas::Store::overwrite);
}

std::uint64_t dropout_row(const Attention& problem, const Block& block, std::int64_t query) {
  return static_cast<std::uint64_t>((block.first + query) * problem.heads + block.head);
}

Real attention_scale(const Attention& problem) {
  return static_cast<Real>(1 / __builtin_sqrt(static_cast<double>(problem.d_head)));
}

/// What the mask hides, and the padding, gets the lowest score there is: its exponential is exactly 0.
void hide(Real* row, std::int64_t visible, std::int64_t width) {
  constexpr Real lowest = sizeof(Real) == sizeof(float) ? Real(-__FLT_MAX__) : Real(-__DBL_MAX__);
  for (std::int64_t key = visible; key < width; ++key) row[key] = lowest;
}

/// Scores become probabilities, row by row.
void softmax_rows(Real* scores, Real* log_sum_exp, const Attention& problem, const Block& block) {
  const Real scale = attention_scale(problem);
  const std::int64_t width = padded(block.keys);
  for (std::int64_t query = 0; query < block.queries; ++query) {
    Real* const row = scores + query * width;
    const std::int64_t visible = block.visible(query, problem.causal);
    if (visible == 0) {
      for (std::int64_t key = 0; key < width; ++key) row[key] = 0;
      continue;
    }
    hide(row, visible, width);
    const Real largest = row_max(row, width);
    const Real sum = row_exponentials(row, row, width, scale, largest);
    const Real inverse = 1 / sum;
    for (std::int64_t key = 0; key < width; ++key) row[key] *= inverse;
    log_sum_exp[(block.first + query) * problem.heads + block.head] =
        scale * largest + static_cast<Real>(__builtin_log(static_cast<double>(sum)));
  }
}

/// P again, from the saved log-sum-exp of each row.
void probabilities_again(Real* scores, const Real* log_sum_exp, const Attention& problem,
                         const Block& block) {
  const Real scale = attention_scale(problem);
  const std::int64_t width = padded(block.keys);
  for (std::int64_t query = 0; query < block.queries; ++query) {
    Real* const row = scores + query * width;
    const std::int64_t visible = block.visible(query, problem.causal);
    // A row that sees nothing has no log-sum-exp; any number does.
    const Real normaliser =
        visible == 0 ? 0 : log_sum_exp[(block.first + query) * problem.heads + block.head];
    hide(row, visible, width);
#pragma omp simd
    for (std::int64_t key = 0; key < width; ++key) row[key] = exponential(scale * row[key] - normaliser);
  }
}

void forward_block(Real* out, Real* log_sum_exp, Real* weights, const Attention& problem, const Block& block,
                   Real* scores) {
  const std::int64_t column = block.head * problem.d_head, out_stride = problem.heads * problem.d_head;
  if (block.keys == 0) {  // nothing to look at: zeros
    for (std::int64_t query = 0; query < block.queries; ++query)
      for (std::int64_t i = 0; i < problem.d_head; ++i)
        out[(block.first + query) * out_stride + column + i] = 0;
    return;
  }
  const std::int64_t width = padded(block.keys);
  multiply_query_key(scores, problem, block);
  softmax_rows(scores, log_sum_exp, problem, block);
  if (weights != nullptr) {
    const std::int64_t all = block.sentence.key_end - block.sentence.key_begin;
    for (std::int64_t query = 0; query < block.queries; ++query) {
      Real* const row = weights + (block.first - block.sentence.query_begin + query) * all;
      for (std::int64_t key = 0; key < all; ++key)
        row[key] = key < block.keys ? scores[query * width + key] : 0;
    }
  }
  if (problem.dropout.probability > 0) {
    for (std::int64_t query = 0; query < block.queries; ++query) {
      Real* const row = scores + query * width;
      for_each_dropout_factor(problem.dropout, dropout_row(problem, block, query), width,
                              [=](std::int64_t key, Real factor) { row[key] *= factor; });
    }
  }
  blas::gemm_nn(block.queries, problem.d_head, block.keys, Input{scores, width},
                rows_of(problem.value, block.sentence.key_begin, column),
                Output{out + block.first * out_stride + column, out_stride}, blas::Store::overwrite);
}

/// Turns dP (the gradient of the dropped probabilities) into dS, and P into the dropped P M that dV needs.
/// `factors` holds a row of dropout factors.
void softmax_rows_backward(Real* probabilities, Real* dscores, Real* factors, const Attention& problem,
                           const Block& block) {
  const Real scale = attention_scale(problem);
  const std::int64_t width = padded(block.keys);
  const bool drop = problem.dropout.probability > 0;
  for (std::int64_t query = 0; query < block.queries; ++query) {
    Real* const p = probabilities + query * width;
    Real* const ds = dscores + query * width;
    for (std::int64_t key = block.keys; key < width; ++key) ds[key] = 0;  // the padding holds anything
    if (drop) {
      for_each_dropout_factor(problem.dropout, dropout_row(problem, block, query), width,
                              [=](std::int64_t key, Real factor) { factors[key] = factor; });
      for (std::int64_t key = 0; key < width; ++key) ds[key] *= factors[key];
    }
    const Real mean = row_dot(p, ds, width);
    for (std::int64_t key = 0; key < width; ++key) ds[key] = p[key] * (ds[key] - mean) * scale;
    if (drop)
      for (std::int64_t key = 0; key < width; ++key) p[key] *= factors[key];
  }
}

void zero_rows(GradColumns gradient, std::int64_t begin, std::int64_t end, std::int64_t column,
               std::int64_t width) {
  if (gradient.slot.data == nullptr || gradient.slot.add) return;
  for (std::int64_t row = begin; row < end; ++row)
    for (std::int64_t i = 0; i < width; ++i) gradient.slot.data[row * gradient.stride + column + i] = 0;
}

Output rows_of(GradColumns gradient, std::int64_t row, std::int64_t column) {
  return {gradient.slot.data + row * gradient.stride + column, gradient.stride};
}

/// `add_keys`: an earlier block of this task has written the gradients of keys and values already.
void backward_block(GradColumns dquery, GradColumns dkey, GradColumns dvalue, const Real* dout,
                    const Real* log_sum_exp, const Attention& problem, const Block& block, Real* scratch,
                    bool add_keys) {
  const std::int64_t column = block.head * problem.d_head, dout_stride = problem.heads * problem.d_head;
  const std::int64_t key_begin = block.sentence.key_begin, width = padded(block.keys);
  Real* const p = scratch;
  Real* const ds = p + block.queries * width;
  Real* const factors = ds + block.queries * width;
  const Input dout_block{dout + block.first * dout_stride + column, dout_stride};
  multiply_query_key(p, problem, block);
  probabilities_again(p, log_sum_exp, problem, block);
  blas::gemm_nt(block.queries, block.keys, problem.d_head, dout_block,
                rows_of(problem.value, key_begin, column), Output{ds, width}, blas::Store::overwrite);
  softmax_rows_backward(p, ds, factors, problem, block);
  if (dvalue.slot.data != nullptr)
    blas::gemm_tn(block.keys, problem.d_head, block.queries, Input{p, width}, dout_block,
                  rows_of(dvalue, key_begin, column), store(dvalue.slot.add || add_keys));
  if (dquery.slot.data != nullptr)
    blas::gemm_nn(block.queries, problem.d_head, block.keys, Input{ds, width},
                  rows_of(problem.key, key_begin, column), rows_of(dquery, block.first, column),
                  store(dquery.slot.add));
  if (dkey.slot.data != nullptr)
    blas::gemm_tn(block.keys, problem.d_head, block.queries, Input{ds, width},
                  rows_of(problem.query, block.first, column), rows_of(dkey, key_begin, column),
                  store(dkey.slot.add || add_keys));
}

}  // namespace

void attention_forward(Real* out, Real* log_sum_exp, Real* weights, Attention problem) noexcept {
  parallel_for(problem.segment_count * problem.heads, problem.tasks_at_a_time,
               [=](std::int64_t begin, std::int64_t end, int worker) {
                 Real* const scores = problem.scratch + worker * problem.scratch_stride;
                 for (std::int64_t task = begin; task < end; ++task) {
                   const std::int64_t index = task / problem.heads, head = task % problem.heads;
                   const Segment sentence = problem.segments[index];
                   Real* head_weights = nullptr;
                   if (weights != nullptr) {
                     head_weights = weights;
                     for (std::int64_t i = 0; i <= index; ++i) {
                       const Segment& other = problem.segments[i];
                       head_weights += (other.query_end - other.query_begin) *
                                       (other.key_end - other.key_begin) * (i < index ? problem.heads : head);
                     }
                   }
                   for (std::int64_t first = sentence.query_begin; first < sentence.query_end;
                        first += attention_query_block)
                     forward_block(out, log_sum_exp, head_weights, problem,
                                   make_block(problem, sentence, head, first), scores);
                 }
               });
}

void attention_backward(GradColumns dquery, GradColumns dkey, GradColumns dvalue, const Real* dout,
                        const Real* log_sum_exp, Attention problem) noexcept {
  parallel_for(problem.segment_count * problem.heads, problem.tasks_at_a_time,
               [=](std::int64_t begin, std::int64_t end, int worker) {
                 Real* const scratch = problem.scratch + worker * problem.scratch_stride;
                 for (std::int64_t task = begin; task < end; ++task) {
                   const Segment sentence = problem.segments[task / problem.heads];
                   const std::int64_t head = task % problem.heads, column = head * problem.d_head;
                   // From the last block to the first: the last one sees every key, so its products can
                   // overwrite.
                   const std::int64_t queries = sentence.query_end - sentence.query_begin;
                   const std::int64_t blocks = (queries + attention_query_block - 1) / attention_query_block;
                   if (queries == 0 || sentence.key_begin == sentence.key_end) {
                     zero_rows(dquery, sentence.query_begin, sentence.query_end, column, problem.d_head);
                     zero_rows(dkey, sentence.key_begin, sentence.key_end, column, problem.d_head);
                     zero_rows(dvalue, sentence.key_begin, sentence.key_end, column, problem.d_head);
                     continue;
                   }
                   for (std::int64_t i = blocks - 1; i >= 0; --i) {
                     const std::int64_t first = sentence.query_begin + i * attention_query_block;
                     const Block block = make_block(problem, sentence, head, first);
                     if (block.keys == 0)
                       zero_rows(dquery, first, first + block.queries, column, problem.d_head);
                     else
                       backward_block(dquery, dkey, dvalue, dout, log_sum_exp, problem, block, scratch,
                                      i < blocks - 1);
                   }
                 }
               });
}

}  // namespace regard::inline REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
