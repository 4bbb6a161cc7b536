// The benchmark compares a training with the operations of all matrix products in a step.
#include "apps/bench/floor.h"

#include "apps/bench/training.h"
#include "apps/regard/version.h"
#include "apps/translation/model/make_model.h"
#include "autograd/machine/random.h"
#include "autograd/tensor.h"
#include "tests/catch.h"

using namespace regard::bench;
using regard::Index;
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

std::vector<Product> products_of(const ModelSettings& settings, const BatchSize& batch = small_batch) {
  regard::translation::TokenCounts counts;
  counts.add("word");
  const auto vocabulary = regard::translation::Vocabulary::from_counts(counts);
  REQUIRE(vocabulary.size() == vocabulary_size);
  regard::translation::Settings all;
  all.model = settings;
  auto made = regard::translation::make_model(all, {vocabulary, vocabulary}, regard::Random(1));
  return step_products(made.parameters(), settings, batch);
}

double step_flops(const ModelSettings& settings) { return floor_flops(products_of(settings)); }

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
  CHECK(floor_flops(products_of(small_transformer(), {})) == 0);
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

TEST_CASE("the operations of a step with images, counted by hand", "[bench]") {
  // Two images of 16 x 24 pixels. The strides 2, 2, 2, 1 leave 8 x 12, 4 x 6 and 2 x 3 positions; so do
  // patches.
  const BatchSize images{.sentences = 2, .source_tokens = 2 * (16 * 24 + 3), .target_tokens = 11};
  const int memory = 2 * 2 * 3;
  const int first = 2 * 8 * 12 * 32 * 27;  // the pixels need no gradient
  const int encoder =
      2 * 4 * 6 * 64 * 9 * 32 + memory * 96 * 9 * 64 + memory * 128 * 9 * 96 + memory * 4 * 128;
  const int decoder = 2 * 2 * 4 * 4     // first state and cell, once per image
                      + 11 * 4 * 4      // W s
                      + memory * 4 * 4  // U h
                      + 11 * 8 * 16     // gates from [y; c]
                      + 11 * 4 * 16     // and from the state
                      + 11 * 12 * 4     // output from [s; c; y]
                      + 11 * 4 * 5;     // projection
  CHECK(floor_flops(products_of(model_of("xu2015", {"model.d_model=4"}), images)) ==
        2 * 2 * first + per_multiplication * (encoder + decoder));
  const std::vector<Product> vit = products_of(model_of("vit", {"model.d_model=8"}), images);
  CHECK((vit[0].rows == memory && vit[0].out == 8 && vit[0].in == 3 * 64 && vit[0].of_data));
}

TEST_CASE("weights of scores, windows and positions are multiplied, tables are not", "[bench]") {
  const auto more = [](const std::vector<std::string>& overrides) {
    return (step_flops(model_of("bahdanau2015", {"model.d_model=4", overrides[0], overrides[1]})) -
            step_flops(model_of("bahdanau2015", {"model.d_model=4", "model.attention.score=dot"}))) /
           per_multiplication;
  };
  const std::string dot = "model.attention.score=dot", global = "model.attention.window=global";
  CHECK(more({"model.attention.score=linear_concat", global}) == 11 * 4 + 7 * 4);
  CHECK(more({"model.attention.score=general", global}) == 11 * 4 * 4);
  CHECK(more({dot, "model.attention.window=local_p"}) == 11 * 4 * 4 + 11 * 4);
  CHECK(more({dot, "model.attention.input_feeding=true"}) == 11 * 4 * 12);
  const ModelSettings learned =
      model_of("toy", {"model.d_model=2", "model.heads=1", "model.d_ff=3", "model.encoder_layers=1",
                       "model.positions.kind=learned", "model.positions.use=concatenated"});
  CHECK(step_flops(learned) - step_flops(small_transformer()) == per_multiplication * (7 + 11) * 2 * 4);
  const auto transformer = [](const std::string& override) {
    return step_flops(model_of(
        "toy", {"model.d_model=2", "model.heads=1", "model.d_ff=3", "model.encoder_layers=1", override}));
  };
  // Without W^V: of the encoder, and of the self-attentions and memory attentions of two decoder layers.
  CHECK(step_flops(small_transformer()) - transformer("model.multi_head.shared_key_value=true") ==
        per_multiplication * (7 + 2 * 11 + 2 * 7) * 2 * 2);
  // A query meets the keys of 2 * 16 + 1 distances.
  CHECK(transformer("model.positions.kind=relative") - step_flops(small_transformer()) ==
        per_multiplication * (7 + 2 * 11) * 33 * 2);
}

TEST_CASE("speeds and sizes are measured", "[bench]") {
  CHECK(floor_seconds(products_of(small_transformer())) > 0);
  CHECK(regard::program::product_speed() > 0);
  constexpr Index numbers = 20'000'000;
  const regard::Tensor large = regard::Tensor::full({numbers}, 1);
  CHECK(peak_memory() > numbers * sizeof(float));
  CHECK(peak_memory() < 64e9);
}
