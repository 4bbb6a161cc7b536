#include "autograd/ops/attention.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "autograd/graph.h"
#include "autograd/kernels/attention_in_blocks.h"
#include "autograd/machine/blas.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION {

ColumnSlice::ColumnSlice(const Tensor& whole)
    : ColumnSlice(whole, 0, whole.rank() == 2 ? whole.size(1) : 0) {}

ColumnSlice::ColumnSlice(const Tensor& whole, Index first_column, Index columns)
    : matrix(whole), first(first_column), width(columns) {
  if (whole.rank() != 2 || first < 0 || width < 0 || width > whole.size(1) - first)
    fail("attention: columns {} to {} do not lie within shape {}; expected [rows, columns]", first,
         first + width, to_string(whole.shape()));
}

namespace {

/// Query, key and value.
using Inputs = std::array<ColumnSlice, 3>;

bool same_columns(const ColumnSlice& a, const ColumnSlice& b) {
  return a.matrix.is(b.matrix) && a.first == b.first;
}

bool overlap(const ColumnSlice& a, const ColumnSlice& b) {
  return a.matrix.is(b.matrix) && a.first < b.first + b.width && b.first < a.first + a.width;
}

/// The size of the work.
struct Extent {
  Index queries = 0, keys = 0;  ///< rows that belong to a sentence
  Index scores = 0;             ///< of one head
  Index scratch = 0;            ///< numbers that the largest sentence needs in the kernels
};

Extent check_segments(const Operation& op, const Segments& segments, Index query_rows, Index key_rows,
                      Index d_k) {
  Extent extent;
  Index query_end = 0, key_end = 0;
  for (const Segment& s : segments) {
    if (s.query_begin < query_end || s.query_end < s.query_begin || s.key_begin < key_end ||
        s.key_end < s.key_begin || s.query_end > query_rows || s.key_end > key_rows)
      op.fail(
          "the sentence with queries {} to {} and keys {} to {} overlaps the one before or lies outside {} "
          "query rows and {} key rows",
          s.query_begin, s.query_end, s.key_begin, s.key_end, query_rows, key_rows);
    query_end = s.query_end;
    key_end = s.key_end;
    const Index queries = s.query_end - s.query_begin, keys = s.key_end - s.key_begin;
    extent.queries += queries;
    extent.keys += keys;
    extent.scores += queries * keys;
    extent.scratch = std::max(extent.scratch, kernels::attention_scratch(s, d_k));
  }
  return extent;
}

void check_distances(const Operation& op, const Inputs& inputs, const AttentionOptions& options) {
  if (!(options.scale >= 0)) op.fail("the scale is {}; it must be at least 0", options.scale);
  if (!options.slopes.empty() && to_index(options.slopes.size()) != options.heads)
    op.fail("there are {} slopes for {} heads", options.slopes.size(), options.heads);
  const Tensor& relative = options.relative;
  if (!relative) return;
  for (const ColumnSlice& input : inputs)
    if (input.matrix.is(relative)) op.fail("the relative scores are also the query, key or value");
  const Index rows = inputs[0].matrix.size(0) * options.heads;
  if (relative.rank() != 2 || relative.size(0) != rows || relative.size(1) % 2 != 1)
    op.fail(
        "relative scores of shape {} do not fit: expected [{}, 2 radius + 1], a row for each query and head",
        to_string(relative.shape()), rows);
}

Extent check(const Operation& op, const Inputs& inputs, const Segments& segments,
             const AttentionOptions& options) {
  const auto& [query, key, value] = inputs;
  const Index query_rows = query.matrix.size(0), key_rows = key.matrix.size(0);
  if (query.width != key.width || query.width != value.width || key_rows != value.matrix.size(0))
    op.fail(
        "query [{}, {}], key [{}, {}] and value [{}, {}] do not fit: the three widths must be equal, and key "
        "and value must have the same number of rows",
        query_rows, query.width, key_rows, key.width, value.matrix.size(0), value.width);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(inputs[i], inputs[j]) && !same_columns(inputs[i], inputs[j]))
        op.fail(
            "columns {} to {} and columns {} to {} of one matrix overlap; give the same columns or columns "
            "that do not overlap",
            inputs[j].first, inputs[j].first + query.width, inputs[i].first, inputs[i].first + query.width);
  if (options.heads < 1 || query.width % options.heads != 0)
    op.fail("{} heads do not divide the width {}", options.heads, query.width);
  check_dropout(op, options.dropout);
  check_distances(op, inputs, options);
  return check_segments(op, segments, query_rows, key_rows, query.width / options.heads);
}

