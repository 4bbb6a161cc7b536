// Same seed, same bits: from run to run and on any number of threads. And no step asks for memory twice.
#include "tests/catch.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

struct Settings {
  std::uint64_t seed = 1;  // of the initial weights
  std::uint64_t dropout_seed = 1;
  int steps = 5;
  Norm norm = Norm::post;
};

/// Large enough that products, updates and everything between are cut for several threads.
Config config(Norm norm) {
  return {.source_vocabulary = 300,
          .target_vocabulary = 300,
          .d_model = 48,
          .heads = 4,
          .d_ff = 192,
          .encoder_layers = 2,
          .decoder_layers = 2,
          .norm = norm,
          .dropout = DropoutRates::all(0.1)};
}

Batch batch(std::uint64_t seed) {
  Random random(seed);
  std::vector<Ids> sources, targets;
  for (int i = 0; i < 24; ++i) {
    sources.push_back(random_sentence(1 + random.below(20), 300, random));
    targets.push_back(random_sentence(random.below(20), 300, random));
  }
  return make_batch(sources, targets);
}

/// All weights after some steps of training.
std::vector<Tensor> train(const Settings& settings) {
  Random random(settings.seed);
  EncoderDecoder model = make_transformer(config(settings.norm), random);
  nn::Adam adam(model.parameters());
  for (int step = 1; step <= settings.steps; ++step) {
    model.set_random(settings.dropout_seed, static_cast<std::uint32_t>(step));
    model.loss(batch(static_cast<std::uint64_t>(step)), {.label_smoothing = Real(0.1)}).backward();
    adam.step({.learning_rate = 0.001, .clip_norm = 1});
  }
  return snapshot(model);
}

}  // namespace

TEST_CASE("two runs of the same seed end in the same bits, of another seed in others") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    const std::vector<Tensor> reference = train({.norm = norm});
    CHECK(same_bits(train({.norm = norm}), reference));
    CHECK_FALSE(same_bits(train({.seed = 2, .norm = norm}), reference));
    CHECK_FALSE(same_bits(train({.dropout_seed = 2, .norm = norm}), reference));
    CHECK_FALSE(same_bits(train({.steps = 4, .norm = norm}), reference));
  }
}

TEST_CASE("any number of threads ends in the same bits") {
  const auto train_on = [](int count) {
    const Threads guard(count);
    return train({});
  };
  const std::vector<Tensor> reference = train_on(1);
  for (const int count : {2, 3, 8}) CHECK(same_bits(train_on(count), reference));
}

TEST_CASE("search gives the same on any number of threads") {
  EncoderDecoder model = make_model(config(Norm::post), 3);
  model.eval();
  const auto search_on = [&](int count) {
    const Threads guard(count);
    return beam_search(model, batch(1).source, {.max_length_ratio = 0.5});
  };
  const auto reference = search_on(1);
  for (const int count : {2, 3, 8}) {
    const auto found = search_on(count);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].front().tokens == reference[i].front().tokens);
      CHECK(found[i].front().score == reference[i].front().score);
    }
  }
}

TEST_CASE("from the second on, a step asks the system for no memory") {
  // What earlier tests gave back to the pool is taken first, so that the first step must ask.
  std::vector<Buffer> held;
  const std::size_t at_first = memory_statistics().system_requests;
  while (memory_statistics().system_requests == at_first) held.push_back(allocate(std::size_t{1} << 19));

  Random random(1);
  EncoderDecoder model = make_transformer(config(Norm::post), random);
  nn::Adam adam(model.parameters());
  std::vector<Ids> sources(150, Ids(20, 7));
  const Batch large = make_batch(sources, sources);
  const auto requests_of_a_step = [&](std::uint32_t number) {
    const std::size_t before = memory_statistics().system_requests;
    model.set_random(1, number);
    model.loss(large).backward();
    adam.step({.learning_rate = 0.001});
    return memory_statistics().system_requests - before;
  };
  const std::size_t in_use = memory_statistics().in_use;
  CHECK(requests_of_a_step(1) > 0);
  for (std::uint32_t number = 2; number < 5; ++number) CHECK(requests_of_a_step(number) == 0);
  CHECK(memory_statistics().in_use <= in_use + (std::size_t{1} << 20));  // nothing is left over but a table
}
