// Who sees whom: no word of a translation sees a later one, no sentence sees another.
#include <algorithm>

#include "autograd/error.h"
#include "autograd/graph.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

const std::vector<Norm> norms{Norm::post, Norm::pre, Norm::none};

EncoderDecoder model_with(Norm norm, std::uint64_t seed) {
  Config config = small_config();
  config.norm = norm;
  config.shared_embeddings = SharedEmbeddings::none;
  return make_model(config, seed);
}

/// All rows but those of one sentence.
Tensor without(const Tensor& x, const PackedSequences& packed, std::size_t sentence) {
  return concat({rows(x, 0, packed.offsets[sentence]), rows(x, packed.offsets[sentence + 1], x.size(0))}, 0);
}

}  // namespace

TEST_CASE("another word leaves every output before it as it was, to the bit") {
  for (const Norm norm : norms) {
    EncoderDecoder model = model_with(norm, 1);
    const std::vector<Ids> sources = random_sentences({4, 6}, 11, 2);
    std::vector<Ids> targets = random_sentences({7, 5}, 11, 3);
    const Batch batch = make_batch(sources, targets);
    const Tensor before = model.logits(batch);
    for (std::size_t word = 0; word < targets[0].size(); ++word) {
      std::vector<Ids> changed = targets;
      changed[0][word] = 4 + (changed[0][word] - 4 + 3) % 7;
      const Tensor after = model.logits(make_batch(sources, changed));
      // Row 0 is that of <s>, so row word + 1 is the first to see it.
      const auto first = to_index(word) + 1;
      CHECK(same_bits(rows(after, 0, first), rows(before, 0, first)));
      for (Index row = first; row < 8; ++row)
        CHECK(error(rows(after, row, row + 1), rows(before, row, row + 1)) > 1e-6);
      CHECK(same_bits(rows(after, 8, 14), rows(before, 8, 14)));  // the other sentence
    }
  }
}

TEST_CASE("every word of the source sees every other") {
  for (const Norm norm : norms) {
    EncoderDecoder model = model_with(norm, 9);
    std::vector<Ids> sources{{4, 5, 6, 7, 8}};
    const Tensor before = model.encode(pack_sources(sources)).rows,
                 logits = model.logits(make_batch(sources, {{4, 5}}));
    for (std::size_t word = 0; word < 5; ++word) {
      std::vector<Ids> changed = sources;
      changed[0][word] = 10;
      const Tensor after = model.encode(pack_sources(changed)).rows;
      for (Index row = 0; row < 6; ++row)
        CHECK(error(rows(after, row, row + 1), rows(before, row, row + 1)) > 1e-6);
      CHECK(error(model.logits(make_batch(changed, {{4, 5}})), logits) > 1e-6);
    }
  }
}

TEST_CASE("a sentence is the same alone as in company, whatever the order") {
  const std::vector<std::size_t> source_lengths{3, 9, 0, 5}, target_lengths{6, 1, 4, 0};
  const std::vector<Ids> sources = random_sentences(source_lengths, 11, 10);
  const std::vector<Ids> targets = random_sentences(target_lengths, 11, 11);
  for (const Norm norm : norms) {
    EncoderDecoder model = model_with(norm, 12);
    const Batch batch = make_batch(sources, targets);
    const Tensor memory = model.encode(batch.source).rows, logits = model.logits(batch);
    for (const std::vector<std::size_t>& order :
         std::vector<std::vector<std::size_t>>{{0}, {1}, {2}, {3}, {3, 2, 1, 0}, {1, 3, 0, 2}}) {
      std::vector<Ids> some_sources, some_targets;
      std::vector<Tensor> expected_memory, expected_logits;
      for (const std::size_t i : order) {
        some_sources.push_back(sources[i]);
        some_targets.push_back(targets[i]);
        expected_memory.push_back(rows(memory, batch.source.offsets[i], batch.source.offsets[i + 1]));
        expected_logits.push_back(
            rows(logits, batch.target_input.offsets[i], batch.target_input.offsets[i + 1]));
      }
      const Batch other = make_batch(some_sources, some_targets);
      CHECK(error(model.encode(other.source).rows, concat(expected_memory, 0)) < 1e-12);
      CHECK(error(model.logits(other), concat(expected_logits, 0)) < 1e-12);
    }
  }
}

TEST_CASE("another neighbour changes no bit") {
  EncoderDecoder model = model_with(Norm::post, 13);
  const std::vector<Ids> targets = random_sentences({3, 4, 2}, 11, 14);
  std::vector<Ids> sources = random_sentences({5, 2, 4}, 11, 15);
  const Batch batch = make_batch(sources, targets);
  const Tensor memory = model.encode(batch.source).rows, logits = model.logits(batch);
  sources[1] = {9, 9};
  const Batch other = make_batch(sources, targets);
  CHECK(
      same_bits(without(model.encode(other.source).rows, batch.source, 1), without(memory, batch.source, 1)));
  CHECK(
      same_bits(without(model.logits(other), batch.target_input, 1), without(logits, batch.target_input, 1)));
  CHECK(error(model.logits(other), logits) > 1e-6);
}

TEST_CASE("positions tell a sentence from its permutation") {
  EncoderDecoder model = model_with(Norm::post, 16);
  const Tensor memory = model.encode(pack_sources({{4, 5, 6}})).rows,
               permuted = model.encode(pack_sources({{6, 4, 5}})).rows;
  const std::vector<std::int32_t> order{2, 0, 1, 3};
  CHECK(error(permuted, gather(memory, 0, order)) > 1e-3);

  // Without them, the encoder cannot tell: its layers alone, on the embeddings.
  const auto encode = [&](const Ids& ids) {
    Tensor x = encoder_of(model).input.embedding(ids);
    for (EncoderLayer& layer : encoder_of(model).stack.layers) x = layer(x, self_segments({4}));
    return x;
  };
  CHECK(error(encode({6, 4, 5, 2}), gather(encode({4, 5, 6, 2}), 0, order)) < 1e-12);
}
