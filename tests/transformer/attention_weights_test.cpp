// Attention weights on request: of every layer and sentence, each row a distribution, nothing from the
// future.
#include <algorithm>

#include "tests/catch.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// weights[heads, queries, keys]: every row sums to 1 and holds no negative number.
void check_distributions(const Tensor& weights, const Shape& shape) {
  REQUIRE(weights.shape() == shape);
  CHECK(error(sum(weights, {.axes = {-1}}), Tensor::full({shape[0], shape[1]}, 1)) < 1e-14);
  CHECK(std::ranges::none_of(weights.values(), [](Real weight) { return weight < 0; }));
}

}  // namespace

TEST_CASE("attention weights of a whole model") {
  const std::vector<Index> source_lengths{4, 2, 7}, target_lengths{3, 6, 1};  // with </s> and <s>
  const Batch batch = make_batch(random_sentences({3, 1, 6}, 11, 1), random_sentences({2, 5, 0}, 11, 2));
  Config config = small_config();
  config.heads = 4;
  config.encoder_layers = 3;
  EncoderDecoder model = make_model(config, 3, 1.0);
  AttentionWeights weights;
  const Memory memory = model.encode(batch.source, &weights);
  const Tensor hidden = model.decode(batch.target_input, memory, &weights);

  REQUIRE(weights.encoder_self.size() == 3);
  for (const auto& layer : weights.encoder_self) {
    REQUIRE(layer.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      check_distributions(layer[i], {4, source_lengths[i], source_lengths[i]});
      CHECK(std::ranges::none_of(layer[i].values(), [](Real weight) { return weight == 0; }));  // no mask
    }
  }
  REQUIRE(weights.decoder_self.size() == 2);
  REQUIRE(weights.memory.size() == 2);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const LayerAttention &self = weights.decoder_self[layer], &to_memory = weights.memory[layer];
    REQUIRE(self.size() == 3);
    REQUIRE(to_memory.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const Index n = target_lengths[i];
      check_distributions(self[i], {4, n, n});
      check_distributions(to_memory[i], {4, n, source_lengths[i]});
      for (Index entry = 0; entry < 4 * n * n; ++entry) {
        const Index query = entry / n % n, key = entry % n;
        CHECK((self[i].data()[entry] == 0) == (key > query));
      }
      CHECK(std::ranges::none_of(to_memory[i].values(), [](Real weight) { return weight == 0; }));
    }
  }

  CHECK(same_bits(memory.rows, model.encode(batch.source).rows));  // asking changes nothing
  CHECK(same_bits(hidden, model.decode(batch.target_input, memory)));
  CHECK_FALSE(same_bits(weights.encoder_self[0][2], weights.encoder_self[1][2]));
}

TEST_CASE("attention weights are reported without dropout, and asking for them draws no random numbers") {
  Config config = small_config();
  config.dropout.attention = 0.5;
  EncoderDecoder model = make_model(config, 4);
  const PackedSequences source = pack_sources({{4, 5, 6}});
  model.set_random(1, 1);
  const Tensor expected = model.encode(source).rows;
  model.set_random(1, 1);
  AttentionWeights weights;
  CHECK(same_bits(model.encode(source, &weights).rows, expected));
  check_distributions(weights.encoder_self[0][0], {2, 4, 4});
}
