// The benchmark compares a training with the operations of all matrix products in a step.
#include "apps/bench/train_bench.h"
#include "apps/translation/model/make_model.h"
#include "autograd/random.h"
#include "autograd/tensor.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::bench;
using regard::Index;
using regard::tests::contains;
using regard::translation::ModelSettings;

namespace {

constexpr Index vocabulary_size = 5;
constexpr BatchSize small_batch{.sentences = 3, .source_tokens = 7, .target_tokens = 11};

ModelSettings model_of(const std::string& preset, const std::vector<std::string>& overrides) {
  ModelSettings result = model_to_train({.preset = preset, .overrides = overrides}).model;
  result.config.source_vocabulary = result.config.target_vocabulary = vocabulary_size;
  return result;
}

ModelSettings small_transformer() {
  return model_of("toy", {"model.d_model=2", "model.heads=1", "model.d_ff=3", "model.encoder_layers=1"});
}

double step_flops(const ModelSettings& settings) { return floor_flops(step_products(settings, small_batch)); }

// Each multiplication has one addition. Each product has one product in the forward pass and two in the
// backward.
constexpr int per_multiplication = 3 * 2;

}  // namespace

TEST_CASE("the operations of a step of a Transformer, counted by hand", "[bench]") {
  // Multiplications of one forward pass:
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
  CHECK(step_flops(small_transformer()) == per_multiplication * (encoder + 2 * decoder + projection));
  CHECK(floor_flops(step_products(small_transformer(), {})) == 0);
}

TEST_CASE("the operations of a step of Bahdanau's model, counted by hand", "[bench]") {
  const int encoder = 2 * (7 * 4 * 6      // two directions of width 2: three gates from the embeddings
                           + 7 * 2 * 6);  // and from the state
  const int first_state = 3 * 2 * 4;      // from the backward direction, once per sentence
  const int score = 11 * 4 * 4            // W s
                    + 7 * 4 * 4;          // U h, once per source token
  const int decoder = 11 * 8 * 12         // gates from [y; c]
                      + 11 * 4 * 12       // and from the state
                      + 11 * 12 * 4;      // output from [s; c; y]
  const int projection = 11 * 4 * 5;
  CHECK(step_flops(model_of("bahdanau2015", {"model.d_model=4"})) ==
        per_multiplication * (encoder + first_state + score + decoder + projection));
}

TEST_CASE("the operations of a step of Luong's model with two layers, counted by hand", "[bench]") {
  const int encoder = 4 * (7 * 4 * 16);    // two layers: four gates from the layer below, and from the state
  const int decoder = 11 * 8 * 16          // gates from [y; o], with input feeding
                      + 3 * (11 * 4 * 16)  // from the first state, the first layer and the second state
                      + 11 * 4 * 4         // W s of the score `general`
                      + 11 * 8 * 4;        // output from [s; c]
  const int projection = 11 * 4 * 5;
  // The decoder begins with the encoder's last states, so there are no layers for the first states.
  CHECK(step_flops(
            model_of("luong2015", {"model.d_model=4", "model.encoder_layers=2", "model.decoder_layers=2"})) ==
        per_multiplication * (encoder + decoder + projection));
}

namespace {

/// The tokens (or sentences) with which a forward pass multiplies each row of a weight.
double rows_of_weight(const std::string& name, const BatchSize& batch) {
  if (contains(name, "first_layers")) return static_cast<double>(batch.sentences);
  // One third makes queries, two thirds make keys and values of the memory.
  if (contains(name, "multihead_attn.in_proj"))
    return (static_cast<double>(batch.target_tokens) + 2.0 * static_cast<double>(batch.source_tokens)) / 3;
  const bool of_memory = contains(name, "key_weight");
  return static_cast<double>(name.starts_with("encoder") || of_memory ? batch.source_tokens
                                                                      : batch.target_tokens);
}

/// The operations of a step, from the parameters of the model that is made of the settings.
double flops_of_parameters(const ModelSettings& settings, const BatchSize& batch = small_batch) {
  regard::translation::TokenCounts counts;
  counts.add("word");
  const auto vocabulary = regard::translation::Vocabulary::from_counts(counts);
  REQUIRE(vocabulary.size() == vocabulary_size);
  regard::translation::Settings all;
  all.model = settings;
  regard::transformer::EncoderDecoder made =
      regard::translation::make_model(all, {vocabulary, vocabulary}, regard::Random(1));
  double multiplications = 0;
  for (const auto& [name, tensor] : made.parameters())
    if (tensor.rank() == 2 && !contains(name, "embed"))
      multiplications += static_cast<double>(tensor.size()) * rows_of_weight(name, batch);
  return per_multiplication * multiplications;
}

}  // namespace

