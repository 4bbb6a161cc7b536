// Files of weights: the identity of their model, and their mean. And which files belong to a model.
#include "apps/translation/model/weights.h"

#include <filesystem>

#include "apps/translation/model/model_directory.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::Tensor;

TEST_CASE("averaged weights are the mean, computed in double precision", "[checkpoints]") {
  const TemporaryDirectory directory;
  const auto saved = [&](const std::string& name, float a, float b) {
    regard::nn::save_safetensors(directory / name,
                                 {{"x", Tensor::from({2}, {a, b})}, {"y", Tensor::scalar(2 * a)}});
    return directory / name;
  };
  // In float, 16777216 + 1 + 1 would be 16777216.
  const std::vector<std::string> paths{saved("1", 16777216, 1), saved("2", 1, 2), saved("3", 1, 6)};
  const auto mean = average_weights(paths).tensors;
  REQUIRE(mean.size() == 2);
  CHECK(mean.at("x").at({0}) == 5592406.0f);
  CHECK(mean.at("x").at({1}) == 3.0f);
  CHECK(mean.at("y").item() == 11184812.0f);
  regard::nn::save_safetensors(directory / "other", {{"x", Tensor::from({1}, {1})}});
  CHECK_ERROR(
      average_weights(std::vector<std::string>{paths[0], directory / "other"}),
      directory / "other" + " does not fit " + paths[0] + ": x has shape [1] instead of [2]; y is missing");
}

TEST_CASE("weights of another model with the same shapes are refused", "[weights]") {
  const SmallTraining training;
  const TemporaryDirectory directory;
  regard::transformer::EncoderDecoder model = training.model();
  const std::string file = directory / "weights";
  const auto identity = identity_of(training.settings, training.data.vocabularies);
  regard::nn::save_safetensors(file, model.parameters(), identity);
  const auto loaded_by = [&](const Settings& settings, const Vocabularies& vocabularies) {
    return MESSAGE_OF(load_weights(model, file, identity_of(settings, vocabularies)));
  };
  CHECK_CONTAINS(loaded_by(training.settings, training.data.vocabularies), "no error was thrown");
  TokenCounts renamed;
  for (Index i = 0; i < SmallTraining::words; ++i) renamed.add("v" + std::to_string(i));
  Vocabularies others = training.data.vocabularies;
  others.source = Vocabulary::from_counts(renamed);
  CHECK_CONTAINS(loaded_by(training.settings, others),
                 file + " does not fit the model: it was trained with another vocabulary");
  const auto refused = [&](const auto& change) {
    Settings settings = training.settings;
    change(settings.model.config);
    return loaded_by(settings, training.data.vocabularies);
  };
  CHECK_CONTAINS(refused([](auto& config) { config.heads = 4; }),
                 "does not fit the model: heads is 2 instead of 4");
  CHECK_CONTAINS(
      refused([](auto& config) { config.norm = regard::transformer::Norm::pre, config.final_norm = false; }),
      "norm is post instead of pre");
  CHECK_CONTAINS(refused([](auto& config) { config.activation = regard::nn::Activation::gelu; }),
                 "does not fit the model: activation is relu instead of gelu");
  CHECK_CONTAINS(refused([](auto& config) { config.positions.kind = regard::nn::PositionKind::alibi; }),
                 "positions.kind is sinusoidal instead of alibi");
  CHECK_CONTAINS(
      refused([](auto& config) { config.position_sides = regard::transformer::PositionSides::decoder; }),
      "positions.sides is both instead of decoder");
  CHECK_CONTAINS(refused([](auto& config) { config.multi_head.scaled = false; }),
                 "multi_head.scaled is true instead of false");
  CHECK_CONTAINS(refused([](auto& config) { config.multi_head.normaliser = regard::Normaliser::sigmoid; }),
                 "multi_head.normaliser is softmax instead of sigmoid");
  CHECK_CONTAINS(refused([](auto& config) { config.positions.layout = regard::nn::SinusoidLayout::halves; }),
                 "positions.layout is interleaved instead of halves");
  Settings excluding = training.settings;
  excluding.model.first_predicted = 2;
  CHECK_CONTAINS(loaded_by(excluding, training.data.vocabularies), "first_predicted is 0 instead of 2");
  Settings with_gelu = training.settings;
  with_gelu.model.config.activation = regard::nn::Activation::gelu;
  const auto gelu_identity = identity_of(with_gelu, training.data.vocabularies);
  regard::nn::save_safetensors(directory / "gelu", model.parameters(), gelu_identity);
  CHECK_NOTHROW(load_weights(model, directory / "gelu", gelu_identity));
  CHECK_ERROR(load_weights(model, directory / "gelu", identity), "activation is gelu instead of relu");
  // Dropout is not part of the identity: a training may continue with another dropout.
  CHECK_CONTAINS(refused([](auto& config) { config.dropout.sublayer = 0.4; }), "no error was thrown");

  // Files of other programs have no identity, and are accepted. A mean has the identity of its parts.
  regard::nn::save_safetensors(directory / "plain", model.parameters());
  CHECK_NOTHROW(load_weights(model, directory / "plain", identity_of(training.settings, others)));
  regard::nn::save_safetensors(directory / "other", model.parameters(),
                               identity_of(training.settings, others));
  const auto average = [&](const std::string& second) {
    return average_weights(std::vector<std::string>{file, directory / second});
  };
  CHECK(average("weights").identity == identity);
  CHECK_ERROR(average("other"),
              directory / "other" + " does not fit the files before it: it was trained with");
  // A file without identity does not hide a difference between the others.
  const std::vector<std::string> three{directory / "plain", file, directory / "other"};
  CHECK_ERROR(average_weights(three), directory / "other" + " does not fit the files before it");
  CHECK(average_weights(std::span(three).first(2)).identity == identity);
  // Control characters are not printed.
  regard::nn::save_safetensors(directory / "red", model.parameters(), {{"model.heads", "\x1B[31m"}});
  CHECK_ERROR(load_weights(model, directory / "red", identity), "heads is \\x1B[31m instead of 2");
}

