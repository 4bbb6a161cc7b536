// Exported files, compared with those of CTranslate2's own classes (tests/fixtures/README.md) and read back.
#include "apps/exchange/export.h"

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <zlib.h>

#include "apps/translation/model/make_model.h"
#include "apps/translation/settings/settings_json.h"
#include "nn/safetensors.h"
#include "tests/apps/support.h"

using namespace regard;
using namespace regard::tests;
using namespace regard::translation;
using namespace regard::exchange;

namespace {

constexpr const char* models[]{"post_norm_shared_all", "post_norm_final_norm_unshared",
                               "pre_norm_final_norm_shared_target_output", "pre_norm_unshared"};

Json read_json(const std::string& path) { return Json::parse(std::ifstream(path)); }

Vocabulary numbered_vocabulary(Index size) {
  TokenCounts counts;
  for (Index id = special::count; id < size; ++id) counts.add("w" + std::to_string(id));
  return Vocabulary::from_counts(counts);
}

/// A model of tests/fixtures/pytorch, with other settings of the model if there are some.
TranslationModel fixture_model(const std::string& name, const std::vector<std::string>& overrides = {}) {
  const std::string path = REGARD_FIXTURES "/pytorch/" + name;
  Json shape = read_json(path + ".json").at("configuration");
  Vocabularies vocabularies{numbered_vocabulary(shape["source_vocabulary"]),
                            numbered_vocabulary(shape["target_vocabulary"])};
  shape.erase("source_vocabulary");
  shape.erase("target_vocabulary");
  Settings settings = parse_settings({{"model", shape}}, name, overrides);
  const auto weights = nn::load_safetensors(path + ".safetensors");
  transformer::EncoderDecoder model = make_model(settings, vocabularies, Random(1));
  for (const auto& [parameter, tensor] : model.parameters())
    if (const auto found = weights.find("weights/" + parameter); found != weights.end())
      std::ranges::copy(found->second.values(), tensor.data());
  return {std::move(settings), std::move(vocabularies), make_tokeniser("word"), std::move(model)};
}

/// model.bin, or another file, of a model for CTranslate2.
std::string exported(TranslationModel& model, WeightPrecision precision,
                     const std::string& file = "model.bin") {
  const TemporaryDirectory directory;
  export_ctranslate2(model, precision, directory / "");
  return content(directory / file);
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// Reads model.bin from the description in CTranslate2's model_spec.py.
class ModelBin {
 public:
  explicit ModelBin(std::string bytes) : bytes_(std::move(bytes)) {
    json["version"] = number<std::uint32_t>();
    json["name"] = text();
    json["revision"] = number<std::uint32_t>();
    for (auto count = number<std::uint32_t>(); count > 0; --count) {
      const std::string name = text();
      Json shape = Json::array();
      for (auto rank = number<std::uint8_t>(); rank > 0; --rank) shape.push_back(number<std::uint32_t>());
      const char* const types[]{"float32", "int8", "int16"};
      const std::string type = types[number<std::uint8_t>()];
      const auto size = number<std::uint32_t>();
      contents[name] = bytes_.substr(position_, size);
      json["variables"][name] = {type, shape, checksum(contents[name])};
      position_ += size;
    }
    for (auto count = number<std::uint32_t>(); count > 0; --count) {
      const std::string name = text();
      json["aliases"][name] = text();
    }
    CHECK(position_ == bytes_.size());
  }

  Json json = {{"aliases", Json::object()}};
  std::map<std::string, std::string> contents;

 private:
  template <class Number>
  Number number() {
    Number result{};
    REQUIRE(position_ + sizeof result <= bytes_.size());
    std::memcpy(&result, &bytes_[position_], sizeof result);
    position_ += sizeof result;
    return result;
  }
  std::string text() {
    const std::size_t size = number<std::uint16_t>();
    position_ += size;
    REQUIRE(bytes_[position_ - 1] == '\0');
    return bytes_.substr(position_ - size, size - 1);
  }

  std::string bytes_;
  std::size_t position_ = 0;
};

/// Compares with what CTranslate2's classes wrote. Sines of two libraries may differ in their last bit.
void check_same(const ModelBin& got, const Json& expected) {
  for (const char* const key : {"version", "name", "revision"}) CHECK(got.json.at(key) == expected.at(key));
  CHECK(nlohmann::json(got.json.at("aliases")) == nlohmann::json(expected.at("aliases")));
  CHECK(got.json.at("variables").size() == expected.at("variables").size());
  const std::string positions = "decoder/position_encodings/encodings";
  for (const auto& [name, variable] : expected.at("variables").items()) {
    CAPTURE(name);
    REQUIRE(got.json.at("variables").contains(name));
    const Json& found = got.json.at("variables").at(name);
    CHECK(found[0] == variable[0]);
    CHECK(found[1] == variable[1]);
    if (name != positions) CHECK(found[2] == variable[2]);
  }
  const std::string& table = got.contents.at(positions);
  const std::size_t width = got.json.at("variables").at(positions)[1][1];
  for (const std::size_t position : {0, 1, 7, 500, 2047})
    for (std::size_t column = 0; column < width; ++column) {
      const double angle = static_cast<double>(position) /
                           std::pow(10000, static_cast<double>(column / 2 * 2) / static_cast<double>(width));
      float value = 0;
      std::memcpy(&value, &table[sizeof value * (position * width + column)], sizeof value);
      CHECK(value == Approx(column % 2 == 0 ? std::sin(angle) : std::cos(angle)).margin(1e-4));
    }
}

}  // namespace

TEST_CASE("a model for CTranslate2 has the bytes that CTranslate2's own classes write", "[exchange]") {
  const Json all = read_json(REGARD_FIXTURES "/ctranslate2.json");
  CHECK(all.size() == 6);
  for (const auto& [name, expected] : all.items()) {
    CAPTURE(name);
    const std::size_t slash = name.find('/');
    TranslationModel model = fixture_model(name.substr(0, slash));
    const TemporaryDirectory directory;
    export_ctranslate2(model, name.ends_with("int8") ? WeightPrecision::int8 : WeightPrecision::float32,
                       directory / "");
    check_same(ModelBin(content(directory / "model.bin")), expected);
    CHECK(directory.entries() == 2 + expected.at("files").size());
    CHECK(nlohmann::json(read_json(directory / "config.json")) == nlohmann::json(expected.at("config")));
    for (const auto& [file, tokens] : expected.at("files").items())
      CHECK(read_json(directory / file) == tokens);
  }
}

TEST_CASE("settings that CTranslate2 knows by other variables are exported", "[exchange]") {
  const auto contents = [](const std::vector<std::string>& overrides) {
    TranslationModel model = fixture_model("pre_norm_unshared", overrides);
    return ModelBin(exported(model, WeightPrecision::float32));
  };
  const std::string one_byte(1, 1), zero_byte(1, 0), positions = "coder/position_encodings/encodings";
  CHECK(contents({}).contents.at("encoder/scale_embeddings") == one_byte);
  CHECK(contents({"model.scaled_embedding=false"}).contents.at("encoder/scale_embeddings") == zero_byte);
  CHECK(contents({"model.activation=gelu"}).contents.at("decoder/activation") == std::string(1, 3));
  CHECK(contents({"model.activation=silu"}).contents.at("decoder/activation") == std::string(1, 2));
  const ModelBin unscaled = contents({"model.multi_head.scaled=false"});
  const float one = 1;
  CHECK(unscaled.contents.at("decoder/layer_1/attention/queries_scale") ==
        std::string(reinterpret_cast<const char*>(&one), sizeof one));
  const ModelBin one_side = contents({"model.positions.sides=encoder"});
  CHECK(one_side.json.at("aliases").empty());
  CHECK(one_side.contents.at("de" + positions) == std::string(2048 * 8 * sizeof(float), '\0'));
  CHECK(one_side.contents.at("en" + positions) == contents({}).contents.at("de" + positions));
  const ModelBin learned = contents({"model.positions.kind=learned", "model.positions.most=300"});
  CHECK(learned.json.at("variables").at("en" + positions)[1] == Json{300, 8});
  CHECK(learned.contents.at("en" + positions) != learned.contents.at("de" + positions));
  CHECK(contents({"data.max_length=3000"}).json.at("variables").at("de" + positions)[1][0] == 6013);
  CHECK(contents({"data.max_length=1000000000"}).json.at("variables").at("de" + positions)[1][0] == 65536);
}

TEST_CASE("special tokens that the softmax leaves out are not exported to CTranslate2", "[exchange]") {
  for (const Index first : {0, 1, 2}) {
    CAPTURE(first);
    TranslationModel model =
        fixture_model("pre_norm_unshared", {"model.generator_bias=true", "model.positions.layout=halves",
                                            "model.first_predicted=" + std::to_string(first)});
    const std::map<std::string, Tensor> tensors = named_tensors(model);
    std::iota(tensors.at("generator.bias").values().begin(), tensors.at("generator.bias").values().end(),
              Real{1});
    const TemporaryDirectory directory;
    if (first == 2) {
      CHECK_ERROR(export_ctranslate2(model, WeightPrecision::float32, directory / ""),
                  "model.first_predicted is 2, but the embedding of <s> is not zero");
      std::ranges::fill(tensors.at("tgt_embed.weight").values().subspan(8, 8), Real{0});
    }
    export_ctranslate2(model, WeightPrecision::float32, directory / "");
    const ModelBin bin(content(directory / "model.bin"));
    const auto floats = [&](const std::string& name) {
      std::vector<float> numbers(bin.contents.at(name).size() / sizeof(float));
      std::memcpy(numbers.data(), bin.contents.at(name).data(), bin.contents.at(name).size());
      return numbers;
    };
    CHECK(floats("decoder/projection/bias").size() == to_size(13 - first));
    CHECK(floats("decoder/projection/bias").front() == static_cast<float>(first + 1));
    for (const auto& [there, here] : {std::pair("decoder/embeddings/weight", "tgt_embed.weight"),
                                      {"decoder/projection/weight", "generator.weight"},
                                      {"encoder/embeddings_0/weight", "src_embed.weight"}})
      CHECK(std::ranges::equal(floats(there), tensors.at(here).values().subspan(to_size(8 * first))));
    const std::vector<float> positions = floats("decoder/position_encodings/encodings");
    CHECK(std::vector(positions.begin(), positions.begin() + 8) ==
          std::vector<float>{0, 0, 0, 0, 1, 1, 1, 1});
    const char* const tokens[]{"<pad>", "<s>", "</s>"};
    CHECK(read_json(directory / "target_vocabulary.json")[0] == tokens[first]);
    CHECK(read_json(directory / "source_vocabulary.json").size() == to_size(11 - first));
    CHECK(bin.contents.at("decoder/start_from_zero_embedding") == std::string(1, first == 2));
    CHECK(read_json(directory / "config.json").at("decoder_start_token") == (first == 2 ? "</s>" : "<s>"));
  }
}

TEST_CASE("int8 weights are rows whose greatest absolute value is 127", "[exchange]") {
  TranslationModel model = fixture_model("post_norm_shared_all");
  const std::map<std::string, Tensor> tensors = named_tensors(model);
  const Tensor& matrix = tensors.at("encoder.layers.0.linear1.weight");  // [12, 8]
  const std::vector<std::vector<Real>> rows{
      {0, 0, 0, 0, 0, 0, 0, 0}, {1, -2, 0.5, 1.25, 0, 2, -0.25, 1e-3F}, {1e-40F, 0, 0, 0, 0, 0, 0, 0}};
  for (std::size_t row = 0; row < rows.size(); ++row) std::ranges::copy(rows[row], matrix.data() + 8 * row);
  const ModelBin bin(exported(model, WeightPrecision::int8));
  const std::string& numbers = bin.contents.at("encoder/layer_0/ffn/linear_0/weight");
  const std::vector<int> expected{0,  0,    0,  0,  0, 0,   0,   0,
                                  64, -127, 32, 79, 0, 127, -16, 0};  // 63.5, 31.75, …
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(static_cast<signed char>(numbers[i]) == expected[i]);
  float scales[3];
  std::memcpy(scales, bin.contents.at("encoder/layer_0/ffn/linear_0/weight_scale").data(), sizeof scales);
  CHECK(scales[0] == 1);
  CHECK(scales[1] == 63.5);
  CHECK(std::isfinite(scales[2]));
}

TEST_CASE("a state_dict for PyTorch has all names, and the same numbers", "[exchange]") {
  for (const char* const name : models) {
    CAPTURE(name);
    TranslationModel model = fixture_model(name);
    const TemporaryDirectory directory;
    export_pytorch(model, directory / "");
    const auto stored = nn::load_safetensors(directory / "model.safetensors");
    for (const char* const embedding : {"src_embed.weight", "tgt_embed.weight", "generator.weight"})
      CHECK(stored.contains(embedding));
    for (const auto& [parameter, tensor] : model.model.parameters())
      CHECK(std::ranges::equal(stored.at(parameter).values(), tensor.values()));
    CHECK(std::ranges::equal(stored.at("generator.weight").values(),
                             named_tensors(model).at("generator.weight").values()));
    const Json json = read_json(directory / "config.json");
    CHECK(json.at("transformer").at("nhead") == 2);
    CHECK(json.at("transformer").at("norm_first") == std::string(name).starts_with("pre"));
    CHECK(json.at("final_norm") == (std::string(name).find("final_norm") != std::string::npos));
    CHECK(json.at("target_vocabulary")[4] == "w4");
  }
}

TEST_CASE("a model that a format cannot express is refused, and the message names the setting",
          "[exchange]") {
  const auto refusals = [](const std::vector<std::string>& overrides, const std::string& message,
                           bool also_pytorch = true) {
    TranslationModel model = fixture_model("pre_norm_unshared", overrides);
    CHECK_ERROR(export_ctranslate2(model, WeightPrecision::float32, "/"),
                "the format ctranslate2 cannot express this model: " + message);
    if (also_pytorch)
      CHECK_ERROR(export_pytorch(model, "/"), "the format pytorch cannot express this model: " + message);
  };
  refusals({"model.positions.kind=rotary"},
           R"(model.positions.kind is "rotary", and it knows only "sinusoidal", "learned", "none")");
  refusals({"model.positions.kind=relative"}, R"(model.positions.kind is "relative")");
  refusals({"model.positions.use=concatenated"}, R"(model.positions.use is "concatenated")");
  refusals({"model.norm=none", "model.final_norm=false"}, R"(model.norm is "none")");
  refusals({"model.residual=false"}, R"(model.residual is "false", and it knows only "true")");
  refusals({"model.multi_head.normaliser=sparsemax"}, R"(model.multi_head.normaliser is "sparsemax")");
  refusals({"model.multi_head.shared_key_value=true"}, R"(model.multi_head.shared_key_value is "true")");
  TranslationModel unscaled = fixture_model("pre_norm_unshared", {"model.multi_head.scaled=false"});
  CHECK_ERROR(export_pytorch(unscaled, "/"), R"(model.multi_head.scaled is "false")");
}
