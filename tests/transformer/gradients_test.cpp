// Gradients of layers and whole models against central differences, with dropout on.
#include "tests/catch.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

Config config(Norm norm, SharedEmbeddings shared) {
  return {.source_vocabulary = 7,
          .target_vocabulary = 7,
          .d_model = 4,
          .heads = 2,
          .d_ff = 6,
          .encoder_layers = 1,
          .decoder_layers = 1,
          .norm = norm,
          .shared_embeddings = shared,
          .dropout = {.embedding = 0.1, .sublayer = 0.2, .attention = 0.3, .feed_forward = 0.25}};
}

/// Checks forward() by all parameters of the module and `inputs`, under the same dropout masks each time.
void check(nn::Module& module, const std::vector<Tensor>& inputs, const std::function<Tensor()>& forward) {
  std::vector<Tensor> all = inputs;
  GradcheckOptions options;
  for (std::size_t i = 0; i < inputs.size(); ++i) options.names.push_back(fmt::format("input {}", i));
  for (const auto& [name, tensor] : module.parameters()) {
    all.push_back(tensor);
    options.names.push_back(name);
  }
  const GradcheckResult result = gradcheck(
      [&](const std::vector<Tensor>&) {
        module.set_random(3, 1);
        return forward();
      },
      all, options);
  INFO(result.worst);
  CHECK(result.passed);
  CHECK(result.error < 1e-7);
  CHECK(result.kinks < result.checked / 20);

  const Tensor trained = forward();  // and dropout was on
  module.eval();
  CHECK(error(trained, forward()) > 1e-3);
  module.train();
}

}  // namespace

TEST_CASE("gradients of an encoder layer") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    Random random(1);
    EncoderLayer layer(config(norm, SharedEmbeddings::none), random);
    randomise(layer, 2);
    const Tensor x = normal({7, 4}, 3);
    check(layer, {x}, [&] { return layer(x, self_segments({3, 4})); });
  }
}

TEST_CASE("gradients of a decoder layer") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    Random random(1);
    DecoderLayer layer(config(norm, SharedEmbeddings::none), random);
    randomise(layer, 2);
    const Tensor x = normal({6, 4}, 3), memory = normal({7, 4}, 4);
    check(layer, {x, memory}, [&] {
      return layer(x, memory, self_segments({4, 2}), segments(offsets({4, 2}), offsets({2, 5})));
    });
  }
}

TEST_CASE("gradients of whole models: loss and logits") {
  const Batch batch = make_batch(random_sentences({3, 1, 4}, 7, 5), random_sentences({2, 4, 1}, 7, 6));
  for (const Norm norm : {Norm::post, Norm::pre}) {
    for (const SharedEmbeddings shared :
         {SharedEmbeddings::none, SharedEmbeddings::target_output, SharedEmbeddings::all}) {
      INFO((norm == Norm::post ? "post" : "pre") << ", sharing " << static_cast<int>(shared));
      EncoderDecoder model = make_model(config(norm, shared), 7);
      check(model, {}, [&] { return model.loss(batch, {.label_smoothing = Real(0.1)}); });
      check(model, {}, [&] { return model.logits(batch); });
    }
  }
}
