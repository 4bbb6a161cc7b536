// Decoding with caches: a decoder without layers, the memory of the caches, and what is refused.
#include "autograd/machine/error.h"
#include "tests/transformer/checked_decoding.h"

using namespace regard;
using namespace regard::tests;

namespace {

EncoderDecoder evaluated(std::uint64_t seed) {
  EncoderDecoder model = make_model(small_config(), seed);
  model.eval();
  return model;
}

}  // namespace

TEST_CASE("a decoder without layers gives the same step by step as all at once") {
  Config config = small_config();
  config.decoder_layers = 0;
  Random random(1);
  const Embeddings embeddings =
      make_embeddings({.source_vocabulary = 11, .target_vocabulary = 11, .width = config.d_model}, random);
  EncoderDecoder model(std::make_unique<TransformerEncoder>(config, embeddings.source, random),
                       std::make_unique<TransformerDecoder>(config, embeddings.target, random),
                       embeddings.generator);
  model.eval();
  Checked decoder(model, random_sentences({4, 3}, 11, 2));
  decoder.advance({{0, {1}}, {1, {1, 4}}});
  decoder.advance({{0, {5, 6}}, {1, {7}}});
  CHECK(decoder.worst() < 1e-12);
}

TEST_CASE("cache rows that nobody uses are dropped, and the others still hold the right numbers") {
  EncoderDecoder model = evaluated(22);
  // 20 hypotheses and 60 steps: 1,200 rows of 2 layers, 16 numbers each, if all are kept.
  constexpr std::size_t all_rows = 1200 * 2 * 16 * sizeof(Real);
  const auto growth = [&](bool one_parent) {
    Checked decoder(model, random_sentences({5}, 11, 23));
    const std::size_t before = memory_statistics().in_use;
    Random random(24);
    for (int step = 0; step < 60; ++step) {
      const auto survivor = to_index(random.below(decoder.hypotheses()));
      std::vector<Continuation> continuations;
      for (Index i = 0; i < 20; ++i)
        continuations.push_back({step == 0 ? 0 : one_parent ? survivor : i, random_sentence(1, 11, random)});
      decoder.advance(continuations);
    }
    CHECK(decoder.worst() < 1e-12);
    CHECK(decoder.length() == 60);
    return memory_statistics().in_use - before;
  };
  CHECK(growth(true) < all_rows / 2);
  CHECK(growth(false) >= all_rows);
}

TEST_CASE("what cannot be continued is refused, and the decoder goes on from where it was") {
  EncoderDecoder model = evaluated(28);
  const std::vector<Ids> sources = random_sentences({4, 3}, 11, 29);
  const std::unique_ptr<DecodingState> decoder = model.begin(pack_sources(sources));
  decoder->advance({{0, {1}}, {1, {1}}, {1, {1}}});
  CHECK_ERROR(decoder->advance({{0, {4}}, {3, {4}}}), "there is no hypothesis 3 to continue, only 3");
  CHECK_ERROR(decoder->advance({{-1, {4}}}), "there is no hypothesis -1");
  CHECK_ERROR(decoder->advance({{0, {4}}, {1, {}}}), "a continuation of hypothesis 1 has no token");
  CHECK_ERROR(decoder->advance({{2, {4}}, {0, {4}}}), "sentence 0 comes after sentence 1");
  const Tensor got = decoder->advance({{0, {4}}, {2, {5}}, {1, {6}}});
  CHECK(error(got, concat({full(model, sources[0], {1, 4}, 1), full(model, sources[1], {1, 5}, 1),
                           full(model, sources[1], {1, 6}, 1)},
                          0)) < 1e-12);
  CHECK(error(rows(got, 0, 1), full(model, sources[0], {1, 5}, 1)) > 1e-3);
}
