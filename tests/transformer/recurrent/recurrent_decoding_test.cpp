// Recurrent models: step by step gives what all at once gives, a sentence alone what it gives among others,
// on any number of threads. The doubly stochastic term: its value from the attention weights, and that only
// training has it.
#include "autograd/error.h"
#include "tests/catch.h"
#include "tests/transformer/checked_decoding.h"
#include "tests/transformer/recurrent/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// Every way in which a decoder runs: with and without attention, both orders, windows, several layers.
std::vector<std::pair<std::string, RecurrentConfig>> decoders() {
  std::vector<std::pair<std::string, RecurrentConfig>> all;
  for (const char* name : {"cho2014", "sutskever2014", "bahdanau2015", "luong2015"})
    all.emplace_back(name, small_recurrent(name));
  RecurrentConfig config = small_recurrent("luong2015");
  config.attention.input_feeding = false;
  config.attention.window = nn::AttentionWindow::local_m;
  config.attention.radius = 2;
  all.emplace_back("state first without input feeding, local_m", config);
  config = small_recurrent("bahdanau2015");
  config.encoder_layers = config.decoder_layers = 2;
  config.cell = nn::Cell::lstm;
  config.attention.input_feeding = true;
  config.attention.window = nn::AttentionWindow::local_p;
  all.emplace_back("two layers, context first with input feeding, local_p", config);
  return all;
}

std::vector<Ids> sentences(std::uint64_t seed) {
  return random_sentences({3, 6, 0, 2, 9, 1, 1, 4, 5, 2}, 11, seed);
}

}  // namespace

TEST_CASE("recurrent: hypotheses are continued twice, reordered and dropped, in chunks of any length") {
  for (const auto& [name, config] : decoders()) {
    INFO(name);
    EncoderDecoder model = make_recurrent_model(config, 1);
    model.eval();
    Checked decoder(model, random_sentences({4, 1, 7}, 11, 2));
    Random random(3);
    decoder.advance({{0, {1}}, {1, {1, 5}}, {2, {1}}});
    for (int step = 0; step < 8; ++step) {
      auto continuations = decoder.random_continuations(4, 3, random);
      if (step == 4) decoder.drop_sentence(continuations, random);
      decoder.advance(continuations);
    }
    CHECK(decoder.worst() < 1e-12);
    CHECK(decoder.compared() > 100);
  }
}

TEST_CASE("recurrent: a sentence alone gives what it gives in a batch") {
  for (const auto& [name, config] : decoders()) {
    INFO(name);
    EncoderDecoder model = make_recurrent_model(config, 4);
    model.eval();
    const std::vector<Ids> sources = sentences(5), targets = sentences(6);
    const Tensor together = model.logits(make_batch(sources, targets));
    std::vector<Tensor> alone;
    for (std::size_t i = 0; i < sources.size(); ++i)
      alone.push_back(model.logits(make_batch({sources[i]}, {targets[i]})));
    CHECK(error(together, concat(alone, 0)) < 1e-12);

    std::vector<Ids> changed = sources;  // and the source matters
    changed[1][0] = changed[1][0] == 4 ? 5 : 4;
    CHECK(error(model.logits(make_batch(changed, targets)), together) > 1e-6);
  }
}

TEST_CASE("recurrent: the same bits on 1, 2, 3 and 8 threads") {
  for (const auto& [name, shape] : decoders()) {
    INFO(name);
    RecurrentConfig config = shape;
    config.d_model = 32;
    config.embedding_dropout = config.dropout = 0.2;
    const auto loss_and_gradients = [&](int threads) {
      const Threads use(threads);
      EncoderDecoder model = make_recurrent_model(config, 7, 0.1);
      model.set_random(1, 1);
      std::vector<std::size_t> lengths;
      for (std::size_t i = 0; i < 120; ++i) lengths.push_back(i % 11);
      const Tensor loss =
          model.loss(make_batch(random_sentences(lengths, 11, 8), random_sentences(lengths, 11, 9)));
      std::vector<Tensor> all{loss};
      loss.backward();
      for (const Tensor& tensor : tensors(model)) all.push_back(tensor.grad());
      return all;
    };
    const std::vector<Tensor> one = loss_and_gradients(1);
    for (const int threads : {2, 3, 8}) CHECK(same_bits(loss_and_gradients(threads), one));
  }
}

TEST_CASE("recurrent: attention weights sum to one and are those of the rows that the decoder reads") {
  RecurrentConfig config = small_recurrent("bahdanau2015");
  for (const bool feeding : {false, true}) {
    for (const AttentionOrder order : {AttentionOrder::context_first, AttentionOrder::state_first}) {
      config.attention.order = order;
      config.attention.input_feeding = feeding;
      EncoderDecoder model = make_recurrent_model(config, 10);
      model.eval();
      const std::vector<Ids> sources = sentences(11), targets = sentences(12);
      const auto weights_of = [&](const std::vector<Ids>& from, const std::vector<Ids>& to) {
        return forced_pass(model, make_batch(from, to)).of(AttentionKind::source).at(0).weights;
      };
      const nn::AttentionWeights weights = weights_of(sources, targets);
      REQUIRE(weights.size() == sources.size());
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const Tensor& matrix = weights[i];
        CHECK(matrix.shape() == Shape{1, to_index(targets[i].size()) + 1, to_index(sources[i].size()) + 1});
        CHECK(error(sum(matrix, {{-1}}), Tensor::full({1, matrix.size(1)}, 1)) < 1e-12);
        CHECK(error(weights_of({sources[i]}, {targets[i]}).front(), matrix) < 1e-12);
      }
    }
  }
}

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
