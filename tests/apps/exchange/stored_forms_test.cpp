// The forms that files of one model may have: settings left out, matrices under other names, special tokens.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "apps/exchange/import.h"
#include "apps/exchange/pytorch_file.h"
#include "nn/safetensors.h"
#include "tests/apps/support.h"

using namespace regard;
using namespace regard::tests;
using namespace regard::exchange;
using namespace regard::translation;

namespace {

/// A copy of a fixture, in which a test changes files.
struct Copy {
  explicit Copy(const std::string& name) { std::filesystem::copy(REGARD_FIXTURES "/marian/" + name, path()); }
  std::string path() const { return directory / "model"; }
  std::string operator/(const std::string& file) const { return path() + "/" + file; }
  /// Merges values into a JSON file; null leaves out.
  void set(const std::string& file, const nlohmann::json& values) const {
    nlohmann::json json = nlohmann::json::parse(content(*this / file));
    json.merge_patch(values);
    std::ofstream(*this / file) << json;
  }
  TranslationModel model() const { return read_model(path()).model; }

  TemporaryDirectory directory;
};

std::map<std::string, Tensor> by_name(TranslationModel model) {
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, tensor] : model.model.parameters()) tensors.emplace(name, tensor);
  return tensors;
}

}  // namespace

TEST_CASE("settings of MarianMT that are missing have the values of MarianConfig", "[import]") {
  const Copy copy("tied");
  CHECK(copy.model().settings.model.config.scaled_embedding);
  copy.set("config.json", {{"scale_embedding", nullptr}});
  CHECK_FALSE(copy.model().settings.model.config.scaled_embedding);
  // generate() counts <pad>, with which a translation begins.
  for (const auto& [theirs, ours] : std::vector<std::pair<Index, Index>>{{0, 0}, {1, 0}, {2, 1}, {7, 6}}) {
    copy.set("generation_config.json", {{"min_length", theirs}});
    CHECK(copy.model().settings.decoding.min_length == ours);
  }
}

TEST_CASE("a tied matrix is read under each name that it may have", "[import]") {
  const std::string shared = "model.shared.weight", encoder = "model.encoder.embed_tokens.weight",
                    decoder = "model.decoder.embed_tokens.weight", output = "lm_head.weight";
  const auto check = [&](const std::string& fixture, const std::string& stored,
                         const std::vector<std::string>& names) {
    const Copy copy(fixture);
    const auto expected = by_name(copy.model());
    std::map<std::string, Tensor> all;
    if (std::filesystem::exists(copy / "model.safetensors")) {
      all = nn::load_safetensors(copy / "model.safetensors");
    } else {
      const PytorchFile file(copy / "pytorch_model.bin");
      for (const auto& [name, shape] : file.shapes()) all.emplace(name, file.read(name));
    }
    const Tensor matrix = all.at(stored);
    for (const std::string& name : {shared, decoder, output}) all.erase(name);
    for (const std::string& name : names) {
      CAPTURE(fixture, name);
      std::vector<nn::NamedParameter> tensors{{name, matrix}};
      for (const auto& [tensor, values] : all) tensors.push_back({tensor, values});
      nn::save_safetensors(copy / "model.safetensors", tensors);
      const auto found = by_name(copy.model());
      REQUIRE(found.size() == expected.size());
      for (const auto& [tensor, values] : expected)
        CHECK(std::ranges::equal(found.at(tensor).values(), values.values()));
    }
  };
  check("tied", shared, {shared, encoder, decoder, output});
  check("two_vocabularies", decoder, {decoder, output});
}

TEST_CASE("special tokens of a file have their rows, and are never words", "[import]") {
  using Rows = std::vector<std::int32_t>;
  const std::vector<std::string> tokens{"</s>", "a", "<unk>", "<s>", "b", "<pad>"};
  const ImportedVocabulary with_pad = our_order(tokens, 7, {.end = 0, .unknown = 2, .begin = 5}, "file");
  CHECK(with_pad.stored.rows == Rows{3, 5, 0, 2, 1, 4, 6});  // <s> of the file, <pad>, </s>, <unk>, words
  CHECK(with_pad.has_begin);
  CHECK(with_pad.vocabulary.tokens(Rows{4, 5, 6}) == std::vector<std::string>{"a", "b", "<row 6>"});
  // Marian begins with zeros, so <s> and <pad> are rows that no text has.
  const ImportedVocabulary without =
      our_order(tokens, 6, {.end = 0, .unknown = 2, .begin = foreign::no_row}, "file");
  CHECK(without.stored.rows == Rows{foreign::no_row, foreign::no_row, 0, 2, 1, 3, 4, 5});
  CHECK_FALSE(without.has_begin);
  CHECK(without.vocabulary.tokens(Rows{4, 5, 6, 7}) ==
        std::vector<std::string>{"a", "<row 3>", "b", "<row 5>"});
  CHECK(without.vocabulary.id("<s>") == special::unknown);
}

TEST_CASE("import reads only regular files: it does not wait for the writer of a pipe", "[import]") {
  for (const std::string name : {"tied", "two_vocabularies"}) {
    for (const auto& entry : std::filesystem::directory_iterator(REGARD_FIXTURES "/marian/" + name)) {
      const Copy copy(name);
      const std::string file = copy / entry.path().filename().string();
      std::filesystem::remove(file);
      REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
      CHECK_CONTAINS(MESSAGE_OF(copy.model()), "cannot read " + file + ": it is no regular file");
    }
  }
}

TEST_CASE("a wrong number of rows is found before the vocabulary is made", "[import]") {
  const Copy copy("two_vocabularies");
  for (const std::string key : {"vocab_size", "decoder_vocab_size"}) {
    const Index right = nlohmann::json::parse(content(copy / "config.json")).at(key);
    copy.set("config.json", {{key, 10'000'000}});
    CHECK_CONTAINS(MESSAGE_OF(copy.model()), "config.json: " + key + " is 10000000, but no matrix in " +
                                                 (copy / "pytorch_model.bin") + " has so many rows");
    copy.set("config.json", {{key, right}});
  }
}

TEST_CASE("a message names the file that has the setting", "[import]") {
  const Copy copy("tied");
  copy.set("generation_config.json", {{"num_beams", "many"}});
  CHECK_CONTAINS(MESSAGE_OF(copy.model()), copy / "generation_config.json: num_beams is \"many\"");
  copy.set("generation_config.json",
           {{"num_beams", nullptr}, {"bad_words_ids", nlohmann::json::parse("[[5]]")}});
  CHECK_CONTAINS(MESSAGE_OF(copy.model()),
                 copy /
                     "generation_config.json: bad_words_ids has [5], but regard can only leave out <pad>, "
                     "<s> and <unk>");
  copy.set("generation_config.json", {{"bad_words_ids", nullptr}});
  copy.set("config.json", {{"num_beams", "many"}});
  CHECK_CONTAINS(MESSAGE_OF(copy.model()), copy / "config.json: num_beams is \"many\"");
}
