// apps/examples/transformer.cpp and the library compute the same: with the library's weights, the short file
// has the library's logits, gradients, updates and translations. So each of the two checks the other: plain
// operations on padded sentences, and fused operations on packed ones.
#include "tests/catch.h"
#include "tests/transformer/support.h"

#define main one_file_main  // the file has a main() of its own
#include "apps/examples/transformer.cpp"
#undef main

namespace {

namespace lib = regard::transformer;
using Named = std::map<std::string, Tensor>;

const Settings small{.vocabulary = 128,
                     .d_model = 8,
                     .heads = 2,
                     .d_ff = 12,
                     .layers = 2,
                     .dropout_rate = 0,
                     .label_smoothing = 0.1,
                     .factor = 0.5,
                     .warmup_steps = 2};

lib::Config config() {
  return {.source_vocabulary = small.vocabulary,
          .target_vocabulary = small.vocabulary,
          .d_model = small.d_model,
          .heads = small.heads,
          .d_ff = small.d_ff,
          .encoder_layers = small.layers,
          .decoder_layers = small.layers,
          .dropout = lib::DropoutRates::all(0)};
}

struct Pairs {
  Sentences sources, targets;
};
const Pairs of_one_length{{"nous", "elle", "vous"}, {"they", "ours", "some"}};
const Pairs of_many_lengths{{"attention", "is", "all"}, {"a", "needs", ""}};

lib::Batch packed(const Pairs& pairs) {
  const auto ids = [](const std::string& text) {
    return std::vector<std::int32_t>(text.begin(), text.end());
  };
  lib::Batch batch;
  for (const std::string& x : pairs.sources) batch.source.append(ids(x + end));
  for (const std::string& y : pairs.targets) {
    batch.target_input.append(ids(begin + y));
    const std::vector<std::int32_t> output = ids(y + end);
    batch.target_output.insert(batch.target_output.end(), output.begin(), output.end());
  }
  return batch;
}

Tensor logits(Transformer& model, const Pairs& pairs) {
  return model.logits(Tokens("", pairs.sources, end), Tokens(begin, pairs.targets, ""));
}

/// The rows of [B, m, …] that are not padding, one sentence after another.
Tensor without_padding(const Tensor& x, const Sentences& targets) {
  std::vector<std::int32_t> rows;
  for (std::size_t i = 0; i < targets.size(); ++i)
    for (Index j = 0; j <= to_index(targets[i].size()); ++j)
      rows.push_back(static_cast<std::int32_t>(to_index(i) * x.size(1) + j));
  return gather(reshape(x, {x.size(0) * x.size(1), x.size(2)}), 0, rows);
}

/// What the short file calls `name`, cut out of the library's parameters or gradients. The library has the
/// matrices of queries, keys and values one below the other, and all matrices transposed, as PyTorch has.
Tensor of_library(const Named& library, std::string name) {
  if (name == "embedding") return library.at("src_embed.weight");
  const std::string weight_or_bias = name.substr(name.rfind('.') + 1);
  Index part = 0;
  for (const std::string what : {".query.", ".key.", ".value."}) {
    const std::size_t place = name.find(what);
    if (place != std::string::npos) {
      const Tensor all = library.at(name.substr(0, place) + ".in_proj_" + weight_or_bias);
      const Tensor mine = slice(all, 0, part * small.d_model, (part + 1) * small.d_model);
      return mine.rank() == 2 ? transpose(mine) : mine;
    }
    ++part;
  }
  const Tensor mine = library.at(name);
  return mine.rank() == 2 ? transpose(mine) : mine;
}

/// Both models with the same weights, all of them away from where they start.
struct Both {
  explicit Both(const lib::Config& of_library = config())
      : library(tests::make_model(of_library, 3)), one_file{small, Random(4)} {
    logits(one_file, of_one_length);  // makes its parameters
    const NoGrad no_grad;
    Index numbers = 0;
    for (auto& [name, parameter] : one_file.parameters) {
      const Tensor from = ::of_library(named(), name);
      REQUIRE(from.shape() == parameter.value.shape());
      std::ranges::copy(from.values(), parameter.value.data());
      parameter.value.values_changed();
      numbers += from.size();
    }
    CHECK(numbers == library.parameter_count());
  }

  Named named() {
    Named result;
    for (const auto& [name, tensor] : library.parameters()) result[name] = tensor.detach();
    return result;
  }
  Named named_gradients() {
    Named result;
    for (const auto& [name, tensor] : library.parameters()) result[name] = tensor.grad();
    return result;
  }

