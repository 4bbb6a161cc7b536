#include "transformer/captions/patch_encoder.h"

#include "transformer/captions/image.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {
/// Config::positions are those of tokens. Patches have their places in the plane and nothing in the layers.
Config without_positions(Config config) {
  config.positions.kind = nn::PositionKind::none;
  return config;
}
}  // namespace

PatchEncoder::PatchEncoder(const Config& config, Index patch_size, Random& random)
    : patches(3, config.d_model, {.size = patch_size, .stride = patch_size}, random),
      positions(config.d_model, config.positions.base),
      dropout(config.dropout.embedding),
      stack(without_positions(config), config.encoder_layers, random) {}

Memory PatchEncoder::encode(const Source& source) {
  const Pixels pixels = read_pixels(source, patches.window.size, "the size of a patch");
  const Planes planes = places(pixels.planes, patches.window);
  const std::vector<Index> offsets = offsets_of(planes);
  const Segments images = segments(offsets, offsets);
  Tensor x = dropout(positions(patches(pixels.rows, pixels.planes), planes));
  for (EncoderLayer& layer : stack.layers) x = layer(x, images);
  return {.rows = stack.final_norm(x), .offsets = offsets, .planes = planes};
}

Index PatchEncoder::length(const Source& source, Index i) const {
  return (source.length(i) - 3) / (patches.window.size * patches.window.size);
}

void PatchEncoder::visit(nn::Visitor& visitor) {
  visitor("patches", patches);
  visitor(dropout);
  stack.visit(visitor);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
