// Models of MarianMT: logits and losses as in Hugging Face's transformers, in double precision
// (tests/fixtures/make_marian_fixtures.py).
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/exchange/weights.h"
#include "autograd/machine/error.h"
#include "nn/safetensors.h"
#include "nn/sinusoidal_positions.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"
#include "tests/transformer/support.h"
#include "transformer/teacher_forcing.h"

using namespace regard;
using namespace regard::foreign;
using namespace regard::tests;

namespace {

using Json = nlohmann::json;

const Json& expected_values() {
  static const Json json = [] {
    std::ifstream file(REGARD_FIXTURES "/marian/double.json");
    return Json::parse(file);
  }();
  return json;
}

std::string marian_weights(const std::string& name) {
  return REGARD_FIXTURES "/marian/double_" + name + ".safetensors";
}

/// </s> has id 0 in the file and <unk> 1, as usual.
StoredVocabulary stored_vocabulary(Index size, std::int32_t pad) {
  StoredVocabulary result{.size = size, .rows = {no_row, pad, 0, 1}};
  for (std::int32_t row = 2; row < size; ++row)
    if (row != pad) result.rows.push_back(row);
  return result;
}

/// Our id of a token of the file.
std::int32_t our_ids(const StoredVocabulary& vocabulary, std::int32_t id) {
  const auto found = std::find(vocabulary.rows.begin(), vocabulary.rows.end(), id);
  return static_cast<std::int32_t>(found - vocabulary.rows.begin());
}

std::vector<Ids> our_ids(const StoredVocabulary& vocabulary, const Json& sentences) {
  std::vector<Ids> result;
  for (Ids sentence : sentences.get<std::vector<Ids>>()) {
    for (std::int32_t& id : sentence) id = our_ids(vocabulary, id);
    result.push_back(sentence);
  }
  return result;
}

struct MarianCase {
  StoredVocabulary source, target;
  Config config;
  Batch batch;
  const Json& values;

  explicit MarianCase(const std::string& name)
      : source(stored_vocabulary(expected_values()["models"][name]["vocabularies"][0],
                                 expected_values()["models"][name]["pad"])),
        target(stored_vocabulary(expected_values()["models"][name]["vocabularies"][1],
                                 expected_values()["models"][name]["pad"])),
        config{.source_vocabulary = to_index(source.rows.size()),
               .target_vocabulary = to_index(target.rows.size()),
               .d_model = 8,
               .heads = 2,
               .d_ff = 12,
               .encoder_layers = 2,
               .decoder_layers = expected_values()["models"][name]["decoder_layers"],
               .scaled_embedding = expected_values()["models"][name]["scaled"],
               .activation = expected_values()["models"][name]["activation"] == "silu" ? nn::Activation::silu
                                                                                       : nn::Activation::gelu,
               .shared_embeddings = name == "tied"     ? SharedEmbeddings::all
                                    : name == "untied" ? SharedEmbeddings::none
                                                       : SharedEmbeddings::target_output,
               .generator_bias = true,
               .dropout = DropoutRates::all(0)},
        batch(make_batch(our_ids(source, expected_values()["sources"]),
                         our_ids(target, expected_values()["targets"]))),
        values(expected_values()["models"][name]) {}

  EncoderDecoder model(const std::string& path) {
    const nn::SafetensorsFile file(path);
    config.positions.layout = positions_of_marian_mt(file, config.d_model);
    const auto parameters =
        read_parameters(Program::hugging_face, file, config, "transformer", source, target);
    Random random(1);
    EncoderDecoder made = make_transformer(config, random);
    nn::copy_tensors(parameters, made.parameters(), path);
    return made;
  }
};

}  // namespace

TEST_CASE("logits, losses and scores of MarianMT models are those of transformers") {
  for (const std::string name : {"tied", "two_vocabularies", "untied"}) {
    INFO(name);
    MarianCase c(name);
    EncoderDecoder model = c.model(marian_weights(name));
    const Tensor logits = model.logits(c.batch);
    const Json& rows = c.values["logits"];
    REQUIRE(std::ssize(rows) == logits.size(0));
    double largest = 0, difference = 0;
    for (Index row = 0; row < logits.size(0); ++row)
      for (Index id = 1; id < logits.size(1); ++id) {
        const double value = rows[to_size(row)][to_size(c.target.rows[to_size(id)])];
        largest = std::max(largest, std::abs(value));
        difference = std::max(difference, std::abs(value - logits.at({row, id})));
      }
    CHECK(largest > 1);
    CHECK(difference < 1e-10);
    CHECK(model.loss(c.batch).item() == Approx(c.values["loss"].get<double>()).epsilon(1e-10));
    CHECK(model.loss(c.batch, {.label_smoothing = Real(0.1)}).item() ==
          Approx(c.values["smoothed_loss"].get<double>()).epsilon(1e-10));
    double total = 0;
    for (const ForcedScore& of_pair : score(model, c.batch)) total -= of_pair.log_probability;
    CHECK(total / static_cast<double>(rows.size()) == Approx(c.values["loss"].get<double>()).epsilon(1e-10));
  }
}

