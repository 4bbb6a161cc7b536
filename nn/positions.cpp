#include "nn/positions.h"

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/alibi_positions.h"
#include "nn/learned_positions.h"
#include "nn/relative_positions.h"
#include "nn/rotary_positions.h"
#include "nn/sinusoidal_positions.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

PositionPlace place_of(PositionKind kind) {
  if (kind == PositionKind::none) return PositionPlace::nowhere;
  const bool at_input = kind == PositionKind::sinusoidal || kind == PositionKind::learned;
  return at_input ? PositionPlace::input : PositionPlace::attention;
}

std::unique_ptr<Positions> make_positions(const Positions::Settings& settings, PositionPlace place,
                                          Index d_model, Index heads, Random& random) {
  if (place_of(settings.kind) != place) return std::make_unique<Positions>();
  switch (settings.kind) {
    case PositionKind::sinusoidal:
      return std::make_unique<SinusoidalPositions>(d_model, settings.base, settings.layout);
    case PositionKind::learned:
      return std::make_unique<LearnedPositions>(settings.most, d_model, random);
    case PositionKind::none:
      return std::make_unique<Positions>();
    case PositionKind::relative:
      return std::make_unique<RelativePositions>(settings.radius, d_model / heads, random);
    case PositionKind::rotary:
      return std::make_unique<RotaryPositions>(d_model / heads, settings.base);
    case PositionKind::alibi:
      return std::make_unique<AlibiPositions>(heads);
  }
  fail("positions: there is no kind {}", static_cast<int>(settings.kind));
}

void check(const Positions::Settings& settings, Index d_k) {
  if (settings.kind == PositionKind::rotary) RotaryPositions(d_k, settings.base);
}

PositionalEncoding::PositionalEncoding(Index d_model, const Positions::Settings& settings, Random& random)
    : positions_(make_positions(settings, PositionPlace::input, d_model, 1, random)) {
  if (place_of(settings.kind) == PositionPlace::input && settings.use == PositionUse::concatenated)
    projection = parameter(xavier_uniform(d_model, 2 * d_model, random));
}

Tensor PositionalEncoding::operator()(const Tensor& x, std::span<const std::int32_t> positions) {
  const Tensor encodings = positions_->encodings(positions);
  if (!encodings) return x;
  if (x.shape() != encodings.shape())
    fail("positional encoding: x of shape {} must be {}, a row for each position", to_string(x.shape()),
         to_string(encodings.shape()));
  return projection ? linear(concat({x, encodings}, 1), projection, {}) : x + encodings;
}

void PositionalEncoding::visit(Visitor& visitor) {
  positions_->visit(visitor);
  if (projection) visitor("projection", projection);
}

}}}  // namespace regard::REGARD_PRECISION::nn
