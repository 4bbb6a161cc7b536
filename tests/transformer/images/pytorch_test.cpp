// Whole models that read images: the same numbers as PyTorch in double precision
// (tests/fixtures/README.md says what is in the file).
#include <map>

#include "tests/catch.h"
#include "tests/transformer/images/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

const std::map<std::string, Tensor>& fixtures() {
  static const auto all = nn::load_safetensors(REGARD_FIXTURES "/pytorch/images.safetensors");
  return all;
}
const Tensor& fixture(const std::string& name) { return fixtures().at(name); }

// The numbers of make_image_fixtures.py.
const Planes planes{{8, 6}, {4, 4}, {6, 10}};
constexpr Index vocabulary = 12, width = 4;
constexpr double lambda = 0.7;

Batch captions() {
  std::vector<Image> images;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    Image image{.height = planes[i].height, .width = planes[i].width};
    for (const Real value : fixture("image_" + std::to_string(i)).values())
      image.pixels.push_back(static_cast<std::uint8_t>(value));
    images.push_back(image);
  }
  Batch batch = make_batch({{4}, {4}, {4}}, {{9, 4, 11, 6}, {5, 5, 8, 10, 7, 4}, {11}});
  batch.source = pack_images(images);
  return batch;
}

void check_model(const std::string& name, EncoderDecoder model) {
  const Batch batch = captions();
  check_against_pytorch(model, batch, name, fixtures());
  CHECK(error(model.encode(batch.source).rows, fixture(name + "/memory")) < 1e-12);
}

}  // namespace

TEST_CASE("PyTorch: whole models that read images") {
  RecurrentConfig xu = recurrent_preset("xu2015");
  xu.d_model = width;
  xu.attention.doubly_stochastic = lambda;
  check_model("xu2015", with_recurrent_decoder(small_convolutional(width, 1), xu, vocabulary, 2));
  const RecurrentConfig none{.d_model = width, .attention = {.kind = RecurrentAttentionKind::none}};
  check_model("none", with_recurrent_decoder(small_convolutional(width, 1), none, vocabulary, 2));
  Config vit = small_vit();
  vit.d_model = width;
  vit.d_ff = 6;
  check_model("vit", make_vit(vit, 2, vocabulary, 1));
}
