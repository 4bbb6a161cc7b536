// Weights on disk: what is written can be read, by us and by others, and so can what others write.
#include "nn/safetensors.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "autograd/ops/linear_products.h"
#include "nn/layers.h"
#include "tests/catch.h"
#include "tests/nn/safetensors_file.h"
#include "tests/nn/support.h"
#include "tests/temporary_directory.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("tensors come back as they were saved, to the bit") {
  const TemporaryDirectory directory;
  const std::vector<nn::NamedParameter> tensors{
      {"z.weight", normal({3, 4}, 1)},
      {"a", Tensor::from({2}, {-0.0, std::numeric_limits<Real>::denorm_min()})},
      {"scalar", Tensor::scalar(Real(1) / 3)},
      {"deep", normal({2, 3, 4, 5}, 2)},
      {"α \"quoted\" \\", Tensor::from({1}, {std::numeric_limits<Real>::infinity()})}};
  nn::save_safetensors(directory / "weights", tensors);
  const std::map<std::string, Tensor> loaded = nn::load_safetensors(directory / "weights");
  REQUIRE(loaded.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) CHECK(same_bits(loaded.at(name), tensor));
  CHECK(directory.entries() == 1);

  nn::save_safetensors(directory / "weights", {{"only", normal({1}, 3)}});  // the old file is replaced
  CHECK(nn::load_safetensors(directory / "weights").size() == 1);
  nn::save_safetensors(directory / "none", {});
  CHECK(nn::load_safetensors(directory / "none").empty());
}

TEST_CASE("tensors without elements are saved and loaded") {
  const TemporaryDirectory directory;
  nn::save_safetensors(directory / "weights",
                       {{"rows", Tensor::empty({0, 3})}, {"columns", Tensor::empty({3, 0})}});
  const auto loaded = nn::load_safetensors(directory / "weights");
  CHECK(loaded.at("rows").shape() == Shape{0, 3});
  CHECK(loaded.at("columns").shape() == Shape{3, 0});
}

TEST_CASE("a saved file, byte by byte") {
  const TemporaryDirectory directory;
  nn::save_safetensors(directory / "weights",
                       {{"b", Tensor::from({1, 2}, {1, -2})}, {"a", Tensor::from({1}, {0.5})}});
  const std::string file = content(directory / "weights");
  std::uint64_t header_size = 0;
  for (std::size_t i = 0; i < 8; ++i)
    header_size |= std::uint64_t{static_cast<unsigned char>(file.at(i))} << (8 * i);
  REQUIRE(file.size() == 8 + header_size + 24);
  const std::string header = file.substr(8, header_size);
  CHECK(header.front() == '{');
  nlohmann::json parsed = nlohmann::json::parse(header);
  CHECK(parsed.at("__metadata__").at("crc32").get<std::string>().size() == 8);
  parsed.erase("__metadata__");
  CHECK(parsed == nlohmann::json::parse(R"({"b": {"dtype": "F64", "shape": [1, 2], "data_offsets": [0, 16]},
                                  "a": {"dtype": "F64", "shape": [1], "data_offsets": [16, 24]}})"));
  CHECK(header.find("\"b\"") < header.find("\"a\""));  // the order given
  CHECK(file.substr(8 + header_size) == bytes_of<double>({1, -2, 0.5}));
}

TEST_CASE("the numbers begin at a multiple of 8, however long the header is") {
  const TemporaryDirectory directory;
  for (std::size_t length = 1; length <= 9; ++length) {
    nn::save_safetensors(directory / "weights", {{std::string(length, 'n'), Tensor::scalar(1)}});
    const std::string file = content(directory / "weights");
    CHECK(file.size() % 8 == 0);
    CHECK(file.substr(file.size() - 8) == bytes_of<double>({1}));
  }
}

TEST_CASE("a file written by others: both types, metadata, entries in any order, odd header length") {
  const TemporaryDirectory directory;
  const std::string header = R"({"__metadata__":{"format":"pt","dtype":"none"},)"
                             R"( "late":{"dtype":"F64","shape":[2],"data_offsets":[12,28]},)"
                             R"("early":{"shape":[3,1],"data_offsets":[0,12],"dtype":"F32"},)"
                             R"("scalar":{"dtype":"F32","shape":[],"data_offsets":[28,32]} }   )";
  const std::string numbers =
      bytes_of<float>({1.5F, -2.25F, 0.1F}) + bytes_of<double>({0.1, 1e300}) + bytes_of<float>({7});
  CHECK(header.size() % 8 != 0);
  const auto loaded = nn::load_safetensors(directory.file("weights", safetensors_file(header, numbers)));
  REQUIRE(loaded.size() == 3);
  CHECK(loaded.at("early").shape() == Shape{3, 1});
  CHECK(regard::tests::numbers(loaded.at("early")) == Numbers{1.5, -2.25, double{0.1F}});
  CHECK(regard::tests::numbers(loaded.at("late")) == Numbers{0.1, 1e300});
  CHECK(loaded.at("scalar").item() == 7);
}

TEST_CASE("the fixtures, written by an independent program, can be read") {
  const auto loaded = nn::load_safetensors(REGARD_FIXTURES "/pytorch/images.safetensors");
  CHECK(loaded.at("image_0").shape() == Shape{8, 6, 3});
  CHECK(loaded.at("vit/loss").item() > 0);
}

