// Models go out to Marian and in again. The fixture was written by NumPy, as Marian names its parameters.
#include <filesystem>
#include <fstream>

#include "apps/exchange/export.h"
#include "apps/exchange/import.h"
#include "apps/exchange/npz_file.h"
#include "apps/translation/translator/translator.h"
#include "tests/apps/exchange/own_model.h"

using namespace regard;
using namespace regard::tests;
using namespace regard::exchange;
using namespace regard::translation;

namespace {

/// Exports to a new directory.
std::string exported_to(const std::string& directory, TranslationModel& model) {
  std::filesystem::create_directory(directory);
  export_marian(model, directory);
  return directory;
}

/// A model that the format can express: its translations begin with zeros, and never have <pad> or <s>.
TranslationModel model_for_marian(const std::vector<std::string>& more = {}) {
  std::vector<std::string> overrides{"model.positions.layout=marian", "model.generator_bias=true",
                                     "model.first_predicted=2",       "decoding.length_penalty=power",
                                     "decoding.generate_unk=false",   "decoding.max_length_ratio=2",
                                     "decoding.max_length_constant=1"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  TranslationModel model = own_model(learn_numbers({.size = 120}), overrides);
  const std::map<std::string, Tensor> tensors = named_tensors(model);
  Random random(5);
  for (Real& bias : tensors.at("generator.bias").values().subspan(2))
    bias = static_cast<Real>(random.uniform(-1, 1));
  std::ranges::fill(tensors.at("tgt_embed.weight").values().subspan(16, 16), Real{0});
  return model;
}

void check_same_arrays(const NpzFile& found, const NpzFile& expected) {
  CHECK(found.shapes() == expected.shapes());
  for (const auto& [name, shape] : expected.shapes()) {
    CAPTURE(name);
    CHECK(std::ranges::equal(found.read(name).values(), expected.read(name).values()));
  }
}

}  // namespace

TEST_CASE("a model of Marian comes out with the arrays and the vocabulary that went in", "[exchange]") {
  const TemporaryDirectory directory;
  const std::string from = directory / "from";
  std::filesystem::copy(REGARD_FIXTURES "/marian/npz", from);
  for (const char* const file : {"source.spm", "target.spm"})
    std::filesystem::copy(REGARD_FIXTURES "/marian/tied/" + std::string(file), from + "/" + file);
  TranslationModel model = read_model(from).model;
  model.settings.decoding.max_length_constant = 2;
  const std::string to = exported_to(directory / "to", model);
  check_same_arrays(NpzFile(to + "/model.npz"), NpzFile(from + "/model.npz"));
  CHECK(read_vocabulary(to + "/vocab.yml") == read_vocabulary(from + "/opus.vocab.yml"));
  for (const char* const file : {"/source.spm", "/target.spm"})
    CHECK(content(to + file) == content(from + file));
  const std::string yaml = NpzFile(to + "/model.npz").text("special:model.yml", 10'000);
  for (const char* const line :
       {"type: transformer\n", "dim-vocabs:\n  - 107\n  - 107\n", "tied-embeddings-all: true\n",
        "transformer-postprocess: dan\n", "transformer-heads: 4\n", "transformer-ffn-activation: swish\n"})
    CHECK_CONTAINS(yaml, line);
  // In and out again: not one byte differs.
  TranslationModel second = read_model(to).model;
  CHECK(values_of(second.settings) == values_of(model.settings));
  const std::string again = exported_to(directory / "again", second);
  for (const auto& entry : std::filesystem::directory_iterator(to))
    CHECK(content(entry.path()) == content(again + "/" + entry.path().filename().string()));
}

TEST_CASE("a model of regard's own translates after export to Marian and import as before", "[exchange]") {
  const std::vector<std::string> sources(number_text().source.begin(), number_text().source.begin() + 20);
  for (const std::string sharing : {"all", "target_output", "none"})
    for (const std::string activation : {"relu", "silu"}) {
      CAPTURE(sharing, activation);
      const TemporaryDirectory directory;
      TranslationModel own =
          model_for_marian({"model.shared_embeddings=" + sharing, "model.activation=" + activation});
      const std::string out = exported_to(directory / "out", own);
      CHECK(content(out + "/vocab.spm") == own.vocabularies.subwords);
      ImportedModel imported = read_model(out);
      CHECK(content(exported_to(directory / "again", imported.model) + "/model.npz") ==
            content(out + "/model.npz"));
      write_model(imported.model, directory / "in");
      Translator before(std::move(own)), after = Translator::load(directory / "in");
      const auto expected = before.translate(sources), found = after.translate(sources);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        CHECK(found[i].n_best[0].text == expected[i].n_best[0].text);
        CHECK(found[i].n_best[0].score.value() == Approx(expected[i].n_best[0].score.value()).epsilon(1e-5));
      }
    }
}

TEST_CASE("the arrays for Marian are named and laid out as it reads them", "[exchange]") {
  const TemporaryDirectory directory;
  TranslationModel model = model_for_marian({"model.shared_embeddings=none"});
  const std::map<std::string, Tensor> ours = named_tensors(model);
  const std::string out = exported_to(directory / "out", model);
  const NpzFile arrays(out + "/model.npz");
  CHECK(arrays.shapes().at("decoder_l1_context_bk") == Shape{1, 16});
  CHECK(arrays.read("decoder_l1_context_Wk").at({3, 5}) ==
        ours.at("decoder.layers.0.multihead_attn.in_proj_weight").at({16 + 5, 3}));
  CHECK(arrays.read("encoder_l1_ffn_W1").at({3, 20}) ==
        ours.at("encoder.layers.0.linear1.weight").at({20, 3}));
  CHECK(arrays.read("decoder_ff_logit_out_W").at({3, 50}) == ours.at("generator.weight").at({50, 3}));
  CHECK(arrays.read("encoder_Wemb").at({50, 3}) == ours.at("src_embed.weight").at({50, 3}));
  // As in a file of NumPy: headers end at multiples of 64, and Marian reads at most 255 bytes of one.
  const std::string bytes = content(out + "/model.npz");
  const std::size_t header = bytes.find("\x93NUMPY");
  CHECK(static_cast<unsigned char>(bytes[header + 8]) + 10 == 128);
  CHECK(bytes[header + 127] == '\n');
  CHECK(bytes.find("{'descr': '|i1', 'fortran_order': False, 'shape': (") != std::string::npos);
  const std::string decoder = content(out + "/decoder.yml");
  CHECK_CONTAINS(decoder, "vocabs:\n  - vocab.spm\n  - vocab.spm\n");
  CHECK_CONTAINS(decoder, "beam-size: 4\nnormalize: 0.6\nmax-length-factor: 2\nallow-unk: false\n");
  CHECK_ERROR(export_marian(model, directory / "none"), "cannot write");
}

TEST_CASE("a model that Marian cannot have is refused, and the message names the setting", "[exchange]") {
  const auto refused = [](const std::string& change, const std::string& message) {
    TranslationModel model = model_for_marian({change});
    CHECK_ERROR(export_marian(model, "/dev/null"), "the format marian cannot express this model: " + message);
  };
  refused("model.positions.layout=halves",
          R"(model.positions.layout is "halves", and it knows only "marian")");
  refused("model.norm=pre", R"(model.norm is "pre", and it knows only "post")");
  refused("model.final_norm=true", R"(model.final_norm is "true")");
  refused("model.activation=gelu", R"(model.activation is "gelu", and it knows only "relu", "silu")");
  refused("model.scaled_embedding=false", R"(model.scaled_embedding is "false")");
  refused("model.positions.kind=learned", R"(model.positions.kind is "learned")");
  refused("model.positions.sides=encoder", R"(model.positions.sides is "encoder")");
  refused("model.positions.base=5000", R"(model.positions.base is "5000.0")");
  refused("model.multi_head.scaled=false", R"(model.multi_head.scaled is "false")");
  TranslationModel model = model_for_marian();
  named_tensors(model).at("tgt_embed.weight").data()[16] = 1;
  CHECK_ERROR(export_marian(model, "/dev/null"), "the embedding of <s> is not zero");
  model.settings.data.tokeniser = "marian";
  model.settings.model.first_predicted = 1;
  CHECK_ERROR(export_marian(model, "/dev/null"), R"(model.first_predicted is "1", and it knows only "2")");
}
