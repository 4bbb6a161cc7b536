// Models of Marian (.npz): the losses are those of the same weights in transformers with Marian's positions,
// zeros at the beginning and no <pad> (tests/fixtures/make_marian_fixtures.py).
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/exchange/import.h"
#include "apps/exchange/npz_file.h"
#include "apps/translation/translator/translator.h"
#include "tests/apps/support.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"
#include "tests/zip.h"

using namespace regard;
using namespace regard::exchange;
using namespace regard::translation;
using namespace regard::tests;
namespace fs = std::filesystem;

namespace {

const std::string npz_model = REGARD_FIXTURES "/marian/npz";

/// A copy of the npz_model, in which files can be changed.
struct NpzCopy {
  NpzCopy() {
    fs::copy(npz_model, path());
    for (const char* const file : {"source.spm", "target.spm"})
      fs::copy(REGARD_FIXTURES "/marian/tied/" + std::string(file), *this / file);
  }
  std::string path() const { return directory / "model"; }
  std::string operator/(const std::string& file) const { return directory / ("model/" + file); }
  std::string complaint() const { return MESSAGE_OF(read_model(path())); }

  TemporaryDirectory directory;
};

/// The array in the format of NumPy.
std::string npy(const std::string& type, const std::string& shape, const std::string& numbers) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + numbers;
}

/// The settings of a model whose special:model.yml is this text.
Settings settings_of(const std::string& yaml) {
  const TemporaryDirectory directory;
  const std::string archive =
      zip_archive({{"special:model.yml.npy", npy("|i1", std::to_string(yaml.size()) + ",", yaml)}});
  return marian_settings(NpzFile(directory.file("model.npz", archive)), directory / "");
}

const std::string small_yaml =
    "type: transformer\ndim-emb: 8\ntransformer-heads: 2\ntransformer-dim-ffn: 8\nenc-depth: 1\n"
    "dec-depth: 1\n";

}  // namespace

TEST_CASE("settings of Marian: which matrices are one, and whether <unk> may be written", "[import]") {
  using transformer::SharedEmbeddings;
  const auto sharing = [](const std::string& yaml) {
    return settings_of(small_yaml + yaml).model.config.shared_embeddings;
  };
  const std::string output = "tied-embeddings: true\n", source = "tied-embeddings-src: true\n";
  CHECK(sharing("") == SharedEmbeddings::none);
  CHECK(sharing(source) == SharedEmbeddings::none);
  CHECK(sharing(output) == SharedEmbeddings::target_output);
  CHECK(sharing(output + source) == SharedEmbeddings::all);
  CHECK(sharing("tied-embeddings-all: true\n") == SharedEmbeddings::all);
  CHECK_FALSE(settings_of(small_yaml).decoding.generate_unk);
  CHECK_FALSE(settings_of(small_yaml + "allow-unk: false\n").decoding.generate_unk);
  CHECK(settings_of(small_yaml + "allow-unk: true\n").decoding.generate_unk);
  CHECK_CONTAINS(MESSAGE_OF(settings_of("type: transformer\n  : [\n")),
                 "model.npz: special:model.yml is no YAML: line 2, column 3 cannot be read");
}

TEST_CASE("a model of Marian gives the losses that its conventions give in transformers", "[import]") {
  std::ifstream file(npz_model + ".expected.json");
  const auto expected = nlohmann::json::parse(file);
  const TemporaryDirectory directory;
  TranslationModel model = read_model(NpzCopy().path()).model;
  CHECK(model.settings.model.config.positions.layout == nn::SinusoidLayout::marian);
  CHECK(model.settings.model.first_predicted == 2);
  CHECK(model.settings.decoding.beam == 6);
  CHECK(model.settings.decoding.alpha == 0.6);
  write_model(model, directory / "model");
  Translator translator = Translator::load(directory / "model");
  std::vector<std::string> sources, references;
  for (const auto& pair : expected["pairs"]) {
    sources.push_back(pair[0]);
    references.push_back(pair[1]);
  }
  const auto scores = translator.score(sources, references);
  for (std::size_t i = 0; i < scores.size(); ++i)
    CHECK(-scores[i]->log_probability == Approx(expected["losses"][i].get<double>()).epsilon(1e-5));
}

