#include "nn/positional_encoding.h"

#include <algorithm>
#include <cmath>

#include "autograd/error.h"
#include "autograd/ops.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {
// PE(position, 2i) = sin(position / base^(2i/d_model)), PE(position, 2i+1) = cos of the same
// (Vaswani et al. 2017, section 3.5)
Tensor encodings(Index positions, Index d_model, double base) {
  const Tensor table = Tensor::empty({positions, d_model});
  for (Index position = 0; position < positions; ++position) {
    for (Index column = 0; column < d_model; ++column) {
      const auto pair = static_cast<double>(column / 2);
      const double frequency = std::pow(base, -2 * pair / static_cast<double>(d_model));
      const double angle = static_cast<double>(position) * frequency;
      table.data()[position * d_model + column] =
          static_cast<Real>(column % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}
}  // namespace

Tensor SinusoidalPositionalEncoding::operator()(const Tensor& x, std::span<const std::int32_t> positions) {
  if (x.rank() != 2 || x.size(0) != to_index(positions.size()) || x.size(1) != d_model_)
    fail("positional encoding: x of shape {} must be [{}, {}], a row for each position", to_string(x.shape()),
         positions.size(), d_model_);
  return positions.empty() ? x : x + of(positions);
}

Tensor SinusoidalPositionalEncoding::of(std::span<const std::int32_t> positions) {
  if (positions.empty()) return Tensor::empty({0, d_model_});
  const auto [first, last] = std::ranges::minmax_element(positions);
  if (*first < 0) fail("positional encoding: position {} is negative", *first);
  const Index known = table_ ? table_.size(0) : 0;
  if (*last >= known) table_ = encodings(std::max<Index>({*last + 1, 2 * known, 128}), d_model_, base_);
  return gather(table_, 0, positions);
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
    : settings_(settings), sinusoidal_(d_model, settings.base) {
  const auto deviation = static_cast<Real>(1 / std::sqrt(static_cast<double>(d_model)));
  if (settings.kind == PositionKind::learned)
    weight = parameter(Tensor::normal({settings.most, d_model}, 0, deviation, random));
  if (settings.kind != PositionKind::none && settings.use == PositionUse::concatenated)
    projection = parameter(xavier_uniform(d_model, 2 * d_model, random));
}

Tensor PositionalEncoding::learned(std::span<const std::int32_t> positions) const {
  for (const std::int32_t position : positions)
    if (position >= weight.size(0))
      fail("position {} of a sentence was not learnt: the model knows {} positions; shorten the sentence",
           position, weight.size(0));
  return gather(weight, 0, positions);
}

Tensor PositionalEncoding::operator()(const Tensor& x, std::span<const std::int32_t> positions) {
  if (settings_.kind == PositionKind::none) return x;
  const bool is_learned = settings_.kind == PositionKind::learned;
  if (settings_.use == PositionUse::added)
    return is_learned ? x + learned(positions) : sinusoidal_(x, positions);
  return linear(concat({x, is_learned ? learned(positions) : sinusoidal_.of(positions)}, 1), projection, {});
}

void PositionalEncoding::visit(Visitor& visitor) {
  if (weight) visitor("weight", weight);
  if (projection) visitor("projection", projection);
}

}}}  // namespace regard::REGARD_PRECISION::nn