TEST_CASE("weights of an earlier version get the bias that excludes the tokens before first_predicted") {
  SmallTraining training;
  training.settings.model.config.generator_bias = true;
  training.settings.model.first_predicted = 2;
  const Vocabularies& vocabularies = training.data.vocabularies;
  const auto never = regard::transformer::never_predicted;
  auto model = make_model(training.settings, vocabularies, regard::Random(1));
  const Tensor& bias = model.generator.bias;
  CHECK(bias.data()[1] == never);
  CHECK(bias.data()[2] == 0);
  std::fill_n(bias.data(), bias.size(), regard::Real(0.5));  // as an earlier version wrote it
  const TemporaryDirectory directory;
  const auto identity = identity_of(training.settings, vocabularies);
  regard::nn::save_safetensors(directory / "old", model.parameters(), identity);
  load_weights(model, directory / "old", identity);
  CHECK(model.generator.bias.data()[0] == never);
  CHECK(model.generator.bias.data()[1] == never);
  CHECK(model.generator.bias.data()[2] == regard::Real(0.5));
  training.settings.model.config.generator_bias = false;
  CHECK_ERROR(make_model(training.settings, vocabularies, regard::Random(1)),
              "set model.generator_bias to true");
}

TEST_CASE("the files of a model are known by name and place", "[model]") {
  const TemporaryDirectory temporary;
  const std::string model = temporary / "model";
  for (const std::string folder : {"", "/state", "/checkpoints", "/validation"})
    std::filesystem::create_directory(model + folder);
  const std::vector<std::string> own{
      "config.json",     "vocabulary.json",     "vocabulary.source.json",    "vocabulary.target.json",
      "metrics.jsonl",   "weights.safetensors", "checkpoints/3.safetensors", "state/3.safetensors",
      "validation/3.txt"};
  const std::vector<std::string> others{"mean.safetensors", "validation/mine.txt", "checkpoints/3.txt",
                                        "state/weights.safetensors", "checkpoints/config.json"};
  for (const std::string& file : own) temporary.file("model/" + file, "x");
  for (const std::string& file : others) temporary.file("model/" + file, "x");
  for (const std::string& file : own) CHECK(is_file_of_model(model + "/" + file));
  for (const std::string& file : others) CHECK_FALSE(is_file_of_model(model + "/" + file));
  CHECK(is_file_of_model(model + "/state/../config.json"));
  std::filesystem::create_symlink(model + "/config.json", temporary / "link");
  CHECK(is_file_of_model(temporary / "link"));
  CHECK_FALSE(is_file_of_model(model + "/missing"));

  // Without state, it is a model as long as a configuration and weights, or a log, are there.
  std::filesystem::remove_all(model + "/state");
  CHECK(is_file_of_model(model + "/vocabulary.json"));
  std::filesystem::remove(model + "/metrics.jsonl");
  CHECK(is_file_of_model(model + "/vocabulary.json"));
  // A project may have a configuration and a vocabulary of these names.
  std::filesystem::remove(model + "/weights.safetensors");
  CHECK_FALSE(is_file_of_model(model + "/vocabulary.json"));
}