TEST_CASE("files of Marian that do not say what they are, or have another form, are refused", "[import]") {
  const auto with_setting = [](const std::string& from, const std::string& to) {
    const NpzCopy copy;
    std::string bytes = content(copy / "model.npz");
    const std::size_t at = bytes.find(from);
    bytes.replace(at, from.size(), to);
    std::ofstream(copy / "model.npz", std::ios::binary) << bytes;
    return copy.complaint();
  };
  CHECK_CONTAINS(with_setting("postprocess: dan", "postprocess: dax"), "special:model.yml");  // the checksum
  {
    const NpzCopy copy;
    fs::copy(copy / "model.npz", copy / "other.npz");
    CHECK_CONTAINS(copy.complaint(), "has 2 files .npz");
  }
  {
    const NpzCopy copy;
    std::ofstream(copy / "config.json") << "{}";
    CHECK_CONTAINS(copy.complaint(), "two models");
  }
  for (const char* const file : {"source.spm", "opus.vocab.yml"}) {
    const NpzCopy copy;
    fs::remove(copy / file);
    CHECK_CONTAINS(copy.complaint(), "which do not say what the vocabulary is");
  }
  {
    const NpzCopy copy;
    std::ofstream(copy / "second.vocab.yml") << "\"</s>\": 0\n";
    CHECK_CONTAINS(copy.complaint(), "which do not say what the vocabulary is");
  }
  {
    const NpzCopy copy;
    fs::rename(copy / "model.npz", copy / "model.alphas.bin");
    CHECK_CONTAINS(copy.complaint(), "a .bin of Marian or Bergamot cannot be read, so give the .npz");
  }
  {  // no bytes, and many rows
    const NpzCopy copy;
    const std::string yaml = small_yaml + "tied-embeddings-all: true\n";
    const std::string archive =
        zip_archive({{"special:model.yml.npy", npy("|i1", std::to_string(yaml.size()) + ",", yaml)},
                     {"Wemb.npy", npy("<f4", "10000000, 0", "")}});
    std::ofstream(copy / "model.npz", std::ios::binary) << archive;
    CHECK_CONTAINS(copy.complaint(), "has no matrix of embeddings");
  }
  for (const char* const text : {"", "- a\n", "a: b\n", "a: -1\n", "a: 1\nb: 1\n", "{", "a: 99999999999\n"}) {
    const NpzCopy copy;
    std::ofstream(copy / "opus.vocab.yml") << text;
    CHECK_CONTAINS(copy.complaint(), copy / "opus.vocab.yml");
  }
  {
    const NpzCopy copy;
    std::ofstream(copy / "opus.vocab.yml") << "\"</s>\": 0\n\"<unk>\": 1\na: 5000\n";
    CHECK_CONTAINS(copy.complaint(), "has ids up to 5000, but the model has 107 rows");
  }
}

TEST_CASE("archives of NumPy: numbers, texts, and what is refused", "[import]") {
  const TemporaryDirectory directory;
  const auto path = [&](const std::vector<ZipMember>& members) {
    return directory.file("arrays.npz", zip_archive(members));
  };
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const std::string bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  const NpzFile file(
      path({{"w.npy", npy("<f4", "2, 3", bytes)}, {"text.npy", npy("|i1", "5,", std::string("ab\0cd", 5))}}));
  CHECK(file.shapes() == std::map<std::string, Shape>{{"w", {2, 3}}});
  CHECK(file.read("w").at({1, 2}) == 6);
  CHECK(file.text("text", 100) == "ab");
  CHECK_CONTAINS(MESSAGE_OF(file.text("text", 4)), "text.npy has 73 bytes, which is too much");
  CHECK_CONTAINS(MESSAGE_OF(file.text("other", 4)), "other is missing");
  const auto refused = [&](const ZipMember& member) { return MESSAGE_OF(NpzFile(path({member}))); };
  const std::string whole = npy("<f4", "2, 3", bytes);
  for (std::size_t size : {std::size_t{0}, std::size_t{9}, std::size_t{40}, whole.size() - 1})
    CHECK_CONTAINS(refused({"w.npy", whole.substr(0, size)}), "w.npy is no array of NumPy, or is damaged");
  CHECK_CONTAINS(refused({"w.npy", npy("<f4", "2, 4", bytes)}), "w.npy is no array");
  CHECK_CONTAINS(refused({"w.npy", npy("<f4", "-2, -3", bytes)}), "w.npy is no array");
  CHECK_CONTAINS(refused({"w.npy", npy("<f4", "x", bytes)}), "w.npy is no array");
  CHECK_CONTAINS(refused({"w.txt", whole}), "w.txt is no array");
  CHECK_CONTAINS(refused({"w.npy", npy("<i4", "2, 3", bytes)}), "w is of type <i4; only <f2, <f4 and <f8");
  std::string columns = whole;
  columns.replace(columns.find("False"), 5, "True ");
  CHECK_CONTAINS(refused({"w.npy", columns}), "w.npy lies in its file column by column");
  CHECK_CONTAINS(refused({"w.npy", whole, 8, 0xF0000000}), "w.npy is compressed");
}
