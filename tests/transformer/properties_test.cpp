// What every kind of model has in common, over a table of models: step by step gives what all words at once
// give, a sentence alone what it gives in company, a word sees none after it, any number of threads gives the
// same bits, and attention weights are distributions.
#include <algorithm>
#include <string>
#include <vector>

#include "autograd/graph.h"
#include "tests/transformer/checked_decoding.h"
#include "tests/transformer/models.h"

using namespace regard;
using namespace regard::tests;

namespace {

struct Examples {
  std::vector<Ids> sources, targets;

  Batch batch() const { return make_batch(sources, targets); }
  Examples only(const std::vector<std::size_t>& order) const {
    Examples some;
    for (const std::size_t i : order) {
      some.sources.push_back(sources[i]);
      some.targets.push_back(targets[i]);
    }
    return some;
  }
};

Examples examples(RandomSource source) {
  Examples all{random_sentences({3, 9, 0, 5, 1, 1, 2, 4}, 11, 10),
               random_sentences({6, 1, 4, 0, 9, 2, 5, 1}, 11, 11)};
  for (std::size_t i = 0; source && i < all.sources.size(); ++i)
    all.sources[i] = source(to_index(4 + 2 * (i % 3)), to_index(4 + 2 * (i % 4)), i);
  return all;
}

/// Another source of the same size.
Ids another(const Ids& source, RandomSource random_source) {
  if (!random_source) {
    Ids other = source;
    for (std::int32_t& id : other) id = 4 + (id - 4 + 3) % 7;
    return other;
  }
  return random_source(source[0], source[1], 99);  // height and width
}

/// Runs a property of each model in evaluation mode.
template <class Property>
void for_all(const std::vector<NamedModel>& models, const Property& property) {
  for (const NamedModel& named : models) {
    INFO(named.name);
    EncoderDecoder model = named.make({});
    model.eval();
    property(model, named);
  }
}

/// The rows of sentence i, and all others.
Tensor rows_of(const Tensor& x, const std::vector<Index>& offsets, std::size_t i) {
  return rows(x, offsets[i], offsets[i + 1]);
}
Tensor without(const Tensor& x, const std::vector<Index>& offsets, std::size_t i) {
  return concat({rows(x, 0, offsets[i]), rows(x, offsets[i + 1], x.size(0))}, 0);
}

}  // namespace

TEST_CASE("step by step is all at once, however hypotheses are continued, reordered and dropped") {
  for_all(all_models(), [](EncoderDecoder& model, const NamedModel& named) {
    Checked decoder(model, examples(named.source).only({0, 2, 5, 1}).sources);
    Random random(3);
    decoder.advance({{0, {1}}, {2, {1, 5}}, {3, {1}}});  // the second sentence is dropped at the start
    for (int step = 0; step < 12; ++step) {
      auto continuations = decoder.random_continuations(3, 3, random);
      if (step == 4 || step == 9) decoder.drop_sentence(continuations, random);
      decoder.advance(continuations);
    }
    CHECK(decoder.worst() < 1e-12);
    CHECK(decoder.compared() > 100);
  });
}

