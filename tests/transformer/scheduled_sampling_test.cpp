// Scheduled sampling: which tokens are replaced, by what, and what stays.
#include "transformer/scheduled_sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr RandomStream third_step{.seed = 5, .step = 3, .part = 1};

/// A model that predicts another token at each place: a bias after its last layer would hide what it reads.
EncoderDecoder model_with_dropout(std::uint64_t seed) {
  Config config = small_config();
  config.dropout = DropoutRates::all(0.3);
  config.shared_embeddings = SharedEmbeddings::none;
  EncoderDecoder model = make_model(config, seed, 0.1);
  std::ranges::fill(decoder_of(model).stack.layers.back().residual3.norm.bias.values(), Real{0});
  model.train();
  return model;
}

Batch random_batch(std::uint64_t seed, const std::vector<std::size_t>& lengths = {3, 1, 0, 6}) {
  return make_batch(random_sentences(lengths, 11, seed), random_sentences(lengths, 11, seed + 1));
}

/// The likeliest token after each beginning of a target, by the whole model.
Ids likeliest(EncoderDecoder& model, const Batch& batch, Index sentence) {
  const auto part = [&](const PackedSequences& all) {
    return Ids(all.ids.begin() + all.offsets[to_size(sentence)],
               all.ids.begin() + all.offsets[to_size(sentence) + 1]);
  };
  Ids source = part(batch.source);
  source.pop_back();  // next_logits adds </s>, and <s> to the target
  Ids target = part(batch.target_input);
  target.erase(target.begin());
  Ids result{sentence_begin_id};
  model.eval();
  for (std::size_t t = 0; t < target.size(); ++t) {
    Numbers logits = next_logits(model, source, Ids(target.begin(), target.begin() + to_index(t)));
    logits[to_size(padding_id)] = logits[to_size(sentence_begin_id)] = -1e9;
    result.push_back(static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin()));
  }
  model.train();
  return result;
}

}  // namespace

TEST_CASE("with share 1, every token that the decoder reads is the model's own, except <s>") {
  int changes = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EncoderDecoder model = model_with_dropout(seed);
    const Batch gold = random_batch(seed);
    Batch batch = gold;
    replace_by_predictions(model, batch, 1, third_step);
    Ids expected;
    for (Index i = 0; i < gold.source.sentences(); ++i)
      expected = enclosed(expected, likeliest(model, gold, i), {});
    CHECK(batch.target_input.ids == expected);
    for (std::size_t i = expected.size() - 5; i < expected.size(); ++i)  // of the last sentence
      changes += expected[i] != expected[i - 1] ? 1 : 0;
    CHECK(batch.target_input.ids != gold.target_input.ids);
    CHECK(batch.target_input.offsets == gold.target_input.offsets);
    CHECK(batch.target_output == gold.target_output);
    CHECK(batch.source.ids == gold.source.ids);
  }
  CHECK(changes > 20);
}

TEST_CASE("<pad> and <s> are never predicted, however likely they are") {
  EncoderDecoder model = model_with_dropout(1);
  // Where the hidden state points the other way, its longer row is the less likely one.
  for (const std::int32_t id : {padding_id, sentence_begin_id})
    for (Index i = 0; i < model.generator.weight.size(1); ++i)
      model.generator.weight.data()[id * 8 + i] *= 100;
  const Batch gold = random_batch(3, std::vector<std::size_t>(40, 6));
  Batch batch = gold;
  replace_by_predictions(model, batch, 1, third_step);
  CHECK(std::ranges::count(batch.target_input.ids, padding_id) == 0);
  CHECK(std::ranges::count(batch.target_input.ids, sentence_begin_id) == 40);
  const Tensor logits = model.logits(gold);
  CHECK(std::ranges::count_if(argmax(logits), [](std::int32_t id) { return id < sentence_end_id; }) > 50);
}

TEST_CASE("a share of the tokens is replaced, and the stream decides which") {
  EncoderDecoder model = model_with_dropout(2);
  const Batch gold = random_batch(7, std::vector<std::size_t>(200, 10));
  Batch all = gold;
  replace_by_predictions(model, all, 1, third_step);
  const auto replaced = [&](double share, const RandomStream& stream) {
    Batch batch = gold;
    replace_by_predictions(model, batch, share, stream);
    return batch.target_input.ids;
  };
  for (const double share : {0.0, 0.1, 0.5, 0.9}) {
    const Ids some = replaced(share, third_step);
    double different = 0, changed = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      CHECK((some[i] == gold.target_input.ids[i] || some[i] == all.target_input.ids[i]));
      different += all.target_input.ids[i] != gold.target_input.ids[i] ? 1 : 0;
      changed += some[i] != gold.target_input.ids[i] ? 1 : 0;
    }
    REQUIRE(different > 1000);
    CHECK(std::abs(changed / different - share) < 0.04);
    if (share == 0) CHECK(changed == 0);
  }
  const Ids once = replaced(0.5, third_step);
  CHECK(replaced(0.5, third_step) == once);
  for (const RandomStream& other :
       {RandomStream{.seed = 6, .step = 3, .part = 1}, RandomStream{.seed = 5, .step = 4, .part = 1},
        RandomStream{.seed = 5, .step = 3, .part = 2}})
    CHECK(replaced(0.5, other) != once);
}

TEST_CASE("the first pass of scheduled sampling leaves no trace in the second") {
  const Batch batch = random_batch(9);
  std::vector<Numbers> gradients;
  for (const bool sampled : {false, true}) {
    EncoderDecoder model = model_with_dropout(4);
    model.set_random(1, 2, 3);
    Batch read = batch;
    if (sampled) replace_by_predictions(model, read, 0, third_step);
    model.loss(read).backward();
    gradients.push_back(numbers(model.generator.weight.grad()));
  }
  CHECK(gradients[0] == gradients[1]);
}

TEST_CASE("after an error the model is in training mode") {
  EncoderDecoder model = model_with_dropout(6);
  Batch batch = random_batch(12);
  batch.source.ids.front() = 11;  // the vocabulary ends before it
  CHECK_ERROR(replace_by_predictions(model, batch, 1, third_step), "11");
  CHECK(decoder_of(model).input.dropout.training());
}

TEST_CASE("a vocabulary of <pad> and <s> has nothing to predict, one of three tokens has </s>") {
  for (const Index size : {2, 3}) {
    Config config = small_config();
    config.target_vocabulary = size;
    config.shared_embeddings = SharedEmbeddings::none;
    EncoderDecoder model = make_model(config, 1);
    Batch batch = make_batch({{4}}, {{0, 0}});
    if (size == 2)
      CHECK_ERROR(replace_by_predictions(model, batch, 1, third_step),
                  "the target vocabulary has 2 entries; it needs at least 3");
    else
      replace_by_predictions(model, batch, 1, third_step);
    CHECK(batch.target_input.ids == (size == 2 ? Ids{1, 0, 0} : Ids{1, 2, 2}));
  }
}

TEST_CASE("without finite logits nothing is replaced, and a share is from 0 to 1") {
  EncoderDecoder model = model_with_dropout(5);
  Batch batch = random_batch(11);
  for (const double share : {-0.1, 1.1, std::nan("")})
    CHECK_ERROR(replace_by_predictions(model, batch, share, third_step), "scheduled sampling: the share is");
  const Ids gold = batch.target_input.ids;
  model.generator.weight.data()[9] = std::numeric_limits<Real>::quiet_NaN();
  replace_by_predictions(model, batch, 1, third_step);
  CHECK(batch.target_input.ids == gold);
  CHECK(std::isnan(model.loss(batch).item()));
}
