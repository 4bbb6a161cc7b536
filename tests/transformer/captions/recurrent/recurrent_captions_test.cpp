// Models that read images with a recurrent decoder: PyTorch's numbers in double precision, and the length of
// a caption.
#include <algorithm>

#include "tests/catch.h"
#include "tests/transformer/captions/pytorch.h"
#include "tests/transformer/recurrent/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// A decoder for an encoder of images, and the model of both.
EncoderDecoder with_recurrent_decoder(std::unique_ptr<Encoder> encoder, RecurrentConfig config,
                                      Index vocabulary, std::uint64_t seed) {
  Random random(seed);
  config.bidirectional = false;
  config.embedding_dropout = config.dropout = 0;
  const Embeddings embeddings = target_embeddings(vocabulary, config.d_model, random);
  auto decoder = std::make_unique<RecurrentDecoder>(config, embeddings.target, encoder->width(),
                                                    encoder->state_widths(), random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}  // namespace

TEST_CASE("PyTorch: whole models that read images with a recurrent decoder") {
  const Fixtures fixtures("images");
  const Batch batch = batch_of_images(fixtures);
  RecurrentConfig xu = recurrent_preset("xu2015");
  xu.d_model = caption_width;
  xu.attention.doubly_stochastic = 0.7;
  const RecurrentConfig none{.d_model = caption_width, .attention = {.kind = RecurrentAttentionKind::none}};
  for (const auto& [name, config] : {std::pair{"xu2015/", xu}, {"none/", none}})
    check_against_pytorch(
        with_recurrent_decoder(small_convolutional(caption_width, 1), config, caption_vocabulary, 2), batch,
        {fixtures, name});
}

TEST_CASE("the length of a caption is limited by the positions of the memory") {
  constexpr Index memory_width = 6;
  EncoderDecoder model =
      with_recurrent_decoder(small_convolutional(memory_width, 1), {.d_model = memory_width}, 11, 6);
  model.eval();
  // Every output of the decoder is a row of ones, and only word 4 has a weight: no caption ends by itself.
  nn::Linear& output = *dynamic_cast<RecurrentDecoder&>(model.decoder()).output;
  std::ranges::fill(output.weight.values(), 0);
  std::ranges::fill(output.bias.values(), 100);
  std::ranges::fill(model.generator.weight.values(), 0);
  for (Index column = 0; column < memory_width; ++column)
    model.generator.weight.data()[4 * memory_width + column] = 100;
  const Source image = pack_images({random_image(8, 6, 1)});  // 48 pixels, 12 positions
  const SearchOptions limit{.max_length_ratio = 2, .max_length_constant = 3};
  CHECK(greedy_search(model, image, limit)[0].tokens == Ids(2 * 12 + 3, 4));
}