TEST_CASE("a sentence is the same alone as in company, whatever the order") {
  for_all(all_models(), [](EncoderDecoder& model, const NamedModel& named) {
    const Examples all = examples(named.source);
    const Batch batch = all.batch();
    const Memory memory = model.encode(batch.source);
    const Tensor logits = model.logits(batch);
    for (const std::vector<std::size_t>& order : std::vector<std::vector<std::size_t>>{
             {0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {7, 6, 5, 4, 3, 2, 1, 0}, {1, 3, 0, 2}}) {
      std::vector<Tensor> expected_memory, expected_logits;
      for (const std::size_t i : order) {
        expected_memory.push_back(rows_of(memory.rows, memory.offsets, i));
        expected_logits.push_back(rows_of(logits, batch.target_input.offsets, i));
      }
      const Batch some = all.only(order).batch();
      CHECK(error(model.encode(some.source).rows, concat(expected_memory, 0)) < 1e-12);
      CHECK(error(model.logits(some), concat(expected_logits, 0)) < 1e-12);
    }
    // Another neighbour changes no bit, another source does.
    Examples changed = all;
    changed.sources[1] = another(all.sources[1], named.source);
    const Batch other = changed.batch();
    const Tensor other_memory = model.encode(other.source).rows, other_logits = model.logits(other);
    const std::vector<Index>& targets = batch.target_input.offsets;
    CHECK(same_bits(without(other_memory, memory.offsets, 1), without(memory.rows, memory.offsets, 1)));
    CHECK(same_bits(without(other_logits, targets, 1), without(logits, targets, 1)));
    CHECK(error(rows_of(other_logits, targets, 1), rows_of(logits, targets, 1)) > 1e-6);
  });
}

TEST_CASE("another word leaves every output before it as it was, to the bit") {
  for_all(all_models(), [](EncoderDecoder& model, const NamedModel& named) {
    const Examples all = examples(named.source);
    const Tensor before = model.logits(all.batch());
    const Index end = to_index(all.targets[0].size()) + 1;
    for (Index word = 1; word < end; ++word) {
      Examples changed = all;
      std::int32_t& id = changed.targets[0][to_size(word - 1)];
      id = 4 + (id - 4 + 3) % 7;
      const Tensor after = model.logits(changed.batch());
      CHECK(same_bits(rows(after, 0, word), rows(before, 0, word)));  // row 0 is that of <s>
      for (Index row = word; row < (named.everywhere ? end : word + 1); ++row)
        CHECK(error(rows(after, row, row + 1), rows(before, row, row + 1)) > 1e-9);
      CHECK(same_bits(rows(after, end, after.size(0)), rows(before, end, before.size(0))));
    }
  });
}

TEST_CASE("every word of the source sees every other") {
  for_all(transformers(), [](EncoderDecoder& model, const NamedModel& named) {
    if (!named.everywhere) return;
    const std::vector<Ids> sources{{4, 5, 6, 7, 8}};
    const Tensor before = model.encode(pack_sources(sources)).rows;
    for (std::size_t word = 0; word < 5; ++word) {
      std::vector<Ids> changed = sources;
      changed[0][word] = 10;
      const Tensor after = model.encode(pack_sources(changed)).rows;
      for (Index row = 0; row < 6; ++row)
        CHECK(error(rows(after, row, row + 1), rows(before, row, row + 1)) > 1e-6);
    }
  });
}

TEST_CASE("a step gives the same bits on any number of threads") {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 240; ++i) lengths.push_back(i % 6);
  const Examples sentences{random_sentences(lengths, large.vocabulary, 8),
                           random_sentences(lengths, large.vocabulary, 9)};
  for (const NamedModel& named : all_models()) {
    INFO(named.name);
    EncoderDecoder model = named.make(large);
    Examples of_model = sentences;
    if (named.source)
      of_model = {{named.source(32, 48, 4), named.source(40, 40, 5), named.source(24, 24, 6)},
                  random_sentences({4, 6, 1}, large.vocabulary, 7)};
    const Batch batch = of_model.batch();
    const auto loss_and_gradients = [&](int threads) {
      const Threads use(threads);
      model.set_random(1, 1);
      const Tensor loss = model.loss(batch, {.label_smoothing = Real(0.1)});
      std::vector<Tensor> all = gradients(loss, tensors(model));
      all.push_back(loss);
      return all;
    };
    const std::vector<Tensor> one = loss_and_gradients(1);
    for (const int threads : {3, 8}) CHECK(same_bits(loss_and_gradients(threads), one));
  }
}

TEST_CASE(
    "attention weights are distributions, of every layer and sentence, and asking for them changes nothing") {
  for_all(all_models(), [](EncoderDecoder& model, const NamedModel& named) {
    const Examples all = examples(named.source);
    const Batch batch = all.batch();
    const ForcedPass pass = forced_pass(model, batch);
    CHECK(same_bits(pass.memory.rows, model.encode(batch.source).rows));
    CHECK(same_bits(pass.hidden, model.decode(batch.target_input, pass.memory)));

    std::vector<ForcedPass> alone;
    for (std::size_t i = 0; i < all.sources.size(); ++i)
      alone.push_back(forced_pass(model, all.only({i}).batch()));
    for (std::size_t number = 0; number < pass.attentions.size(); ++number) {
      const AttentionLayer& attention = pass.attentions[number];
      INFO(attention.name);
      REQUIRE(attention.weights.size() == all.sources.size());
      for (std::size_t i = 0; i < attention.weights.size(); ++i) {
        const Tensor& matrix = attention.weights[i];
        const Index source = pass.memory.offsets[i + 1] - pass.memory.offsets[i],
                    target = to_index(all.targets[i].size()) + 1;
        const Index queries = attention.kind == AttentionKind::encoder ? source : target;
        const Index keys = attention.kind == AttentionKind::decoder ? target : source;
        REQUIRE(matrix.shape() == Shape{attention.attention->heads(), queries, keys});
        CHECK(error(alone[i].attentions[number].weights.front(), matrix) < 1e-12);
        if (named.sums_to_1)
          CHECK(error(sum(matrix, {.axes = {-1}}), Tensor::full({matrix.size(0), queries}, 1)) < 1e-12);
        bool right = true;
        for (Index entry = 0; entry < matrix.size(); ++entry) {
          const bool later =
              attention.kind == AttentionKind::decoder && entry % keys > entry / keys % queries;
          const Real weight = matrix.data()[entry];
          right = right && (later ? weight == 0 : named.everywhere ? weight > 0 : weight >= 0);
        }
        CHECK(right);
      }
    }
    const auto alike = [](const AttentionLayer& a, const AttentionLayer& b) {
      return std::ranges::equal(a.weights, b.weights, [](const Tensor& x, const Tensor& y) {
        return x.shape() == y.shape() && same_bits(x, y);
      });
    };
    CHECK(std::ranges::adjacent_find(pass.attentions, alike) == pass.attentions.end());
  });
}
