// A score that a program writes for itself and hands to the recurrent decoder.
#include "autograd/ops.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"
#include "transformer/recurrent/recurrent_decoder.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// s . h, from the two vectors of each pair.
struct OwnDot : nn::Score {
  Tensor operator()(const Tensor& query, const Tensor& key, const KeyRanges& ranges) const override {
    const Tensor products = nn::rows_of_queries(query, ranges) * nn::rows_of_keys(key, ranges);
    return reshape(sum(products, {{-1}, false}), {ranges.pairs()});
  }
};

/// s^T (W h + b)
struct BiasedGeneral : nn::Score {
  BiasedGeneral(Index query, Index key, Random& random) : layer(key, query, random) {}
  Tensor prepare(const Tensor& key) const override { return layer(key); }
  Tensor operator()(const Tensor& query, const Tensor& prepared, const KeyRanges& ranges) const override {
    return dot_scores(query, prepared, ranges);
  }
  void visit(nn::Visitor& visitor) override { visitor("layer", layer); }

  nn::Linear layer;
};

constexpr Index words = 9;

EncoderDecoder model_with(const RecurrentAttention& attention) {
  Random random(1);
  EncoderDecoder model =
      make_recurrent({.d_model = 6, .attention = attention, .embedding_dropout = 0, .dropout = 0},
                     {.source_vocabulary = words, .target_vocabulary = words, .width = 6}, random);
  randomise(model, 2, 0.8);
  return model;
}

Batch batch() {
  return make_batch(random_sentences({3, 1, 4}, words, 3), random_sentences({2, 4, 1}, words, 4));
}

}  // namespace

TEST_CASE("a score of one's own computes what the same score of the library computes") {
  EncoderDecoder library = model_with({.score = nn::ScoreKind::dot});
  EncoderDecoder own =
      model_with({.score = nn::ScoreKind::location,  // not used
                  .own_score = [](Index, Index, Random&) { return std::make_unique<OwnDot>(); }});
  EncoderDecoder other = model_with({.score = nn::ScoreKind::cosine});
  CHECK(error(own.logits(batch()), library.logits(batch())) < 1e-12);
  CHECK(error(other.logits(batch()), library.logits(batch())) > 1e-3);
  CHECK(error(gradients(own.loss(batch()), tensors(own)).front(),
              gradients(library.loss(batch()), tensors(library)).front()) < 1e-12);
  own.eval();
  library.eval();
  const Source source = pack_sources(random_sentences({3, 2}, words, 5));
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(beam_search(own, source, {.beam = 3})[i].front().tokens ==
          beam_search(library, source, {.beam = 3})[i].front().tokens);
}

TEST_CASE("the parameters of a score of one's own are trained and have the right gradients") {
  EncoderDecoder model = model_with({.own_score = [](Index query, Index key, Random& random) {
    return std::make_unique<BiasedGeneral>(query, key, random);
  }});
  const std::vector<std::string> all = names(model);
  CHECK(std::ranges::count(all, "decoder.attention.score.layer.weight") == 1);
  const GradcheckResult result =
      gradcheck([&](const std::vector<Tensor>&) { return model.loss(batch()); }, tensors(model));
  INFO(result.worst);
  CHECK(result.passed);
}
