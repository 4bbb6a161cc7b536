// apps/examples/transformer.cpp in float, as its program is compiled: it trains, and two runs of one seed
// have the same bits. tests/transformer/one_file_test.cpp compares it with the library.
#include "tests/catch.h"

#define main one_file_main  // the file has a main() of its own
#include "apps/examples/transformer.cpp"
#undef main

namespace {

std::vector<Real> losses_of_training(int seed) {
  Transformer model{Settings{}, Random(static_cast<std::uint64_t>(seed))};
  std::vector<Real> losses;
  for (int step = 1; step <= 60; ++step) {
    const Sentences words = random_words(8, model.random);
    const Tensor logits = model.logits(Tokens("", words, end), Tokens(begin, words, ""));
    const Tensor loss = cross_entropy(logits, Tokens("", words, end), model.label_smoothing);
    loss.backward();
    adam_step(model, step);
    losses.push_back(loss.item());
  }
  return losses;
}

}  // namespace

TEST_CASE("the Transformer in one file trains in float, with the same bits each time") {
  const std::vector<Real> losses = losses_of_training(1);
  CHECK(losses.front() > 4.5f);
  CHECK(losses.back() < 3.9f);
  CHECK(losses_of_training(1) == losses);
  CHECK(losses_of_training(2) != losses);
}