TEST_CASE("the layout of positions matters, and a stored table says which it is") {
  MarianCase c("untied");  // its file has the tables
  EncoderDecoder model = c.model(marian_weights("untied"));
  CHECK(c.config.positions.layout == nn::SinusoidLayout::halves);
  const double loss = model.loss(c.batch).item();
  for (const auto other : {nn::SinusoidLayout::interleaved, nn::SinusoidLayout::marian}) {
    Config config = c.config;
    config.positions.layout = other;
    Random random(1);
    EncoderDecoder changed = make_transformer(config, random);
    std::map<std::string, Tensor> parameters;
    for (const auto& [name, tensor] : model.parameters()) parameters.emplace(name, tensor);
    nn::copy_tensors(parameters, changed.parameters(), "the model");
    CHECK(std::abs(changed.loss(c.batch).item() - loss) > 1e-4);
  }

  const TemporaryDirectory directory;
  const auto layout_of = [&](const Tensor& encoder, const Tensor& decoder) {
    nn::save_safetensors(directory / "tables", {{"model.encoder.embed_positions.weight", encoder},
                                                {"model.decoder.embed_positions.weight", decoder}});
    return positions_of_marian_mt(nn::SafetensorsFile(directory / "tables"), 8);
  };
  nn::SinusoidalPositions marian(8, 10000, nn::SinusoidLayout::marian), interleaved(8);
  const Tensor table = marian.table(127);
  CHECK(layout_of(table, table) == nn::SinusoidLayout::marian);
  CHECK_ERROR(layout_of(interleaved.table(127), interleaved.table(127)), "is no table of sines and cosines");
  nn::SinusoidalPositions halves(8, 10000, nn::SinusoidLayout::halves);
  CHECK_ERROR(layout_of(table, halves.table(127)), "is no table of sines and cosines");
  CHECK_ERROR(layout_of(Tensor::zeros({3, 7}), table), "expected [positions, 8], is [3, 7]");
}

TEST_CASE("weights that do not fit the configuration are named with both shapes") {
  MarianCase c("tied");
  const std::map<std::string, Tensor> stored = nn::load_safetensors(marian_weights("tied"));
  const TemporaryDirectory directory;
  const auto complaint = [&](const auto& change) {
    std::map<std::string, Tensor> tensors = stored;
    change(tensors);
    std::vector<nn::NamedParameter> named;
    for (const auto& [name, tensor] : tensors) named.push_back({name, tensor});
    nn::save_safetensors(directory / "weights", named);
    return MESSAGE_OF(c.model(directory / "weights"));
  };
  using Tensors = std::map<std::string, Tensor>;
  CHECK_CONTAINS(complaint([](Tensors& t) {
                   t["model.encoder.layers.1.fc1.weight"] = Tensor::zeros({12, 4});
                 }),
                 "model.encoder.layers.1.fc1.weight: expected [12, 8], is [12, 4]");
  CHECK_CONTAINS(complaint([](Tensors& t) {
                   t["model.shared.weight"] = Tensor::zeros({13, 8});
                 }),
                 "model.shared.weight: expected [14, 8], is [13, 8]");
  CHECK_CONTAINS(complaint([](Tensors& t) { t["final_logits_bias"] = Tensor::zeros({14}); }),
                 "final_logits_bias: expected [1, 14], is [14]");
  CHECK_CONTAINS(complaint([](Tensors& t) { t.erase("model.decoder.layers.0.encoder_attn.q_proj.bias"); }),
                 "model.decoder.layers.0.encoder_attn.q_proj.bias is missing; expected [8]");
  CHECK_CONTAINS(complaint([](Tensors& t) {
                   t["model.encoder.layers.2.fc1.weight"] = Tensor::zeros({12, 8});
                 }),
                 "model.encoder.layers.2.fc1.weight of shape [12, 8] has no place");
  CHECK_CONTAINS(complaint([](Tensors& t) { t.erase("model.shared.weight"); }),
                 "model.shared.weight is missing");
  // A tied matrix may stand under another of its names, and the bias may be missing: then it is 0.
  CHECK_CONTAINS(complaint([](Tensors& t) {
                   t["lm_head.weight"] = t["model.shared.weight"];
                   t.erase("model.shared.weight");
                   t.erase("final_logits_bias");
                 }),
                 "no error was thrown");
}