TEST_CASE("a module gets its parameters back, wherever they live") {
  const TemporaryDirectory directory;
  Random random(1);
  nn::FeedForward saved(3, 5, 0, random), loaded(3, 5, 0, random);
  randomise(saved, 2);
  nn::save_safetensors(directory / "weights", saved.parameters());
  CHECK_FALSE(same_bits(snapshot(loaded), snapshot(saved)));
  const std::vector<Tensor> handles = tensors(loaded);
  const Tensor loss = sum(loaded(normal({2, 3}, 3)));
  nn::load_parameters(loaded, directory / "weights");
  CHECK(same_bits(handles, snapshot(saved)));
  CHECK_ERROR(loss.backward(), "was changed after the forward");  // loading says that the values are others
  for (const Tensor& handle : handles) CHECK(handle.requires_grad());
}

TEST_CASE("a new module takes over the memory of its parameters") {
  Random none = Random::none();
  nn::FeedForward saved(3, 5, 0, none), loaded(3, 5, 0, none);
  randomise(saved, 2);
  std::map<std::string, Tensor> stored;
  for (const auto& [name, tensor] : saved.parameters()) stored.emplace(name, tensor.clone());
  const std::vector<Tensor> handles = tensors(loaded);
  nn::take_tensors(stored, loaded.parameters());
  CHECK(same_bits(handles, snapshot(saved)));
  for (const auto& [name, tensor] : loaded.parameters()) CHECK(tensor.data() == stored.at(name).data());
  for (const Tensor& handle : handles) CHECK(handle.requires_grad());
  CHECK_ERROR(take_values(handles[0], normal({2, 3}, 1)),
              "[5, 3] cannot take the values of a tensor of shape [2, 3]");
}

TEST_CASE("metadata come back as they were saved") {
  const TemporaryDirectory directory;
  const nn::Metadata metadata{{"progress", R"({"step": 7, "text": "ä \"x\""})"}, {"version", "1"}};
  nn::save_safetensors(directory / "weights", {{"w", normal({3}, 1)}}, metadata);
  nn::Metadata loaded;
  CHECK(nn::load_safetensors(directory / "weights", &loaded).size() == 1);
  CHECK(loaded == metadata);
  nn::save_safetensors(directory / "again", {{"w", normal({3}, 1)}}, loaded);
  CHECK(content(directory / "again") == content(directory / "weights"));
}

TEST_CASE("halves of other programs are read: float16 and bfloat16") {
  // By hand: 1, -2, 65504 (the largest), 2^-14 (the least normal), 2^-24 (the least), infinity.
  const std::vector<std::uint16_t> float16{0x3C00, 0xC000, 0x7BFF, 0x0400, 0x0001, 0x7C00, 0x8000};
  const std::vector<Real> values{1,
                                 -2,
                                 65504,
                                 std::ldexp(Real(1), -14),
                                 std::ldexp(Real(1), -24),
                                 std::numeric_limits<Real>::infinity(),
                                 -0.0};
  // 1, -2, and the float32 0x3EAB0000.
  const std::vector<std::uint16_t> bfloat16{0x3F80, 0xC000, 0x3EAB};
  const TemporaryDirectory directory;
  const std::string path = directory.file(
      "halves", safetensors_file(R"({"f":{"dtype":"F16","shape":[7],"data_offsets":[0,14]},)"
                                 R"("b":{"dtype":"BF16","shape":[3,1],"data_offsets":[14,20]}})",
                                 bytes_of(float16) + bytes_of(bfloat16)));
  const auto loaded = nn::load_safetensors(path);
  CHECK(same_bits(loaded.at("f"), Tensor::from({7}, values)));
  CHECK(same_bits(loaded.at("b"), Tensor::from({3, 1}, {1, -2, 0.333984375})));
  CHECK(std::isnan(nn::float_of_float16(0x7E00)));
  for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {  // all finite ones, by the definition
    const int exponent = static_cast<int>(bits >> 10);
    const double expected = exponent == 0 ? std::ldexp(bits, -24)
                                          : std::ldexp(1024 + static_cast<int>(bits & 0x3FF), exponent - 25);
    CHECK(nn::float_of_float16(static_cast<std::uint16_t>(bits)) == static_cast<float>(expected));
  }
}

TEST_CASE("tensors are read one by one, and a wrong shape names both shapes") {
  const TemporaryDirectory directory;
  const std::vector<nn::NamedParameter> tensors{{"w", normal({3, 4}, 1)}, {"v", normal({300, 1000}, 2)}};
  nn::save_safetensors(directory / "weights", tensors, {{"a", "b"}});
  const nn::SafetensorsFile file(directory / "weights");
  CHECK(file.metadata() == nn::Metadata{{"a", "b"}});
  CHECK(file.shapes().at("v") == Shape{300, 1000});
  for (const auto& [name, tensor] : tensors) CHECK(same_bits(file.read(name, tensor.shape()), tensor));
  CHECK_ERROR(file.read("w", {4, 3}), "weights: w: expected [4, 3], is [3, 4]");
  CHECK_ERROR(file.read("u", {4, 3}), "weights: u is missing; expected [4, 3]");
}
