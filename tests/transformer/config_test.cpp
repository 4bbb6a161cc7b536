// Shapes of models: presets, sizes, names, and what makes no model.
#include "tests/catch.h"
#include "tests/transformer/support.h"
#include "transformer/self_attention/transformer_config.h"

using namespace regard;
using namespace regard::tests;

namespace {

Config with_vocabulary(Config config, Index size) {
  config.source_vocabulary = config.target_vocabulary = size;
  return config;
}

Index parameter_count(const Config& config) {
  Random random(1);
  return make_transformer(config, random).parameter_count();
}

bool all_rates(const DropoutRates& rates, double rate) {
  return rates.embedding == rate && rates.sublayer == rate && rates.attention == rate &&
         rates.feed_forward == rate;
}

}  // namespace

TEST_CASE("presets") {
  const Config base = preset("base"), tiny = preset("tiny"), toy = preset("toy");
  const auto sizes = [](const Config& c) {
    return std::vector<Index>{c.encoder_layers, c.decoder_layers, c.d_model, c.heads, c.d_ff};
  };
  CHECK(sizes(base) == std::vector<Index>{6, 6, 512, 8, 2048});
  CHECK(sizes(tiny) == std::vector<Index>{4, 4, 128, 4, 256});
  CHECK(sizes(toy) == std::vector<Index>{2, 2, 64, 4, 128});
  CHECK(all_rates(base.dropout, 0.1));
  CHECK(all_rates(tiny.dropout, 0.3));
  CHECK(all_rates(toy.dropout, 0.1));
  for (const Config& config : {base, tiny, toy}) {
    CHECK(config.norm == Norm::post);
    CHECK_FALSE(config.has_final_norm());
    CHECK(config.shared_embeddings == SharedEmbeddings::all);
    CHECK_NOTHROW(check(with_vocabulary(config, 100)));
  }
  CHECK_ERROR(preset("big"), "no preset big; give base, tiny or toy");
}

TEST_CASE("numbers of parameters, with final norms and a joint vocabulary of 9,712") {
  const auto count = [](const char* name, bool final_norm) {
    Config config = with_vocabulary(preset(name), 9712);
    config.final_norm = final_norm;
    return parameter_count(config);
  };
  CHECK(count("tiny", true) == 2'568'704);
  CHECK(count("base", true) == 49'113'088);
  CHECK(count("tiny", false) == 2'568'704 - 2 * 2 * 128);
}

TEST_CASE("a final norm where the norm order needs it, unless something else is wanted") {
  Config config;
  CHECK_FALSE(config.has_final_norm());
  config.norm = Norm::pre;
  CHECK(config.has_final_norm());
  config.final_norm = false;
  CHECK_FALSE(config.has_final_norm());
  config.norm = Norm::post;
  config.final_norm = true;
  CHECK(config.has_final_norm());
}

TEST_CASE("shared embeddings are one matrix, others are not") {
  const auto ties = [](SharedEmbeddings shared) {
    Config config = small_config();
    config.shared_embeddings = shared;
    EncoderDecoder model = make_model(config, 1);
    return std::vector<bool>{
        encoder_of(model).input.embedding.weight.is(decoder_of(model).input.embedding.weight),
        decoder_of(model).input.embedding.weight.is(model.generator.weight)};
  };
  CHECK(ties(SharedEmbeddings::none) == std::vector<bool>{false, false});
  CHECK(ties(SharedEmbeddings::target_output) == std::vector<bool>{false, true});
  CHECK(ties(SharedEmbeddings::all) == std::vector<bool>{true, true});
}

TEST_CASE("a model's parameters in order") {
  Config config = small_config();
  config.encoder_layers = config.decoder_layers = 1;
  config.final_norm = true;
  config.shared_embeddings = SharedEmbeddings::target_output;
  EncoderDecoder model = make_model(config, 1);
  // PyTorch's own names and shapes are in pytorch_test.cpp; here only the order of the modules.
  std::vector<std::string> modules;
  for (const std::string& name : names(model)) {
    const std::string module = name.substr(0, name.rfind('.'));
    if (modules.empty() || modules.back() != module) modules.push_back(module);
  }
  CHECK(modules[0] == "src_embed");
  CHECK(modules[1] == "tgt_embed");
  const auto layer = [&](const std::string& part, std::size_t first,
                         const std::vector<std::string>& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(modules[first + i] == part + expected[i]);
  };
  layer("encoder.layers.0.", 2, {"self_attn", "self_attn.out_proj", "linear1", "linear2", "norm1", "norm2"});
  CHECK(modules[8] == "encoder.norm");
  layer("decoder.layers.0.", 9,
        {"self_attn", "self_attn.out_proj", "multihead_attn", "multihead_attn.out_proj", "linear1", "linear2",
         "norm1", "norm2", "norm3"});
  CHECK(modules[18] == "decoder.norm");
  CHECK(modules.size() == 19);
  config.shared_embeddings = SharedEmbeddings::none;
  EncoderDecoder unshared = make_model(config, 1);
  CHECK(names(unshared)[2] == "generator.weight");
}

