// Recurrent models: the reversed source, what is refused, and the doubly stochastic term: its value from the
// attention weights, and that only training has it.
#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "tests/transformer/recurrent/support.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE(
    "recurrent: a reversed source is read from its last word, and its memory keeps the order of the source") {
  RecurrentConfig config = small_recurrent("luong2015");
  EncoderDecoder forward = make_recurrent_model(config, 14);
  config.reverse_source = true;
  EncoderDecoder reversed = make_recurrent_model(config, 14);
  const Memory by_hand = forward.encode(pack_sources({{6, 5, 4}, {8, 7}}));
  const Memory memory = reversed.encode(pack_sources({{4, 5, 6}, {7, 8}}));
  const std::vector<std::int32_t> order{2, 1, 0, 3, 5, 4, 6};  // </s> is last in both
  CHECK(same_bits(memory.rows, gather(by_hand.rows, 0, order)));
  CHECK(same_bits(memory.final_states, by_hand.final_states));
}

TEST_CASE("recurrent: settings that do not go together are refused with the reason") {
  const auto refused = [](const std::string& reason, const auto& change) {
    RecurrentConfig config = small_recurrent("bahdanau2015");
    change(config);
    INFO(reason);
    CHECK_ERROR(check(config), reason);
  };
  CHECK_NOTHROW(check(small_recurrent("bahdanau2015")));
  refused("the memory has 10 and the decoder's state 6", [](RecurrentConfig& c) {
    c.encoder_width = 5;
    c.attention.score = nn::ScoreKind::dot;
  });
  refused("hard attention draws from all positions", [](RecurrentConfig& c) {
    c.attention.kind = RecurrentAttentionKind::hard;
    c.attention.window = nn::AttentionWindow::local_m;
  });
  const auto doubly = [&](const auto& change) {
    refused("attention.doubly_stochastic is 0.3", [&](RecurrentConfig& c) {
      c.attention.doubly_stochastic = 0.3;
      change(c.attention);
    });
  };
  doubly([](RecurrentAttention& a) { a.kind = RecurrentAttentionKind::hard; });
  doubly([](RecurrentAttention& a) { a.kind = RecurrentAttentionKind::none; });
  doubly([](RecurrentAttention& a) { a.window = nn::AttentionWindow::local_m; });
  refused("input feeding passes on what attention found", [](RecurrentConfig& c) {
    c.attention.kind = RecurrentAttentionKind::none;
    c.attention.input_feeding = true;
  });
  refused("attention.radius is 0", [](RecurrentConfig& c) {
    c.attention.window = nn::AttentionWindow::local_p;
    c.attention.radius = 0;
  });
  EncoderDecoder model = make_recurrent_model(
      [] {
        RecurrentConfig config = small_recurrent("bahdanau2015");
        config.attention.score = nn::ScoreKind::location;
        config.attention.positions = 3;
        return config;
      }(),
      13);
  CHECK_ERROR(model.logits(make_batch({{4, 5, 6}}, {{4}})), "the sentence is too long");
}

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
  const std::vector<AttentionLayer> layers = forced_pass(model, some_batch()).of(AttentionKind::source);
  double sum = 0;
  for (const Tensor& matrix : layers.at(0).weights)  // [1, tokens, positions]
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
