#include "autograd/ops/attention.h"

#include <algorithm>
#include <array>

#include "autograd/blas.h"
#include "autograd/checked_cast.h"
#include "autograd/kernels/attention.h"
#include "autograd/operation.h"
#include "autograd/ops/dropout.h"
#include "autograd/parallel.h"

namespace regard { inline namespace REGARD_PRECISION {

ColumnSlice::ColumnSlice(const Tensor& whole)
    : ColumnSlice(whole, 0, whole.rank() == 2 ? whole.size(1) : 0) {}

ColumnSlice::ColumnSlice(const Tensor& whole, Index first_column, Index columns)
    : matrix(whole), first(first_column), width(columns) {
  if (whole.rank() != 2 || first < 0 || width < 0 || first + width > whole.size(1))
    fail("ColumnSlice: columns {} to {} do not lie within shape {}; expected [rows, columns]", first,
         first + width, to_string(whole.shape()));
}

namespace {

/// Rows that the segments cover; the lists must ascend and not overlap.
struct Coverage {
  Index queries = 0, keys = 0;
};

Coverage check_segments(const Operation& op, const Segments& segments, Index query_rows, Index key_rows) {
  Coverage covered;
  Index query_end = 0, key_end = 0;
  for (const Segment& s : segments) {
    if (s.query_begin < query_end || s.query_end < s.query_begin || s.key_begin < key_end ||
        s.key_end < s.key_begin || s.query_end > query_rows || s.key_end > key_rows)
      op.fail(
          "the sentence with queries {} to {} and keys {} to {} overlaps the one before or lies "
          "outside {} query rows and {} key rows",
          s.query_begin, s.query_end, s.key_begin, s.key_end, query_rows, key_rows);
    query_end = s.query_end;
    key_end = s.key_end;
    covered.queries += s.query_end - s.query_begin;
    covered.keys += s.key_end - s.key_begin;
  }
  return covered;
}

Coverage check(const Operation& op, const ColumnSlice& query, const ColumnSlice& key,
               const ColumnSlice& value, const Segments& segments, const AttentionOptions& options) {
  if (query.width != key.width || query.width != value.width || key.matrix.size(0) != value.matrix.size(0))
    op.fail(
        "query [{}, {}], key [{}, {}] and value [{}, {}] do not fit: the widths must be equal, "
        "and "
        "the rows of key and value",
        query.matrix.size(0), query.width, key.matrix.size(0), key.width, value.matrix.size(0), value.width);
  if (options.heads < 1 || query.width % options.heads != 0)
    op.fail("{} heads do not divide the width {}", options.heads, query.width);
  check_dropout(op, options.dropout);
  return check_segments(op, segments, query.matrix.size(0), key.matrix.size(0));
}

kernels::ConstMatrix columns(const ColumnSlice& slice) {
  return {slice.matrix.data() + slice.first, slice.matrix.size(1)};
}

/// A kernel's description of the work, with scratch memory for every thread.
struct Problem {
  Problem(const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
          const Segments& segments, const AttentionOptions& options) {
    Index stride = 0, longest = 1;
    for (const Segment& sentence : segments) {
      stride = std::max(stride, kernels::attention_scratch(sentence, query.width / options.heads));
      longest = std::max(longest, sentence.query_end - sentence.query_begin);
    }
    scratch = Tensor::empty({threads(), stride});
    blas::load();
    kernel = {columns(query),
              columns(key),
              columns(value),
              segments.data(),
              to_index(segments.size()),
              options.heads,
              query.width / options.heads,
              query.matrix.size(0),
              options.causal,
              options.dropout,
              std::clamp<Index>(256 / longest, 1, 8),  // of long sentences each head is work enough
              scratch.data(),
              stride};
  }