TEST_CASE("what makes no model is refused") {
  using Change = void (*)(Config&);
  const std::vector<std::pair<std::string, Change>> cases{
      {"heads (3) must divide d_model (8)", [](Config& c) { c.heads = 3; }},
      {"11 and 12 entries", [](Config& c) { c.target_vocabulary = 12; }},
      {"source_vocabulary is 0", [](Config& c) { c.source_vocabulary = 0; }},
      {"target_vocabulary is -1", [](Config& c) { c.target_vocabulary = -1; }},
      {"d_model is 0", [](Config& c) { c.d_model = 0; }},
      {"heads is 0", [](Config& c) { c.heads = 0; }},
      {"d_ff is 0", [](Config& c) { c.d_ff = 0; }},
      {"encoder_layers is 0", [](Config& c) { c.encoder_layers = 0; }},
      {"decoder_layers is 0", [](Config& c) { c.decoder_layers = 0; }},
      {"rotary positions turn pairs of columns, but a head has 1",
       [](Config& c) {
         c.heads = 8;
         c.positions.kind = nn::PositionKind::rotary;
       }},
      {"dropout: probability 1 must be", [](Config& c) { c.dropout.embedding = 1; }},
      {"dropout: probability -0.5 must be", [](Config& c) { c.dropout.sublayer = -0.5; }},
      {"dropout: probability 2 must be", [](Config& c) { c.dropout.attention = 2; }},
      {"dropout: probability nan must be at least 0 and below 1",
       [](Config& c) { c.dropout.feed_forward = std::nan(""); }}};
  for (const auto& [expected, change] : cases) {
    Config config = small_config();
    change(config);
    Random random(1);
    CHECK_ERROR(make_transformer(config, random), expected);
  }
  Config unshared = small_config();  // different vocabularies are fine where nothing ties them
  unshared.target_vocabulary = 12;
  for (const SharedEmbeddings shared : {SharedEmbeddings::none, SharedEmbeddings::target_output}) {
    unshared.shared_embeddings = shared;
    CHECK_NOTHROW(check(unshared));
  }
}

TEST_CASE("batches that do not fit are refused") {
  EncoderDecoder model = make_model(small_config(), 1);
  const Batch batch = make_batch({{4, 5}, {6}}, {{7}, {8, 9}});
  CHECK(std::isfinite(model.loss(batch).item()));

  Batch broken = batch;
  broken.source.ids[1] = 11;
  CHECK_ERROR(model.loss(broken), "id 11 at position 1");
  broken = batch;
  broken.target_output[0] = -1;
  CHECK_ERROR(model.loss(broken), "-1");
  broken = batch;
  broken.source = pack_sources({{4, 5}});
  CHECK_ERROR(model.loss(broken), "3 offsets of queries and 2 of keys");
  broken = batch;
  broken.target_input.ids.push_back(4);
  CHECK_ERROR(model.loss(broken), "6 tokens, but its offsets cover 5");
  broken = batch;
  broken.target_output.pop_back();
  CHECK_ERROR(model.loss(broken), "linear_cross_entropy");
}

TEST_CASE("norm and residual connection can be left out of the frame around a sublayer") {
  Config config = small_config();
  config.dropout = DropoutRates::all(0);
  Random random(3);
  const Tensor x = Tensor::normal({5, config.d_model}, 0, 1, random);
  const auto framed = [&](Norm norm, bool residual) {
    config.norm = norm;
    config.residual = residual;
    return Residual(config)(x, [](const Tensor& input) { return input * 2 + 1; });
  };
  // (x - mean) / sqrt(variance) of each row, by hand.
  const auto normal = [](Tensor rows) {
    const Index width = rows.size(1);
    for (Index row = 0; row < rows.size(0); ++row) {
      double mean = 0, variance = 0;
      for (Index i = 0; i < width; ++i)
        mean += static_cast<double>(rows.at({row, i})) / static_cast<double>(width);
      for (Index i = 0; i < width; ++i)
        variance += std::pow(static_cast<double>(rows.at({row, i})) - mean, 2) / static_cast<double>(width);
      for (Index i = 0; i < width; ++i)
        rows.data()[row * width + i] =
            static_cast<Real>((static_cast<double>(rows.at({row, i})) - mean) / std::sqrt(variance + 1e-5));
    }
    return rows;
  };
  CHECK(error(framed(Norm::none, true), x * 3 + 1) < 1e-12);
  CHECK(error(framed(Norm::none, false), x * 2 + 1) < 1e-12);
  CHECK(error(framed(Norm::post, true), normal(x * 3 + 1)) < 1e-12);
  CHECK(error(framed(Norm::post, false), normal(x * 2 + 1)) < 1e-12);
  CHECK(error(framed(Norm::pre, true), x + normal(x.clone()) * 2 + 1) < 1e-12);
  CHECK(error(framed(Norm::pre, false), normal(x.clone()) * 2 + 1) < 1e-12);
}

TEST_CASE(
    "embeddings without the factor are rows of the matrix, and a model without norm has no parameters of "
    "it") {
  Config config = small_config();
  config.norm = Norm::none;
  config.scaled_embedding = false;
  EncoderDecoder model = make_model(config, 4);
  for (const nn::NamedParameter& parameter : model.parameters())
    CHECK(parameter.name.find("norm") == std::string::npos);
  const nn::Embedding& embedding = encoder_of(model).input.embedding;
  const Tensor row = embedding(std::vector<std::int32_t>{5});
  for (Index i = 0; i < config.d_model; ++i) CHECK(row.data()[i] == embedding.weight.at({5, i}));
}
