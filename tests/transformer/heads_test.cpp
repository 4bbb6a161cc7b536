// Heads that are switched off, and the list of a model's attentions.
#include "tests/transformer/heads.h"

#include <algorithm>
#include <future>

#include "autograd/graph.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("the attentions of a model have names, kinds and numbers") {
  EncoderDecoder transformer = make_model(small_config(), 1);
  CHECK(names_of(transformer) ==
        std::vector<std::string>{"encoder.layers.0.self_attn", "encoder.layers.1.self_attn",
                                 "decoder.layers.0.self_attn", "decoder.layers.0.multihead_attn",
                                 "decoder.layers.1.self_attn", "decoder.layers.1.multihead_attn"});
  const std::vector<AttentionLayer> layers = attention_layers(transformer);
  CHECK(layers[1].kind == AttentionKind::encoder);
  CHECK(layers[1].layer == 1);
  CHECK(layers[2].kind == AttentionKind::decoder);
  CHECK(layers[2].layer == 0);
  CHECK(layers[5].kind == AttentionKind::source);
  CHECK(layers[5].layer == 1);
  CHECK(layers[5].attention->heads() == 2);
}

TEST_CASE("a head that is off equals zeros in its columns of out_proj") {
  const Batch batch = make_batch(random_sentences({3, 5}, 11, 1), random_sentences({4, 2}, 11, 2));
  const PackedSequences source = batch.source;
  EncoderDecoder whole = make_model(small_config(), 7, 1.0);
  whole.eval();
  const Tensor logits = whole.logits(batch);
  for (const std::string& name : names_of(whole)) {
    for (const Index head : {0, 1}) {
      EncoderDecoder zeroed = make_model(small_config(), 7, 1.0);
      zeroed.eval();
      clear_columns(parameter_of(zeroed, name + ".out_proj.weight"), 4 * head, 4 * head + 4);
      const Tensor expected = zeroed.logits(batch);
      const std::vector<Hypothesis> translations = greedy_search(zeroed, source);
      const nn::HeadsOff off(whole, {{name, head}});
      INFO(name << ", head " << head);
      CHECK(error(whole.logits(batch), expected) < 1e-12);
      CHECK(error(expected, logits) > 1e-3);
      const std::vector<Hypothesis> found = greedy_search(whole, source);  // with caches
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK(found[i].tokens == translations[i].tokens);
        CHECK(found[i].log_probability == Approx(translations[i].log_probability));
      }
    }
  }
  CHECK(same_bits(whole.logits(batch), logits));  // all heads are on again
}

TEST_CASE("the end of heads that are off within others leaves the others off") {
  EncoderDecoder model = make_model(small_config(), 1);
  model.eval();
  const Batch batch = make_batch({{4, 5}}, {{6}});
  const nn::Head first{"encoder.layers.0.self_attn", 0}, second{"decoder.layers.1.self_attn", 1};
  const Tensor logits = model.logits(batch);
  {
    const nn::HeadsOff outer(model, {first});
    const Tensor without_first = model.logits(batch);
    {
      const nn::HeadsOff inner(model, {first, second});
      CHECK_FALSE(same_bits(model.logits(batch), without_first));
    }
    CHECK(same_bits(model.logits(batch), without_first));
    CHECK_ERROR(nn::HeadsOff(model, {second, {"none", 0}}), "this model has no attention");
    CHECK(same_bits(model.logits(batch), without_first));
    CHECK_FALSE(same_bits(without_first, logits));
  }
  CHECK(same_bits(model.logits(batch), logits));
}

TEST_CASE("heads that do not exist are refused, and then all are on") {
  EncoderDecoder model = make_model(small_config(), 1);
  const Batch batch = make_batch({{4, 5}}, {{6}});
  const Tensor logits = model.logits(batch);
  const auto off = [&](const std::vector<nn::Head>& heads) { const nn::HeadsOff guard(model, heads); };
  CHECK_ERROR(off({{"encoder.layers.0.self_attn", 0}, {"encoder.layers.2.self_attn", 0}}),
              "this model has no attention \"encoder.layers.2.self_attn\"");
  CHECK_ERROR(off({{"encoder.layers.0.self_attn", 2}}),
              "there is no head 2; this attention has 2 heads, from 0");
  CHECK_ERROR(off({{"encoder.layers.0.self_attn", -1}}), "there is no head -1");
  CHECK(same_bits(model.logits(batch), logits));
}

TEST_CASE("attention weights are reported without dropout, and asking for them draws no random numbers") {
  Config config = small_config();
  config.dropout.attention = 0.5;
  EncoderDecoder model = make_model(config, 4);
  const PackedSequences source = pack_sources({{4, 5, 6}});
  model.set_random(1, 1);
  const Tensor expected = model.encode(source).rows;
  model.set_random(1, 1);
  const nn::AttentionRecord record;
  CHECK(same_bits(model.encode(source).rows, expected));
  CHECK(error(sum(record.weights.at(attention_layers(model).front().attention).front(), {.axes = {-1}}),
              Tensor::full({2, 4}, 1)) < 1e-14);
}

TEST_CASE("heads that are off and weights that are recorded are those of a thread") {
  EncoderDecoder model = make_model(small_config(), 1);
  model.eval();
  const Batch batch = make_batch({{4, 5}}, {{6}});
  const auto elsewhere = [&] {
    const NoGrad no_grad;
    return model.logits(batch);
  };
  const Tensor logits = model.logits(batch);
  const nn::HeadsOff off(model, {{"encoder.layers.0.self_attn", 0}});
  const nn::AttentionRecord record;
  const Tensor without = model.logits(batch);
  CHECK_FALSE(same_bits(without, logits));
  const std::size_t recorded = record.weights.size();
  CHECK(recorded == 6);
  CHECK(same_bits(std::async(std::launch::async, elsewhere).get(), logits));
  const auto with_the_same_heads = [&, inherited = surroundings()] {
    const Worker worker(inherited);
    return elsewhere();
  };
  CHECK(same_bits(std::async(std::launch::async, with_the_same_heads).get(), without));
  CHECK(record.weights.size() == recorded);  // a record is of one thread
}