  Tensor scratch;
  kernels::Attention kernel{};
};

kernels::AttentionStatistics statistics_of(const Tensor& statistics) {
  return {statistics.data(), statistics.data() + statistics.size() / 2};
}

bool overlap(const ColumnSlice& a, const ColumnSlice& b) {
  return a.matrix.node() == b.matrix.node() && a.first < b.first + b.width && b.first < a.first + a.width;
}

/// Overlap, but not as the same columns: one head's gradient falls on the columns of another head.
bool shifted(const ColumnSlice& a, const ColumnSlice& b) { return overlap(a, b) && a.first != b.first; }

/// Whether gradients of two tasks (a sentence and a head each) fall on the same numbers: then no two threads
/// may work at the same time.
bool tasks_meet(const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
                const Segments& segments) {
  if (shifted(query, key) || shifted(query, value) || shifted(key, value)) return true;
  // One sentence's queries may be rows of another's keys.
  return (overlap(query, key) || overlap(query, value)) &&
         std::ranges::any_of(segments, [](const Segment& s) {
           return s.query_begin != s.key_begin || s.query_end != s.key_end;
         });
}

/// For the profile: each product multiplies, in each head, every query of a block of queries with every key
/// that some query of the block may see. That is what the kernels compute; a causal mask hides a part of it.
void count_products(int products, Index width, const Segments& segments, const AttentionOptions& options) {
  if (!profiling()) return;
  Index pairs = 0;
  for (const Segment& s : segments) {
    for (Index first = s.query_begin; first < s.query_end; first += kernels::attention_query_block) {
      const Index end = std::min(first + kernels::attention_query_block, s.query_end);
      const Index hidden = options.causal ? s.query_end - end : 0;
      pairs += (end - first) * std::max<Index>(s.key_end - s.key_begin - hidden, 0);
    }
  }
  count_flops(2.0 * products * static_cast<double>(pairs * width));
}

/// Where the gradients of query, key and value go. They may be columns of one matrix, whose slot must then
/// be fetched once; if they leave a part of it unwritten, or overlap, it starts as zeros and all add.
std::array<kernels::GradColumns, 3> gradient_columns(BackwardContext& context,
                                                     const std::array<ColumnSlice, 3>& inputs,
                                                     const std::array<bool, 3>& all_rows) {
  std::array<kernels::GradColumns, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (result[i].slot) continue;
    GradSlot slot = context.input_grad(i);
    if (!slot) continue;
    Index written = 0;
    bool complete = true, meet = false;
    for (std::size_t j = i; j < 3; ++j) {
      if (inputs[j].matrix.node() != inputs[i].matrix.node()) continue;
      written += inputs[j].width;
      complete = complete && all_rows[j];
      for (std::size_t k = i; k < j; ++k) meet = meet || overlap(inputs[k], inputs[j]);
    }
    const Tensor& matrix = inputs[i].matrix;
    if (!slot.add && (!complete || meet || written != matrix.size(1))) {
      std::fill_n(slot.data, matrix.size(), Real{0});
      slot.add = true;
    }
    for (std::size_t j = i; j < 3; ++j)
      if (inputs[j].matrix.node() == matrix.node())
        result[j] = {{slot.data + inputs[j].first, slot.add}, matrix.size(1)};
  }
  return result;
}

}  // namespace

Tensor attention(const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
                 const Segments& segments, const AttentionOptions& options) {
  const Operation op("attention");
  const Coverage covered = check(op, query, key, value, segments, options);
  const Index rows = query.matrix.size(0), keys = key.matrix.size(0);
  const Tensor out = Tensor::empty({rows, query.width});
  if (covered.queries != rows) std::ranges::fill(out.values(), Real{0});
  const Tensor statistics = Tensor::empty({2, options.heads, rows});
  const Problem problem(query, key, value, segments, options);
  count_products(2, query.width, segments, options);
  kernels::attention_forward(out.data(), statistics_of(statistics), static_cast<Real*>(nullptr),
                             problem.kernel);

  const std::array<bool, 3> all_rows{covered.queries == rows, covered.keys == keys, covered.keys == keys};
  return op.record(out, {query.matrix, key.matrix, value.matrix}, [=](BackwardContext& context) {
    Problem again(query, key, value, segments, options);
    if (tasks_meet(query, key, value, segments))
      again.kernel.tasks_at_a_time = again.kernel.segment_count * options.heads;
    const auto [dquery, dkey, dvalue] = gradient_columns(context, {query, key, value}, all_rows);
    const int gradients = (dquery.slot ? 1 : 0) + (dkey.slot ? 1 : 0) + (dvalue.slot ? 1 : 0);
    count_products(2 + gradients, query.width, segments, options);  // 2: the scores again, and dO V^T
    kernels::attention_backward(dquery, dkey, dvalue, context.output_grad(), statistics_of(statistics),
                                again.kernel);
  });
}

std::vector<Tensor> attention_weights(const ColumnSlice& query, const ColumnSlice& key,
                                      const Segments& segments, const AttentionOptions& options) {
  const Operation op("attention_weights");
  check(op, query, key, key, segments, options);
  std::vector<Shape> shapes;
  Index size = 0;
  for (const Segment& s : segments) {
    shapes.push_back(Shape{options.heads, s.query_end - s.query_begin, s.key_end - s.key_begin});
    size += shapes.back().size();
  }
  const Tensor all = Tensor::zeros({size});
  const Tensor out = Tensor::empty({query.matrix.size(0), query.width});
  const Tensor statistics = Tensor::empty({2, options.heads, query.matrix.size(0)});
  const Problem problem(query, key, key, segments, {options.heads, options.causal, {}});
  count_products(2, query.width, segments, options);
  kernels::attention_forward(out.data(), statistics_of(statistics), all.data(), problem.kernel);
  std::vector<Tensor> weights;
  Index first = 0;
  for (const Shape& shape : shapes) {
    weights.push_back(all.view(shape, first));
    first += shape.size();
  }
  return weights;
}

}}  // namespace regard::REGARD_PRECISION