  lib::EncoderDecoder library;
  Transformer one_file;
};

/// The bias of keys adds the same number to all scores of a query, so its gradient is 0 but for rounding.
bool is_of_keys(const std::string& name) { return name.ends_with(".key.bias"); }

/// The error of the logits of the short file.
double logits_error(Both& both, const Pairs& pairs) {
  return tests::error(without_padding(logits(both.one_file, pairs), pairs.targets),
                      both.library.logits(packed(pairs)));
}

/// The largest error of a gradient of the short file.
double gradient_error(Both& both, const Pairs& pairs, double label_smoothing) {
  both.library.loss(packed(pairs), {.label_smoothing = Real(0.1)}).backward();
  cross_entropy(logits(both.one_file, pairs), Tokens("", pairs.targets, end), label_smoothing).backward();
  double largest = 0;
  for (const auto& [name, parameter] : both.one_file.parameters) {
    const Tensor got = parameter.value.grad(), expected = of_library(both.named_gradients(), name);
    largest =
        std::max(largest, is_of_keys(name) ? 1e-3 * std::abs(got.at({0})) : tests::error(got, expected));
  }
  return largest;
}

}  // namespace

TEST_CASE("the Transformer in one file: logits and gradients are those of the library") {
  for (const Pairs& pairs : {of_one_length, of_many_lengths}) {
    Both both;
    CHECK(logits_error(both, pairs) < 1e-12);
    CHECK(gradient_error(both, pairs, 0.1) < 1e-12);
    const double expected = both.library.loss(packed(pairs), {.label_smoothing = Real(0.1)}).item();
    const Tensor got = cross_entropy(logits(both.one_file, pairs), Tokens("", pairs.targets, end), 0.1);
    CHECK(got.item() == Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("the Transformer in one file: the comparison sees what is different") {
  const auto differs = [](const lib::Config& of_library) {
    Both both(of_library);
    return logits_error(both, of_many_lengths) > 1e-3 && gradient_error(both, of_many_lengths, 0.1) > 1e-3;
  };
  lib::Config changed = config();
  SECTION("no division by sqrt(d_k)") {
    changed.multi_head.scaled = false;
    CHECK(differs(changed));
  }
  SECTION("the norm before the sublayer") {
    changed.norm = lib::Norm::pre;
    changed.final_norm = false;
    CHECK(differs(changed));
  }
  SECTION("no positions") {
    changed.positions.kind = nn::PositionKind::none;
    CHECK(differs(changed));
  }
  SECTION("embeddings that are not multiplied by sqrt(d_model)") {
    changed.scaled_embedding = false;
    CHECK(differs(changed));
  }
  SECTION("no label smoothing") {
    Both both;
    CHECK(gradient_error(both, of_many_lengths, 0) > 1e-3);
  }
  SECTION("masks") {
    Both both;
    const Tokens source("", of_many_lengths.sources, end), target(begin, of_many_lengths.targets, "");
    const Tensor expected = both.library.logits(packed(of_many_lengths));
    const auto error = [&](const Tensor& source_mask, const Tensor& target_mask) {
      Transformer& model = both.one_file;
      const Tensor got = model.decode(target, model.encode(source, source_mask), target_mask, source_mask);
      return tests::error(without_padding(got, of_many_lengths.targets), expected);
    };
    const Tensor nothing = Tensor::scalar(0), causal = causal_mask(target.length);
    CHECK(error(padding_mask(source), padding_mask(target) + causal) < 1e-12);
    CHECK(error(padding_mask(source), padding_mask(target)) > 1e-3);
    CHECK(error(nothing, padding_mask(target) + causal) > 1e-3);
  }
}

TEST_CASE("the Transformer in one file: Adam and its learning rate are those of the library") {
  Both both;
  nn::Adam adam(both.library.parameters());
  for (int step = 1; step <= 4; ++step) {  // two of them during the warm-up
    CHECK(gradient_error(both, of_many_lengths, 0.1) < 1e-9);
    adam_step(both.one_file, step);
    adam.step({.learning_rate = nn::learning_rate({.schedule = nn::Schedule::noam,
                                                   .learning_rate = small.factor,
                                                   .warmup_steps = 2,
                                                   .d_model = small.d_model},
                                                  step)});
    for (const auto& [name, parameter] : both.one_file.parameters)
      if (!is_of_keys(name)) CHECK(tests::error(parameter.value, of_library(both.named(), name)) < 1e-9);
  }
}

TEST_CASE("the Transformer in one file: each token that it writes is the likeliest one of the library") {
  Both both;
  const Pairs pairs{of_many_lengths.sources, translate(both.one_file, of_many_lengths.sources)};
  const std::vector<std::int32_t> likeliest = argmax(both.library.logits(packed(pairs)));
  std::size_t row = 0;
  for (const std::string& target : pairs.targets) {
    CHECK(target.size() <= 10);
    for (const char token : target) CHECK(likeliest[row++] == token);
    if (target.size() < 10) CHECK(likeliest[row] == end.front());  // else it was cut off
    ++row;
  }
}
