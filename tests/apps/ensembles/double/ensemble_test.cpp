// Ensembles against all translations, whose probabilities plain loops compute.
#include "apps/ensembles/ensemble.h"

#include "autograd/machine/error.h"
#include "tests/apps/ensembles/double/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// Models of one vocabulary; the second is narrower and has a bias.
std::vector<EncoderDecoder> different_models(std::size_t count, std::uint64_t seed) {
  std::vector<EncoderDecoder> models;
  while (models.size() < count) {
    Config config = small_config();
    config.source_vocabulary = config.target_vocabulary = ensemble_vocabulary;
    config.encoder_layers = config.decoder_layers = 1;
    config.shared_embeddings = SharedEmbeddings::none;
    if (models.size() == 1) config.d_model = 4;
    config.generator_bias = models.size() == 1;
    models.push_back(make_model(config, seed + 10 * models.size(), 1.0));
    models.back().eval();
  }
  return models;
}

const std::vector<Ids> ensemble_sources{{4, 5, 3}, {5}};

}  // namespace

TEST_CASE("a search with an ensemble finds the translations with the greatest mean probabilities") {
  for (const std::size_t count : {1, 2, 3}) {
    std::vector<EncoderDecoder> models = different_models(count, 1);
    check_ensemble(models, ensemble_sources);
  }
}

TEST_CASE("the mean of log-probabilities, and the models alone, have other rankings") {
  std::vector<EncoderDecoder> models = different_models(2, 1), first = different_models(1, 1);
  const Ids& source = ensemble_sources.front();
  const std::vector<Scored> expected = ensemble_ranking(models, source);
  const auto differs = [&](const std::vector<Scored>& ranking) {
    bool other = false;
    for (std::size_t i = 0; i < ranking.size(); ++i) other = other || ranking[i].tokens != expected[i].tokens;
    return other && std::abs(ranking.front().score - expected.front().score) > 1e-3;
  };
  CHECK(differs(ensemble_ranking(models, source, true)));
  CHECK(differs(ensemble_ranking(first, source)));
}

TEST_CASE("scores of an ensemble are those of plain loops, and its loss is their mean") {
  std::vector<EncoderDecoder> models = different_models(3, 2);
  EncoderDecoder ensemble = ensemble_of(pointers_to(models));
  const std::vector<Ids> targets{{3, 4}, {5, 5, 4}};
  const Batch batch = make_batch(ensemble_sources, targets);
  const auto scores = score(ensemble, batch);
  double sum = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    CHECK(scores[i].log_probability ==
          Approx(naive_ensemble(models, ensemble_sources[i], targets[i])).epsilon(1e-12));
    sum -= scores[i].log_probability;
  }
  CHECK(ensemble.loss(batch).item() == Approx(sum / 7).epsilon(1e-12));
}

TEST_CASE("the same model several times is the model alone, to the last bit") {
  std::vector<EncoderDecoder> models = different_models(2, 3);
  for (EncoderDecoder& model : models)
    for (const std::size_t times : {2, 3}) {
      EncoderDecoder ensemble = ensemble_of(std::vector<EncoderDecoder*>(times, &model));
      const Batch batch = make_batch(ensemble_sources, {{3, 4}, {5, 5, 4}});
      const Tensor alone = model.logits(batch), together = ensemble.logits(batch);
      CHECK(std::ranges::equal(alone.values(), together.values()));
      const PackedSequences sources = pack_sources(ensemble_sources);
      const SearchOptions options{.beam = 3, .n_best = 3, .repetition_penalty = 1.2};
      const auto expected = beam_search(model, sources, options);
      const auto found = beam_search(ensemble, sources, options);
      for (std::size_t i = 0; i < found.size(); ++i)
        for (std::size_t k = 0; k < found[i].size(); ++k) {
          CHECK(found[i][k].tokens == expected[i][k].tokens);
          CHECK(found[i][k].score == expected[i][k].score);
        }
    }
}

TEST_CASE("a token that never comes in one model may come in another; in both, it never does") {
  std::vector<EncoderDecoder> models = different_models(2, 4);
  for (EncoderDecoder& model : models) model.generator.bias = Tensor::zeros({ensemble_vocabulary});
  models[0].generator.bias.data()[5] = never_predicted;
  check_ensemble(models, ensemble_sources);
  models[1].generator.bias.data()[5] = never_predicted;
  EncoderDecoder ensemble = ensemble_of(pointers_to(models));
  const auto found = beam_search(ensemble, pack_sources({{5, 5}}), {.beam = 9, .n_best = 9});
  for (const auto& hypothesis : found.front()) CHECK(std::ranges::count(hypothesis.tokens, 5) == 0);
}

TEST_CASE("ensembles of no model, and of other vocabularies, are refused") {
  EncoderDecoder model = opinionated_model(6, 1), other = opinionated_model(7, 1);
  CHECK_ERROR(ensemble_of({}), "ensemble: there is no model");
  CHECK_ERROR(ensemble_of({&model, &other}), "the target vocabularies have 6 and 7 entries");
}
