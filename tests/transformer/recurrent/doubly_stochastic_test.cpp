// The doubly stochastic term: its value from the attention weights, and that only training has it.
#include "tests/catch.h"
#include "tests/transformer/recurrent/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

RecurrentConfig with_lambda(double lambda, AttentionOrder order = AttentionOrder::context_first) {
  RecurrentConfig config = small_recurrent("bahdanau2015");
  config.attention.order = order;
  config.attention.doubly_stochastic = lambda;
  return config;
}

const Batch& some_batch() {
  static const Batch batch = make_batch({{4, 5, 6}, {7}, {5, 8}}, {{6, 7}, {8, 9, 4, 5}, {10}});
  return batch;
}

/// sum over sources and positions of (1 - sum of the weights of all tokens)^2, from the weights that decode()
/// reports.
double missing_attention(EncoderDecoder& model) {
  AttentionWeights weights;
  model.hidden(some_batch(), &weights);
  double sum = 0;
  for (const Tensor& matrix : weights.memory.front())  // [1, tokens, positions]
    for (Index position = 0; position < matrix.size(2); ++position) {
      double seen = 0;
      for (Index token = 0; token < matrix.size(1); ++token) seen += matrix.at({0, token, position});
      sum += (1 - seen) * (1 - seen);
    }
  return sum;
}

}  // namespace

TEST_CASE("the doubly stochastic term is lambda times the attention that is missing or too much, per token") {
  for (const AttentionOrder order : {AttentionOrder::context_first, AttentionOrder::state_first}) {
    EncoderDecoder without = make_recurrent_model(with_lambda(0, order), 1);
    EncoderDecoder with = make_recurrent_model(with_lambda(0.3, order), 1);
    const double term = with.loss(some_batch()).item() - without.loss(some_batch()).item();
    const double tokens = static_cast<double>(some_batch().target_input.tokens());
    CHECK(missing_attention(with) > 0.1);
    CHECK(term == Approx(0.3 * missing_attention(with) / tokens).epsilon(1e-12));
    const double divided = with.loss(some_batch(), {.divide_by = 100}).item() -
                           without.loss(some_batch(), {.divide_by = 100}).item();
    CHECK(divided == Approx(term * tokens / 100).epsilon(1e-12));
  }
}

TEST_CASE("outside of training, the loss has no doubly stochastic term") {
  EncoderDecoder without = make_recurrent_model(with_lambda(0), 1);
  EncoderDecoder with = make_recurrent_model(with_lambda(0.3), 1);
  without.eval();
  with.eval();
  CHECK(with.loss(some_batch()).item() == without.loss(some_batch()).item());
}
