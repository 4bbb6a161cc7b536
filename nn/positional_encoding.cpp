#include "nn/positional_encoding.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {
// sin(position / base^(2i/d_model)) for pair i, and the cosine of the same (Vaswani et al. 2017, section 3.5)
Tensor encodings(Index positions, Index d_model, double base, SinusoidLayout layout) {
  const Tensor table = Tensor::empty({positions, d_model});
  const bool interleaved = layout == SinusoidLayout::interleaved;
  const Index sines = (d_model + 1) / 2;  // an odd width has one cosine less
  for (Index position = 0; position < positions; ++position) {
    for (Index column = 0; column < d_model; ++column) {
      const auto pair = static_cast<double>(interleaved ? column / 2 : column % sines);
      const bool is_sine = interleaved ? column % 2 == 0 : column < sines;
      const double exponent = layout == SinusoidLayout::marian
                                  ? pair / std::max(static_cast<double>(d_model) / 2 - 1, 1.0)
                                  : 2 * pair / static_cast<double>(d_model);
      const double angle = static_cast<double>(position) * std::pow(base, -exponent);
      table.data()[position * d_model + column] =
          static_cast<Real>(is_sine ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

bool changes_rows(PositionKind kind) {
  return kind == PositionKind::sinusoidal || kind == PositionKind::learned;
}

void check_rows(const Tensor& x, const Tensor& encoding) {
  if (x.shape() != encoding.shape())
    fail("positional encoding: x of shape {} must be {}, a row for each position", to_string(x.shape()),
         to_string(encoding.shape()));
}
}  // namespace

Tensor SinusoidalPositionalEncoding::operator()(const Tensor& x, std::span<const std::int32_t> positions) {
  const Tensor encoding = of(positions);
  check_rows(x, encoding);
  return x + encoding;
}

Tensor SinusoidalPositionalEncoding::of(std::span<const std::int32_t> positions) {
  if (positions.empty()) return Tensor::empty({0, d_model_});
  const auto [first, last] = std::ranges::minmax_element(positions);
  if (*first < 0) fail("positional encoding: position {} is negative", *first);
  return embedding(table(*last), positions);
}

Tensor SinusoidalPositionalEncoding::table(Index last) {
  static std::mutex mutex;  // batches are translated at the same time, one on each thread
  const std::lock_guard lock(mutex);
  const Index known = table_ ? table_.size(0) : 0;
  if (last >= known)
    table_ = encodings(std::max<Index>({last + 1, 2 * known, 128}), d_model_, base_, layout_);
  return table_;
}

Tensor PlanePositionalEncoding::operator()(const Tensor& x, const Planes& planes) {
  std::vector<std::int32_t> rows, columns;
  for (const Plane& plane : planes)
    for (Index pixel = 0; pixel < plane.pixels(); ++pixel) {
      rows.push_back(static_cast<std::int32_t>(pixel / plane.width));
      columns.push_back(static_cast<std::int32_t>(pixel % plane.width));
    }
  return x + concat({rows_.of(rows), columns_.of(columns)}, 1);
}

PositionalEncoding::PositionalEncoding(Index d_model, const Settings& settings, Random& random)
    : settings_(settings), sinusoidal_(d_model, settings.base, settings.layout) {
  const auto deviation = static_cast<Real>(1 / std::sqrt(static_cast<double>(d_model)));
  if (settings.kind == PositionKind::learned)
    weight = parameter(Tensor::normal({settings.most, d_model}, 0, deviation, random));
  if (changes_rows(settings.kind) && settings.use == PositionUse::concatenated)
    projection = parameter(xavier_uniform(d_model, 2 * d_model, random));
}

Tensor PositionalEncoding::learned(std::span<const std::int32_t> positions) const {
  for (const std::int32_t position : positions)
    if (position >= weight.size(0))
      fail("position {} of a sentence was not learnt: the model knows {} positions; shorten the sentence",
           position, weight.size(0));
  return embedding(weight, positions);
}

Tensor PositionalEncoding::operator()(const Tensor& x, std::span<const std::int32_t> positions) {
  Tensor encoding;
  switch (settings_.kind) {
    case PositionKind::none:
    case PositionKind::relative:
    case PositionKind::rotary:
    case PositionKind::alibi:
      return x;
    case PositionKind::sinusoidal:
      encoding = sinusoidal_.of(positions);
      break;
    case PositionKind::learned:
      encoding = learned(positions);
      break;
  }
  check_rows(x, encoding);
  switch (settings_.use) {
    case PositionUse::added:
      return x + encoding;
    case PositionUse::concatenated:
      return linear(concat({x, encoding}, 1), projection, {});
  }
  fail("positional encoding: there is no use {}", static_cast<int>(settings_.use));
}

void PositionalEncoding::visit(Visitor& visitor) {
  if (weight) visitor("weight", weight);
  if (projection) visitor("projection", projection);
}

}}}  // namespace regard::REGARD_PRECISION::nn