TEST_CASE("each weight is multiplied with each of its tokens", "[bench]") {
  struct Case {
    std::string preset;
    std::vector<std::string> overrides;
  };
  const Case cases[] = {
      {"tiny", {}},
      {"tiny", {"model.positions.use=concatenated"}},
      {"cho2014", {}},
      {"cho2014", {"model.attention.fixed_context=false"}},
      {"sutskever2014", {}},
      {"sutskever2014", {"model.decoder_layers=3"}},
      {"bahdanau2015", {}},
      {"bahdanau2015", {"model.cell=lstm", "model.encoder_layers=2", "model.decoder_layers=2"}},
      {"bahdanau2015", {"model.encoder_width=3", "model.attention.width=5"}},
      {"bahdanau2015", {"model.attention.score=dot"}},
      {"bahdanau2015", {"model.attention.score=linear_concat", "model.encoder_width=3"}},
      {"bahdanau2015", {"model.attention.score=location"}},
      {"bahdanau2015", {"model.attention.score=cosine", "model.attention.window=local_p"}},
      {"bahdanau2015", {"model.attention.input_feeding=true"}},
      {"bahdanau2015", {"model.encoder=transformer"}},
      {"bahdanau2015", {"model.decoder=transformer"}},
      {"luong2015", {}},
      {"luong2015", {"model.cell=gru", "model.attention.input_feeding=false", "model.encoder_width=3"}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.preset, one.overrides);
    std::vector<std::string> overrides{"model.d_model=8", "model.heads=2", "model.d_ff=20",
                                       "model.shared_embeddings=none"};
    overrides.insert(overrides.end(), one.overrides.begin(), one.overrides.end());
    const ModelSettings settings = model_of(one.preset, overrides);
    CHECK(step_flops(settings) == Approx(flops_of_parameters(settings)).epsilon(1e-12));
  }
}

TEST_CASE("each weight of an image model is multiplied with each of its places", "[bench]") {
  // Two images of 16 x 24 pixels, and what is left of them after the strides 2, 2, 2, 1, or as patches.
  const BatchSize images{.sentences = 2, .source_tokens = 2 * (16 * 24 + 3), .target_tokens = 11};
  const BatchSize memory{.sentences = 2, .source_tokens = 2 * 2 * 3, .target_tokens = 11};
  const auto flops = [&](const ModelSettings& model) { return floor_flops(step_products(model, images)); };
  const ModelSettings vit = model_of("vit", {"model.d_model=8", "model.shared_embeddings=none"});
  const int patches = 2 * 2 * 3 * 8 * 3 * 64;  // their map needs no gradient of the pixels
  CHECK(flops(vit) == Approx(flops_of_parameters(vit, memory) + 2 * 2 * patches));
  const ModelSettings xu = model_of("xu2015", {"model.d_model=8", "model.shared_embeddings=none"});
  const int first = 2 * 8 * 12 * 32 * 27,
            others = 2 * (4 * 6 * 64 * 9 * 32 + 2 * 3 * 96 * 9 * 64 + 2 * 3 * 128 * 9 * 96);
  CHECK(flops(xu) == Approx(flops_of_parameters(xu, memory) + 2 * 2 * first + per_multiplication * others));
}

TEST_CASE("speeds and sizes are measured", "[bench]") {
  CHECK(floor_seconds(step_products(small_transformer(), small_batch)) > 0);
  CHECK(product_speed() > 0);
  constexpr Index numbers = 20'000'000;
  const regard::Tensor large = regard::Tensor::full({numbers}, 1);
  CHECK(peak_memory() > numbers * sizeof(float));
  CHECK(peak_memory() < 64e9);
}
