// Which files belong to a model.
#include <filesystem>

#include "apps/translation/model/model_directory.h"
#include "tests/apps/training/eventful_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;

TEST_CASE("the files of a model are known by name and place", "[model]") {
  const TemporaryDirectory temporary;
  const std::string model = temporary / "model";
  for (const std::string folder : {"", "/state", "/checkpoints", "/validation"})
    std::filesystem::create_directory(model + folder);
  const std::vector<std::string> own{"config.json",
                                     "vocabulary.json",
                                     "vocabulary.source.json",
                                     "vocabulary.target.json",
                                     "subwords.model",
                                     "metrics.jsonl",
                                     "train.log",
                                     "weights.safetensors",
                                     "checkpoints/3.safetensors",
                                     "state/3.safetensors",
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
  CHECK(is_file_of_model(model + "/subwords.model"));
  std::filesystem::remove(model + "/metrics.jsonl");
  CHECK(is_file_of_model(model + "/subwords.model"));
  // A project may have a configuration and subwords of these names.
  std::filesystem::remove(model + "/weights.safetensors");
  CHECK_FALSE(is_file_of_model(model + "/subwords.model"));
}
