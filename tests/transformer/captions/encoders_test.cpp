// Encoders of images: what the memory is, that images do not see each other, and what is refused.
#include <algorithm>
#include <memory>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "tests/catch.h"
#include "tests/transformer/captions/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr Index memory_width = 6;

std::unique_ptr<Encoder> make_encoder(bool convolutional) {
  if (convolutional) return small_convolutional(memory_width, 1);
  Random random(1);
  Config config = small_vit();
  config.d_model = memory_width;
  return std::make_unique<PatchEncoder>(config, 2, random);
}

const std::vector<Image>& images() {
  static const std::vector<Image> all{random_image(8, 6, 1), random_image(4, 4, 2), random_image(6, 10, 3)};
  return all;
}

/// The largest difference of the features of an image alone from those in the company of others.
template <class Features>
double company(const Features& features) {
  const Memory together = features(pack_images(images()));
  double worst = 0;
  for (std::size_t i = 0; i < images().size(); ++i)
    worst = std::max(worst, error(features(pack_images({images()[i]})).rows,
                                  rows(together.rows, together.offsets[i], together.offsets[i + 1])));
  return worst;
}

/// Every column without its mean over all rows, divided by its deviation: a batch norm.
Tensor batch_norm(const Tensor& x) {
  const Tensor centred = x - mean(x, {.axes = {0}, .keep_axes = true});
  return centred / sqrt(mean(centred * centred, {.axes = {0}, .keep_axes = true}) + Tensor::scalar(1e-5));
}

}  // namespace

TEST_CASE("the memory of an image has a row for each position of its plane") {
  for (const bool convolutional : {true, false}) {
    const auto encoder = make_encoder(convolutional);
    const Memory memory = encoder->encode(pack_images(images()));
    CHECK(memory.rows.shape() == Shape{12 + 4 + 15, memory_width});
    CHECK(memory.offsets == std::vector<Index>{0, 12, 16, 31});
    CHECK(memory.planes == Planes{{4, 3}, {2, 2}, {3, 5}});
    CHECK(memory.final_states.empty());
    for (Index i = 0; i < 3; ++i)
      CHECK(encoder->length(pack_images(images()), i) == memory.planes[to_size(i)].pixels());
  }
}

TEST_CASE("the features of an image do not depend on its company; with a batch norm they do") {
  for (const bool convolutional : {true, false}) {
    const auto encoder = make_encoder(convolutional);
    CHECK(company([&](const Source& source) { return encoder->encode(source); }) < 1e-13);
  }
  const auto encoder = small_convolutional(memory_width, 1);
  CHECK(company([&](const Source& source) {
          const Pixels pixels = read_pixels(source, 2, "");
          const ConvolutionalLayer& layer = encoder->layers.front();
          const Planes planes = places(pixels.planes, layer.conv.window);
          return Memory{.rows = batch_norm(layer.conv(pixels.rows, pixels.planes)),
                        .offsets = offsets_of(planes)};
        }) > 0.01);
}

TEST_CASE("an image that is moved in its plane gives other features: they know their place") {
  // An image of one colour has equal pixels everywhere; without positions, the positions in its middle would
  // have equal rows.
  Image grey{.height = 12, .width = 12, .pixels = std::vector<std::uint8_t>(3 * 144, 100)};
  for (const bool convolutional : {true, false}) {
    const auto encoder = make_encoder(convolutional);
    const Tensor memory = encoder->encode(pack_images({grey})).rows;
    const Tensor middle = rows(memory, 14, 15);
    CHECK(error(rows(memory, 15, 16), middle) > 1e-3);  // the next column
    CHECK(error(rows(memory, 20, 21), middle) > 1e-3);  // the next row
  }
}

TEST_CASE("patches have their places in the plane, whatever positions the tokens have") {
  const auto memory = [](nn::PositionKind kind) {
    Config config = small_vit();
    config.positions.kind = kind;
    Random random(1);
    PatchEncoder encoder(config, 2, random);
    return encoder.encode(pack_images({random_image(4, 6, 2)})).rows;
  };
  for (const nn::PositionKind kind :
       {nn::PositionKind::relative, nn::PositionKind::rotary, nn::PositionKind::alibi})
    CHECK(same_bits(memory(kind), memory(nn::PositionKind::sinusoidal)));
}

TEST_CASE("encoders of images refuse other sizes, and sources that are no images") {
  for (const bool convolutional : {true, false}) {
    const auto encoder = make_encoder(convolutional);
    const std::string message = MESSAGE_OF(encoder->encode(pack_images({random_image(4, 7, 1)})));
    CHECK_THAT(message, ContainsSubstring("4 x 7 pixels") && ContainsSubstring("multiples of 2"));
    CHECK_ERROR(encoder->encode(pack_sources({{4, 5, 6}})), "4 entries is not an image of 4 x 5 pixels");
    CHECK_ERROR(encoder->encode(pack_sources({{5}})), "2 entries");
  }
  Random random(1);
  const auto refused = [&](const ImageConfig& image) {
    return MESSAGE_OF(ConvolutionalEncoder({.image = image, .width = 4}, random));
  };
  CHECK_THAT(refused({.channels = {3, 4}, .strides = {2}}),
             ContainsSubstring("image.channels has 2 entries") && ContainsSubstring("image.strides 1"));
  CHECK_CONTAINS(refused({.channels = {}, .strides = {}}), "at least one");
  CHECK_CONTAINS(refused({.channels = {3}, .strides = {2}, .window = 4}), "image.window is 4");
  CHECK_CONTAINS(refused({.channels = {3}, .strides = {4}}), "image.strides has 4");
  CHECK_CONTAINS(refused({.channels = {0}, .strides = {1}}), "image.channels has 0");
  CHECK_CONTAINS(refused({.patch_size = 0}), "image.patch_size is 0");
}