/// The statistics of each query's softmax, which the forward saves for the backward.
Tensor make_statistics(const ColumnSlice& query, const Segments& segments, Index heads) {
  return Tensor::empty(
      {2, heads, kernels::attention_statistics(query.matrix.size(0), to_index(segments.size()))});
}

kernels::ConstMatrix columns(const ColumnSlice& slice) {
  return {slice.matrix.data() + slice.first, slice.matrix.size(1)};
}

/// The kernels' description of the work. It points into the arguments. `scratch` has a row for each thread.
kernels::AttentionArguments make_problem(const Inputs& inputs, const Segments& segments, const Extent& extent,
                                         const AttentionOptions& options, const Tensor& statistics,
                                         const Tensor& scratch) {
  blas::load();  // may throw, and the kernels may not
  const auto& [query, key, value] = inputs;
  const Index d_k = query.width / options.heads;
  const Tensor& relative = options.relative;
  const Index relative_width = relative ? relative.size(1) : 0;
  // The scale makes the variance of the scores 1: q · k is a sum of d_k products, and if their factors are
  // independent with mean 0 and variance 1, its variance is d_k. Large scores would saturate the softmax,
  // whose gradients vanish then (Vaswani et al. 2017, section 3.2.1).
  const Real usual_scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(d_k)));
  const Index tasks = to_index(segments.size()) * options.heads;
  // Two products and the softmax.
  const Index numbers_per_score = 2 * d_k / multiplications_per_number + 2;
  return {.query = columns(query),
          .key = columns(key),
          .value = columns(value),
          .segments = segments.data(),
          .segment_count = to_index(segments.size()),
          .heads = options.heads,
          .d_k = d_k,
          .causal = options.causal,
          .dropout = options.dropout,
          .scale = options.scale > 0 ? options.scale : usual_scale,
          .slopes = options.slopes.empty() ? nullptr : options.slopes.data(),
          .relative = {relative ? relative.data() : nullptr, options.heads * relative_width},
          .radius = relative_width / 2,
          .statistics = statistics.data(),
          .statistics_size = statistics.size(2),
          .tasks_at_a_time = block_size(
              tasks, extent.scores * numbers_per_score / std::max<Index>(to_index(segments.size()), 1)),
          .scratch = scratch.data(),
          .scratch_stride = scratch.size(1)};
}

/// True if the gradients of two sentences may meet in one row, because queries of the one are keys or values
/// of the other. Then the threads cannot divide the sentences.
bool sentences_meet(const Inputs& inputs, const Segments& segments) {
  const auto& [query, key, value] = inputs;
  return (same_columns(query, key) || same_columns(query, value)) &&
         std::any_of(segments.begin(), segments.end(), [](const Segment& s) {
           return s.query_begin != s.key_begin || s.query_end != s.key_end;
         });
}

/// True if the inputs have each element of this matrix once.
bool cover(const Inputs& inputs, const Tensor& matrix, const Extent& extent) {
  Index columns = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!inputs[i].matrix.is(matrix)) continue;
    if ((i == 0 ? extent.queries : extent.keys) != matrix.size(0)) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (same_columns(inputs[i], inputs[j])) return false;
    columns += inputs[i].width;
  }
  return columns == matrix.size(1);
}

