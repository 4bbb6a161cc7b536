// One task is one head of one sentence; the threads divide the tasks. A task goes through its queries in
// blocks of 64, so that the scores of a block against all keys are the only matrix of probabilities that ever
// exists: memory grows with the length of a sentence, not with its square.
#include "autograd/kernels/attention.h"

#include "autograd/kernels/attention_block.h"
#include "autograd/parallel.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace REGARD_SIMD_NAMESPACE {

namespace {

/// What each query of the block may see, as numbers that vectors compare with a key's index; what the
/// softmax of each query divides by.
struct Columnwise {
  Real visible[attention_query_block];
  Real largest[attention_query_block];
  Real inverse_sum[attention_query_block];
};

void see(Columnwise& columns, const Attention& problem, const Block& block) {
  for (Index query = 0; query < block.width; ++query)
    columns.visible[query] =
        static_cast<Real>(query < block.queries ? block.visible(query, problem.causal) : block.keys);
}

/// e^(scale (score - largest)) for the queries from `query` on; exactly 0 where the mask hides the key.
Vector masked_exponential(Vector score, Vector largest, Vector visible, Index key, Real scale) {
  const Vector e = exponential(scale * (score - largest));
  return visible > static_cast<Real>(key) ? e : Vector{};
}

/// Scores become probabilities: each column is a query's softmax over its keys.
void softmax_columns(Real* scores, Columnwise& columns, const Attention& problem, const Block& block) {
  const Real scale = attention_scale(problem);
  for (Index query = 0; query < block.width; query += lanes) {
    Real* const strip = scores + query;
    const Vector visible = load(columns.visible + query);
    Vector largest = load(strip), sum{};  // the first key's, seen or not: any number near the others does
    for (Index key = 1; key < block.keys; ++key) {
      const Vector score = load(strip + key * block.width);
      largest = ((score > largest) & (visible > static_cast<Real>(key))) ? score : largest;
    }
    for (Index key = 0; key < block.keys; ++key) {
      Real* const row = strip + key * block.width;
      const Vector e = masked_exponential(load(row), largest, visible, key, scale);
      store(row, e);
      sum += e;
    }
    // A query that sees nothing has the sum 0; its probabilities are zeros.
    const Vector inverse = visible > Real{0} ? 1 / sum : Vector{};
    for (Index key = 0; key < block.keys; ++key) {
      Real* const row = strip + key * block.width;
      store(row, load(row) * inverse);
    }
    store(columns.largest + query, largest);
    store(columns.inverse_sum + query, inverse);
  }
}

/// P again, from what the forward saved of each query.
void probabilities_again(Real* scores, const Columnwise& columns, const Attention& problem,
                         const Block& block) {
  const Real scale = attention_scale(problem);
  for (Index query = 0; query < block.width; query += lanes) {
    const Vector visible = load(columns.visible + query), largest = load(columns.largest + query),
                 inverse = load(columns.inverse_sum + query);
    for (Index key = 0; key < block.keys; ++key) {
      Real* const row = scores + key * block.width + query;
      store(row, masked_exponential(load(row), largest, visible, key, scale) * inverse);
    }
  }
}

/// Calls use(element, factor) for all of a block's [keys, width] numbers under dropout. To the random numbers
/// they are one long row.
template <class Use>
void for_each_factor(const Attention& problem, const Block& block, const Use& use) {
  for_each_dropout_factor(problem.dropout,
                          static_cast<std::uint64_t>(block.first * problem.heads + block.head),
                          block.keys * block.width, use);
}

/// The rows of one query's head in the statistics, [heads, queries].
Index statistics_begin(const Attention& problem, const Block& block) {
  return block.head * problem.query_rows + block.first;
}

/// A query alone, as in decoding, would leave all lanes but one empty: here the keys go along the vectors.
void forward_one_query(Real* out, AttentionStatistics statistics, const Attention& problem,
                       const Block& block, Real* scores) {
  const Index column = block.head * problem.d_k, d_k = problem.d_k;
  const ConstMatrix query = rows_of(problem.query, block.first, column);
  const ConstMatrix key = rows_of(problem.key, block.sentence.key_begin, column);
  const ConstMatrix value = rows_of(problem.value, block.sentence.key_begin, column);
  for (Index i = 0; i < block.keys; ++i) scores[i] = row_dot(query.data, key.data + i * key.stride, d_k);
  const Real largest = row_max(scores, block.keys);
  // Whole vectors: the padding's exponentials are exactly 0.
  constexpr Real lowest = sizeof(Real) == sizeof(float) ? Real(-__FLT_MAX__) : Real(-__DBL_MAX__);
  const Index padded = (block.keys + lanes - 1) / lanes * lanes;
  for (Index i = block.keys; i < padded; ++i) scores[i] = lowest;
  const Real inverse = 1 / row_exponentials(scores, scores, padded, attention_scale(problem), largest);
  Real* const to = out + block.first * problem.heads * d_k + column;
  for (Index i = 0; i < d_k; ++i) to[i] = 0;
  for (Index i = 0; i < block.keys; ++i) {
    const Real weight = scores[i] * inverse;
    const Real* const row = value.data + i * value.stride;
#pragma omp simd
    for (Index c = 0; c < d_k; ++c) to[c] += weight * row[c];
  }
  statistics.largest[statistics_begin(problem, block)] = largest;
  statistics.inverse_sum[statistics_begin(problem, block)] = inverse;
}

void forward_block(Real* out, AttentionStatistics statistics, Real* weights, const Attention& problem,
                   const Block& block, Real* scratch) {
  const Index column = block.head * problem.d_k, out_stride = problem.heads * problem.d_k;
  Real* const out_block = out + block.first * out_stride + column;
  Real* const scores = scratch + problem.d_k * block.width;
  Columnwise columns;
  see(columns, problem, block);
  multiply_key_query(scores, scratch, problem, block);
  softmax_columns(scores, columns, problem, block);
  for (Index query = 0; query < block.queries; ++query) {
    statistics.largest[statistics_begin(problem, block) + query] = columns.largest[query];
    statistics.inverse_sum[statistics_begin(problem, block) + query] = columns.inverse_sum[query];
  }
  if (weights != nullptr) {
    const Index all = block.sentence.key_end - block.sentence.key_begin;
    for (Index query = 0; query < block.queries; ++query) {
      Real* const row = weights + (block.first - block.sentence.query_begin + query) * all;
      for (Index key = 0; key < all; ++key)
        row[key] = key < block.keys ? scores[key * block.width + query] : 0;
    }
  }
  if (problem.dropout.probability > 0)
    for_each_factor(problem, block, [=](Index i, Real factor) { scores[i] *= factor; });
  // O = P V
  multiply(block.queries, problem.d_k, block.keys, transposed(ConstMatrix{scores, block.width}),
           rows_of(problem.value, block.sentence.key_begin, column), Matrix{out_block, out_stride});
}

/// dS = P (dP - sum over the keys of P dP) / sqrt(d_k), over dP.
void softmax_columns_backward(Real* dscores, const Real* probabilities, const Attention& problem,
                              const Block& block) {
  const Real scale = attention_scale(problem);
  for (Index query = 0; query < block.width; query += lanes) {
    Vector mean{};
    for (Index i = query; i < block.keys * block.width; i += block.width)
      mean += load(probabilities + i) * load(dscores + i);
    for (Index i = query; i < block.keys * block.width; i += block.width)
      store(dscores + i, load(probabilities + i) * (load(dscores + i) - mean) * scale);
  }
}

void zero_rows(GradColumns gradient, Index begin, Index end, Index column, Index width) {
  if (gradient.slot.data == nullptr || gradient.slot.add) return;
  for (Index row = begin; row < end; ++row)
    for (Index i = 0; i < width; ++i) gradient.slot.data[row * gradient.stride + column + i] = 0;
}

/// The equations stand in attention.h; P and dS stand transposed here, [keys, queries], as the scores do.
/// `earlier_keys`: add, if an earlier block of this task has written the gradients of keys and values
/// already.
void backward_block(GradColumns dquery, GradColumns dkey, GradColumns dvalue, const Real* dout,
                    AttentionStatistics statistics, const Attention& problem, const Block& block,
                    Real* scratch, blas::Store earlier_keys) {
  const Index column = block.head * problem.d_k, d_k = problem.d_k;
  const Index key_begin = block.sentence.key_begin, size = block.keys * block.width;
  Real* const p = scratch + d_k * block.width;
  Real* const ds = p + size;
  Real* dropped = p;
  const ConstMatrix dout_block{dout + block.first * problem.heads * d_k + column, problem.heads * d_k};
  const auto into_keys = [=](GradSlot slot) {
    return earlier_keys == blas::Store::add ? earlier_keys : store(slot);
  };
  Columnwise columns{};
  see(columns, problem, block);
  for (Index query = 0; query < block.queries; ++query) {
    columns.largest[query] = statistics.largest[statistics_begin(problem, block) + query];
    columns.inverse_sum[query] = statistics.inverse_sum[statistics_begin(problem, block) + query];
  }
  multiply_key_query(p, scratch, problem, block);
  probabilities_again(p, columns, problem, block);

  // dP^T = V dO^T under dropout; dO^T takes the place of Q^T, which is not needed any more.
  transpose(scratch, dout_block, problem, block);
  multiply(block.keys, block.width, d_k, plain(rows_of(problem.value, key_begin, column)),
           ConstMatrix{scratch, block.width}, Matrix{ds, block.width});
  if (problem.dropout.probability > 0) {
    dropped = ds + size;
    for_each_factor(problem, block, [=](Index i, Real factor) {
      ds[i] *= factor;
      dropped[i] = p[i] * factor;
    });
  }
  softmax_columns_backward(ds, p, problem, block);
  // dV = (P M)^T dO
  if (dvalue.slot.data != nullptr)
    multiply(block.keys, d_k, block.queries, plain(ConstMatrix{dropped, block.width}), dout_block,
             rows_of(dvalue, key_begin, column), into_keys(dvalue.slot));
  // dQ = dS K
  if (dquery.slot.data != nullptr)
    multiply(block.queries, d_k, block.keys, transposed(ConstMatrix{ds, block.width}),
             rows_of(problem.key, key_begin, column), rows_of(dquery, block.first, column),
             store(dquery.slot));
  // dK = dS^T Q
  if (dkey.slot.data != nullptr)
    multiply(block.keys, d_k, block.queries, plain(ConstMatrix{ds, block.width}),
             rows_of(problem.query, block.first, column), rows_of(dkey, key_begin, column),
             into_keys(dkey.slot));
}

/// Where the weights of this head begin.
Real* weights_of(Real* weights, const Attention& problem, Index index, Index head) {
  if (weights == nullptr) return nullptr;
  for (Index i = 0; i <= index; ++i) {
    const Segment& other = problem.segments[i];
    weights += (other.query_end - other.query_begin) * (other.key_end - other.key_begin) *
               (i < index ? problem.heads : head);
  }
  return weights;
}

void forward_task(Real* out, AttentionStatistics statistics, Real* weights, const Attention& problem,
                  Index task, Real* scratch) {
  const Index index = task / problem.heads, head = task % problem.heads;
  const Segment sentence = problem.segments[index];
  Real* const head_weights = weights_of(weights, problem, index, head);
  for (Index first = sentence.query_begin; first < sentence.query_end; first += attention_query_block) {
    const Block block = make_block(problem, sentence, head, first);
    if (block.keys > 0 && block.queries == 1 && weights == nullptr && problem.dropout.probability == 0)
      forward_one_query(out, statistics, problem, block, scratch);
    else if (block.keys > 0)
      forward_block(out, statistics, head_weights, problem, block, scratch);
    else  // nothing to look at: zeros
      zero_rows({{out, false}, problem.heads * problem.d_k}, first, first + block.queries, head * problem.d_k,
                problem.d_k);
  }
}

void backward_task(GradColumns dquery, GradColumns dkey, GradColumns dvalue, const Real* dout,
                   AttentionStatistics statistics, const Attention& problem, Index task, Real* scratch) {
  const Segment sentence = problem.segments[task / problem.heads];
  const Index head = task % problem.heads, column = head * problem.d_k;
  const Index queries = sentence.query_end - sentence.query_begin;
  if (queries == 0 || sentence.key_begin == sentence.key_end) {
    zero_rows(dquery, sentence.query_begin, sentence.query_end, column, problem.d_k);
    zero_rows(dkey, sentence.key_begin, sentence.key_end, column, problem.d_k);
    zero_rows(dvalue, sentence.key_begin, sentence.key_end, column, problem.d_k);
    return;
  }
  // From the last block to the first: the last one sees every key, so its products can overwrite.
  const Index blocks = (queries + attention_query_block - 1) / attention_query_block;
  for (Index i = blocks - 1; i >= 0; --i) {
    const Index first = sentence.query_begin + i * attention_query_block;
    const Block block = make_block(problem, sentence, head, first);
    if (block.keys == 0)
      zero_rows(dquery, first, first + block.queries, column, problem.d_k);
    else
      backward_block(dquery, dkey, dvalue, dout, statistics, problem, block, scratch,
                     i < blocks - 1 ? blas::Store::add : blas::Store::overwrite);
  }
}

}  // namespace

void attention_forward(Real* out, AttentionStatistics statistics, Real* weights, Attention problem) noexcept {
  parallel_for(problem.segment_count * problem.heads, problem.tasks_at_a_time,
               [=](Index begin, Index end, int worker) {
                 Real* const scratch = problem.scratch + worker * problem.scratch_stride;
                 for (Index task = begin; task < end; ++task)
                   forward_task(out, statistics, weights, problem, task, scratch);
               });
}

void attention_backward(GradColumns dquery, GradColumns dkey, GradColumns dvalue, const Real* dout,
                        AttentionStatistics statistics, Attention problem) noexcept {
  parallel_for(problem.segment_count * problem.heads, problem.tasks_at_a_time,
               [=](Index begin, Index end, int worker) {
                 Real* const scratch = problem.scratch + worker * problem.scratch_stride;
                 for (Index task = begin; task < end; ++task)
                   backward_task(dquery, dkey, dvalue, dout, statistics, problem, task, scratch);
               });
}

}}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
