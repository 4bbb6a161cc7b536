// The benchmark compares a training with the operations of all matrix products in a step.
#include "apps/bench/train_bench.h"
#include "autograd/random.h"
#include "autograd/tensor.h"
#include "tests/apps/support.h"
#include "tests/catch.h"
#include "transformer/encoder_decoder.h"

using namespace regard::bench;
using regard::Index;
using regard::transformer::Config;

namespace {

const Config small{.source_vocabulary = 5,
                   .target_vocabulary = 5,
                   .d_model = 2,
                   .heads = 1,
                   .d_ff = 3,
                   .encoder_layers = 1,
                   .decoder_layers = 2};

}  // namespace

TEST_CASE("the operations of a step, counted by hand", "[bench]") {
  // 7 source tokens, 11 target tokens. Multiplications of one forward pass:
  const int encoder = 7 * 2 * 6                   // queries, keys and values
                      + 7 * 2 * 2                 // output of attention
                      + 7 * 2 * 3                 // feed-forward, in
                      + 7 * 3 * 2;                // and out
  const int decoder = 11 * 2 * 6                  // queries, keys and values
                      + 11 * 2 * 2                // output of self-attention
                      + 11 * 2 * 2                // queries to the memory
                      + 7 * 2 * 4                 // keys and values of the memory
                      + 11 * 2 * 2                // output of cross-attention
                      + 11 * 2 * 3 + 11 * 3 * 2;  // feed-forward
  const int projection = 11 * 2 * 5;
  // Each multiplication has one addition. Each product has one product in the forward pass and two in the
  // backward.
  CHECK(floor_flops(small, 7, 11) == 3 * 2 * (encoder + 2 * decoder + projection));
  CHECK(floor_flops(small, 0, 0) == 0);
}

TEST_CASE("each weight is multiplied with each of its tokens", "[bench]") {
  Config config = small;
  config.source_vocabulary = config.target_vocabulary = 30;
  config.d_model = 8;
  config.heads = 2;
  config.d_ff = 20;
  config.shared_embeddings = regard::transformer::SharedEmbeddings::none;
  regard::Random random(1);
  regard::transformer::EncoderDecoder model = make_transformer(config, random);
  const Index source = 50, target = 70;
  double expected = 0;
  for (const auto& [name, tensor] : model.parameters()) {
    if (tensor.rank() != 2 || regard::tests::contains(name, "embed")) continue;
    const double size = static_cast<double>(tensor.size());
    if (regard::tests::contains(
            name, "multihead_attn.in_proj"))  // one third for queries, two thirds for the memory
      expected += size / 3 * target + size * 2 / 3 * source;
    else
      expected += size * static_cast<double>(name.starts_with("encoder") ? source : target);
  }
  CHECK(floor_flops(config, source, target) == Approx(6 * expected).epsilon(1e-12));
}

TEST_CASE("speeds and sizes are measured", "[bench]") {
  CHECK(floor_seconds(small, 7, 11) > 0);
  CHECK(product_speed() > 0);
  constexpr Index numbers = 20'000'000;
  const regard::Tensor large = regard::Tensor::full({numbers}, 1);
  CHECK(peak_memory() > numbers * sizeof(float));
  CHECK(peak_memory() < 64e9);
}
