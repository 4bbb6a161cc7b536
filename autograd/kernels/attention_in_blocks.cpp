// Attention in blocks. It exists three times, from the plainest to the fastest:
//   the definition, one number at a time        autograd/reference/attention.cpp
//   in one file, whole matrices with a mask     multi_head in apps/examples/transformer.cpp
//   in blocks, with no matrix of all weights    this file
//
// One task is one head of one sentence; the threads divide the tasks. A task takes its queries in blocks of
// 64. The only matrix of probabilities that ever exists is that of one block with all keys, so memory grows
// with the length of a sentence, not with its square. Read attention_block.h first (a block and its scores),
// then forward_block and backward_block here. attention_distances.h and tiled_product.h are for later.
#include "autograd/kernels/attention_in_blocks.h"

#include "autograd/kernels/attention_block.h"
#include "autograd/kernels/attention_distances.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

namespace {

/// How many keys each query of a vector sees, the first of them being query `first` of the block.
Vector visible_keys(const AttentionArguments& problem, const Block& block, Index first) {
  Real count[lanes];
  for (Index i = 0; i < lanes; ++i)
    count[i] = static_cast<Real>(problem.causal ? block.position(first + i) + 1 : block.keys);
  return load(count);
}

/// e^(scale (score - largest)), or exactly 0 where the mask hides the key.
Vector masked_exponential(Vector score, Vector largest, Vector visible, Index key, Real scale) {
  const Vector e = exponential(scale * (score - largest));
  return visible > static_cast<Real>(key) ? e : Vector{};
}

/// Scores become probabilities: each column is a query's softmax over its keys.
void softmax_columns(Real* scores, const AttentionArguments& problem, const Block& block) {
  const Real scale = problem.scale;
  for (Index query = 0; query < block.width; query += lanes) {
    Real* const strip = scores + query;
    const Vector visible = visible_keys(problem, block, query);
    // The softmax subtracts a number near the largest score, so that e^x does not overflow. Any score serves,
    // so the search for the largest starts with the first key even if it is hidden.
    Vector largest = load(strip), sum{};
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
    store(block.largest + query, largest);
    store(block.inverse_sum + query, inverse);
  }
}

/// Scores become probabilities again, with the statistics that the forward saved.
void probabilities_again(Real* scores, const AttentionArguments& problem, const Block& block) {
  const Real scale = problem.scale;
  for (Index query = 0; query < block.width; query += lanes) {
    const Vector visible = visible_keys(problem, block, query);
    const Vector largest = load(block.largest + query), inverse = load(block.inverse_sum + query);
    for (Index key = 0; key < block.keys; ++key) {
      Real* const row = scores + key * block.width + query;
      store(row, masked_exponential(load(row), largest, visible, key, scale) * inverse);
    }
  }
}

/// A block of one query, as in decoding, sees all of the block's keys and would use only one lane of each
/// vector. So here a vector holds the scores of one query with many keys.
void forward_one_query(Real* out, const AttentionArguments& problem, const Block& block, Real* scores) {
  const Index d_k = problem.d_k;
  for (Index i = 0; i < block.keys; ++i)
    scores[i] = row_dot(block.query.data, block.key.data + i * block.key.stride, d_k);
  add_distances(scores, 1, problem, block);
  const Real largest = row_max(scores, block.keys);
  // Padded to whole vectors; the exponentials of the padding are exactly 0.
  constexpr Real lowest = sizeof(Real) == sizeof(float) ? Real(-__FLT_MAX__) : Real(-__DBL_MAX__);
  const Index padded = round_up(block.keys, lanes);
  for (Index i = block.keys; i < padded; ++i) scores[i] = lowest;
  const Real inverse = 1 / row_exponentials(scores, scores, padded, problem.scale, largest);
  for (Index i = 0; i < block.keys; ++i) scores[i] *= inverse;
  Real* const to = out + (block.first * problem.heads + block.head) * d_k;
  multiply(blas::Transposed::none, 1, d_k, block.keys, ConstMatrix{scores, block.keys}, block.value,
           Matrix{to, d_k});
  *block.largest = largest;
  *block.inverse_sum = inverse;
}

void forward_block(Real* out, Real* weights, const AttentionArguments& problem, const Block& block,
                   Real* scratch) {
  const Index out_stride = problem.heads * problem.d_k;
  Real* const out_block = out + block.first * out_stride + block.head * problem.d_k;
  Real* const scores = scratch + problem.d_k * block.width;
  multiply_key_query(scores, scratch, problem, block);
  add_distances(scores, block.width, problem, block);
  softmax_columns(scores, problem, block);
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
  multiply(blas::Transposed::a, block.queries, problem.d_k, block.keys, ConstMatrix{scores, block.width},
           block.value, Matrix{out_block, out_stride});
}

/// dS = scale P (dP - m) with m = sum over the keys of P dP, which is the mean of dP under P. dS
/// replaces dP in memory.
void softmax_columns_backward(Real* dscores, const Real* probabilities, const AttentionArguments& problem,
                              const Block& block) {
  const Real scale = problem.scale;
  for (Index query = 0; query < block.width; query += lanes) {
    Vector mean{};
    for (Index i = query; i < block.keys * block.width; i += block.width)
      mean += load(probabilities + i) * load(dscores + i);
    for (Index i = query; i < block.keys * block.width; i += block.width)
      store(dscores + i, load(probabilities + i) * (load(dscores + i) - mean) * scale);
  }
}

void zero(Matrix rows, Index count, Index width) {
  for (Index row = 0; row < count; ++row)
    for (Index i = 0; i < width; ++i) rows.data[row * rows.stride + i] = 0;
}

/// The gradient is 0 in rows begin .. end of a head. A slot that adds (GradSlot::add) stays as it is.
void put_zeros(GradSlot gradient, Index stride, Index begin, Index end, Index column, Index width) {
  if (gradient && !gradient.add) zero(gradient_from(gradient, stride, begin, column), end - begin, width);
}

/// The equations are in attention_in_blocks.h. P and dS are transposed here, [keys, queries], as the
/// scores are.
void backward_block(const AttentionSlots& slots, const Real* dout, const AttentionArguments& problem,
                    const Block& block, Real* scratch) {
  const auto& [dquery, dkey, dvalue, drelative] = slots;
  const Index column = block.head * problem.d_k, d_k = problem.d_k;
  const Index key_begin = block.sentence.key_begin, size = block.keys * block.width;
  Real* const p = scratch + d_k * block.width;
  Real* const ds = p + size;
  Real* dropped = p;
  const ConstMatrix dout_block{dout + block.first * problem.heads * d_k + column, problem.heads * d_k};
  multiply_key_query(p, scratch, problem, block);
  add_distances(p, block.width, problem, block);
  probabilities_again(p, problem, block);

  // dP^T = V dO^T under dropout. dO^T overwrites Q^T in the scratch memory.
  transpose(scratch, dout_block, problem, block);
  multiply(blas::Transposed::none, block.keys, block.width, d_k, block.value,
           ConstMatrix{scratch, block.width}, Matrix{ds, block.width});
  if (problem.dropout.probability > 0) {
    dropped = ds + size;
    for_each_factor(problem, block, [=](Index i, Real factor) {
      ds[i] *= factor;
      dropped[i] = p[i] * factor;
    });
  }
  softmax_columns_backward(ds, p, problem, block);
  if (drelative) add_relative_backward(drelative, ds, problem, block);
  // dV = (P M)^T dO
  if (dvalue)
    multiply(blas::Transposed::none, block.keys, d_k, block.queries, ConstMatrix{dropped, block.width},
             dout_block, gradient_from(dvalue, problem.value.stride, key_begin, column), store(dvalue));
  // dQ = dS K
  if (dquery)
    multiply(blas::Transposed::a, block.queries, d_k, block.keys, ConstMatrix{ds, block.width}, block.key,
             gradient_from(dquery, problem.query.stride, block.first, column), store(dquery));
  // dK = dS^T Q
  if (dkey)
    multiply(blas::Transposed::none, block.keys, d_k, block.queries, ConstMatrix{ds, block.width},
             block.query, gradient_from(dkey, problem.key.stride, key_begin, column), store(dkey));
}

/// The first weight of a head of a sentence.
Real* weights_of(Real* weights, const AttentionArguments& problem, const Segment& sentence, Index head) {
  const auto scores = [](const Segment& s) {
    return (s.query_end - s.query_begin) * (s.key_end - s.key_begin);
  };
  for (const Segment* s = problem.segments; s != &sentence; ++s) weights += problem.heads * scores(*s);
  return weights + head * scores(sentence);
}

void forward_task(Real* out, Real* weights, const AttentionArguments& problem, const Segment& sentence,
                  Index head, Real* scratch) {
  if (weights != nullptr) weights = weights_of(weights, problem, sentence, head);
  for (Index first = sentence.query_begin; first < sentence.query_end; first += attention_query_block) {
    const Block block = make_block(problem, sentence, head, first);
    if (block.keys > 0 && block.queries == 1 && weights == nullptr && problem.dropout.probability == 0)
      forward_one_query(out, problem, block, scratch);
    else if (block.keys > 0)
      forward_block(out, weights, problem, block, scratch);
    else  // no key to look at
      zero(Matrix{out + (first * problem.heads + head) * problem.d_k, problem.heads * problem.d_k},
           block.queries, problem.d_k);
  }
}

void backward_task(AttentionSlots slots, const Real* dout, const AttentionArguments& problem,
                   const Segment& sentence, Index head, Real* scratch) {
  const Index column = head * problem.d_k;
  const Index queries = sentence.query_end - sentence.query_begin;
  const auto no_gradient_for = [&](Index begin, Index end) {  // queries that see no key
    put_zeros(slots.query, problem.query.stride, begin, end, column, problem.d_k);
    const Index numbers = 2 * problem.radius + 1;
    put_zeros(slots.relative, problem.relative.stride, begin, end, head * numbers, numbers);
  };
  if (queries == 0 || sentence.key_begin == sentence.key_end) {
    no_gradient_for(sentence.query_begin, sentence.query_end);
    put_zeros(slots.key, problem.key.stride, sentence.key_begin, sentence.key_end, column, problem.d_k);
    put_zeros(slots.value, problem.value.stride, sentence.key_begin, sentence.key_end, column, problem.d_k);
    return;
  }
  // From the last block to the first: the last one sees every key, so its products may overwrite the
  // gradients of all keys and values. The others add to them.
  const Index blocks = ceil_divide(queries, attention_query_block);
  for (Index i = blocks - 1; i >= 0; --i) {
    const Index first = sentence.query_begin + i * attention_query_block;
    const Block block = make_block(problem, sentence, head, first);
    if (block.keys == 0)
      no_gradient_for(first, first + block.queries);
    else
      backward_block(slots, dout, problem, block, scratch);
    slots.key.add = slots.value.add = true;
  }
}

}  // namespace

void attention_forward(Real* out, Real* weights, AttentionArguments problem) noexcept {
  for_each_task(problem, [&](const Segment& sentence, Index head, Real* scratch) {
    forward_task(out, weights, problem, sentence, head, scratch);
  });
}

void attention_backward(AttentionSlots slots, const Real* dout, AttentionArguments problem) noexcept {
  for_each_task(problem, [&](const Segment& sentence, Index head, Real* scratch) {
    backward_task(slots, dout, problem, sentence, head, scratch);
  });
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