/// The places for the gradients of query, key and value. Inputs that are columns of one matrix share its
/// slot, which is fetched once. It starts with zeros if the kernel leaves a part of it unwritten or if two
/// inputs are the same columns.
kernels::AttentionSlots gradient_slots(const BackwardContext& context, const Inputs& inputs,
                                       const Extent& extent, const Tensor& relative) {
  std::array<GradSlot, 3> slots{};
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t first = 0;  // the first input of the same matrix
    while (!inputs[first].matrix.is(inputs[i].matrix)) ++first;
    slots[i] = first == i ? context.input_grad(i) : slots[first];
    if (!slots[i]) continue;
    if (first == i && !cover(inputs, inputs[i].matrix, extent))
      slots[i].start_with_zeros(inputs[i].matrix.size());
    slots[i].data += inputs[i].first - (first == i ? 0 : inputs[first].first);
  }
  GradSlot drelative = relative ? context.input_grad(3) : GradSlot{};
  if (drelative && extent.queries < inputs[0].matrix.size(0)) drelative.start_with_zeros(relative.size());
  return {slots[0], slots[1], slots[2], drelative};
}

}  // namespace

Tensor attention(const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
                 const Segments& segments, const AttentionOptions& options) {
  const Operation op("attention");
  const Inputs inputs = {query, key, value};
  const Extent extent = check(op, inputs, segments, options);
  const Index rows = query.matrix.size(0);
  const Tensor out = Tensor::empty({rows, query.width});
  if (extent.queries < rows) std::fill_n(out.data(), out.size(), Real{0});
  const Tensor statistics = make_statistics(query, segments, options.heads);
  const Tensor scratch = Tensor::empty({threads(), extent.scratch});
  kernels::attention_forward(out.data(), static_cast<Real*>(nullptr),
                             make_problem(inputs, segments, extent, options, statistics, scratch));

  // For each head of each sentence, with P = softmax(scale Q K^T) and the factors M of dropout:
  //   dV = (P M)^T dO,  dP = M (dO V^T),  dS = scale P (dP - rowsum(P dP)),  dQ = dS K,  dK = dS^T Q
  const std::vector<Tensor> tensors{query.matrix, key.matrix, value.matrix, options.relative};
  return op.record(out, tensors, [=](BackwardContext& context) {
    const Tensor scratch_again = Tensor::empty({threads(), extent.scratch});
    kernels::AttentionArguments problem =
        make_problem(inputs, segments, extent, options, statistics, scratch_again);
    if (sentences_meet(inputs, segments)) problem.tasks_at_a_time = problem.segment_count * problem.heads;
    const auto slots = gradient_slots(context, inputs, extent, options.relative);
    kernels::attention_backward(slots, context.output_grad(), problem);
  });
}

std::vector<Tensor> attention_weights(const ColumnSlice& query, const ColumnSlice& key,
                                      const Segments& segments, const AttentionOptions& options) {
  const Operation op("attention_weights");
  const Inputs inputs = {query, key, key};
  const Extent extent = check(op, inputs, segments, options);
  std::vector<Shape> shapes;
  Index size = 0;
  for (const Segment& s : segments) {
    shapes.push_back(Shape{options.heads, s.query_end - s.query_begin, s.key_end - s.key_begin});
    size += shapes.back().size();
  }
  const Tensor all = Tensor::zeros({size});
  const Tensor out = Tensor::empty({query.matrix.size(0), query.width});
  const Tensor statistics = make_statistics(query, segments, options.heads);
  const Tensor scratch = Tensor::empty({threads(), extent.scratch});
  AttentionOptions without_dropout = options;
  without_dropout.dropout = {};
  kernels::attention_forward(out.data(), all.data(),
                             make_problem(inputs, segments, extent, without_dropout, statistics, scratch));
  std::vector<Tensor> weights;
  Index first = 0;
  for (const Shape& shape : shapes) {
    weights.push_back(all.view(shape, first));
    first += shape.size();
  }
  return weights;
}

}}  // namespace regard::REGARD_PRECISION
