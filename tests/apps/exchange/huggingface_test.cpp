// Models of MarianMT go in, out and in again. The fixtures were written by transformers.
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/exchange/export.h"
#include "apps/exchange/import.h"
#include "apps/exchange/pytorch_file.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/translator/translator.h"
#include "nn/safetensors.h"
#include "tests/apps/exchange/own_model.h"

using namespace regard;
using namespace regard::tests;
using namespace regard::exchange;
using namespace regard::translation;

namespace {

std::string marian_fixture(const std::string& name) { return REGARD_FIXTURES "/marian/" + name; }

nlohmann::json json_of(const std::string& path) { return nlohmann::json::parse(std::ifstream(path)); }

/// The weights of a directory of Hugging Face.
std::unique_ptr<nn::TensorFile> tensors_in(const std::string& directory) {
  if (std::filesystem::exists(directory + "/model.safetensors"))
    return std::make_unique<nn::SafetensorsFile>(directory + "/model.safetensors");
  return std::make_unique<PytorchFile>(directory + "/pytorch_model.bin");
}

void import_model(const std::string& from, const std::string& model) {
  ImportedModel imported = read_model(from);
  write_model(imported.model, model);
}

/// Imports a directory and exports it again.
void through(const std::string& from, const std::string& model, const std::string& to) {
  import_model(from, model);
  TranslationModel loaded = TranslationModel::load(model);
  std::filesystem::create_directory(to);
  export_huggingface(loaded, to);
}

}  // namespace

TEST_CASE("a MarianMT goes in, out and in again with the same bits", "[exchange]") {
  for (const std::string name : {"tied", "two_vocabularies", "untied"}) {
    CAPTURE(name);
    const TemporaryDirectory directory;
    through(marian_fixture(name), directory / "first", directory / "out");
    // As transformers wrote it.
    const std::unique_ptr<nn::TensorFile> theirs = tensors_in(marian_fixture(name)),
                                          ours = tensors_in(directory / "out");
    CHECK(ours->shapes().size() > 40);
    for (const auto& [tensor, shape] : ours->shapes()) {
      CAPTURE(tensor);
      REQUIRE(theirs->has(tensor));
      CHECK(theirs->shapes().at(tensor) == shape);
      CHECK(std::ranges::equal(ours->read(tensor).values(), theirs->read(tensor).values()));
    }
    for (const std::string file : {"vocab.json", "target_vocab.json"})
      if (std::filesystem::exists(marian_fixture(name) + "/" + file))
        CHECK(json_of(directory / ("out/" + file)) == json_of(marian_fixture(name) + "/" + file));
    const nlohmann::json expected = json_of(marian_fixture(name) + "/config.json"),
                         got = json_of(directory / "out/config.json");
    for (const char* const key :
         {"activation_function", "d_model", "decoder_ffn_dim", "decoder_start_token_id",
          "encoder_attention_heads", "encoder_layers", "eos_token_id", "pad_token_id", "scale_embedding",
          "share_encoder_decoder_embeddings", "tie_word_embeddings", "vocab_size"})
      CHECK(got.at(key) == expected.at(key));
    // And in again.
    through(directory / "out", directory / "second", directory / "out again");
    for (const std::string folder : {"first", "out"}) {
      const std::string other = folder == "first" ? "second" : "out again";
      for (const auto& entry : std::filesystem::directory_iterator(directory / folder))
        CHECK(content(entry.path()) == content(directory / (other + "/" + entry.path().filename().string())));
    }
  }
}

TEST_CASE("weights may stand in several files with an index", "[exchange]") {
  const TemporaryDirectory directory;
  through(marian_fixture("tied"), directory / "model", directory / "out");
  const std::string whole = directory / "out/model.safetensors", index = whole + ".index.json";
  std::vector<std::vector<nn::NamedParameter>> parts(2);
  nlohmann::json map;
  {
    const nn::SafetensorsFile file(whole);
    for (const auto& [name, shape] : file.shapes()) {
      const std::size_t part = map.size() % 2;
      parts[part].push_back({name, file.read(name)});
      map[name] = part == 0 ? "first.safetensors" : "second.safetensors";
    }
  }
  std::filesystem::remove(whole);
  nn::save_safetensors(directory / "out/first.safetensors", parts[0]);
  nn::save_safetensors(directory / "out/second.safetensors", parts[1]);
  std::ofstream(index) << nlohmann::json{{"weight_map", map}};
  import_model(directory / "out", directory / "again");
  CHECK(content(directory / "again/weights.safetensors") == content(directory / "model/weights.safetensors"));

  map[parts[0][0].name] = "second.safetensors";
  std::ofstream(index) << nlohmann::json{{"weight_map", map}};
  CHECK_ERROR(read_model(directory / "out"), "second.safetensors has no " + parts[0][0].name);
  map[parts[0][0].name] = "../first.safetensors";
  std::ofstream(index) << nlohmann::json{{"weight_map", map}};
  CHECK_ERROR(read_model(directory / "out"), "which is no name of a file");
  std::ofstream(index) << "{}";
  CHECK_ERROR(read_model(directory / "out"), "has no \"weight_map\"");
}

namespace {

std::vector<std::string> all_tokens(const Vocabulary& vocabulary) {
  std::vector<std::string> tokens;
  for (Index id = 0; id < vocabulary.size(); ++id) tokens.push_back(vocabulary.token(id));
  return tokens;
}

}  // namespace

TEST_CASE("a model of regard's own goes out and in with the same vocabulary and translations", "[exchange]") {
  for (const std::string sharing : {"all", "target_output", "none"})
    for (const bool unknown : {true, false}) {
      CAPTURE(sharing, unknown);
      const TemporaryDirectory directory;
      std::filesystem::create_directory(directory / "out");
      TranslationModel own = own_model(learn_numbers({.size = 120}), {"model.shared_embeddings=" + sharing});
      own.settings.decoding.generate_unk = unknown;
      export_huggingface(own, directory / "out");
      // <pad> and <s>, which regard never writes, and <unk>, by their rows.
      const nlohmann::json vocabulary = json_of(directory / "out/vocab.json");
      auto forbidden = nlohmann::json::array();
      for (const char* const token : {"<pad>", "<s>", "<unk>"})
        if (!unknown || token != std::string("<unk>"))
          forbidden.push_back(nlohmann::json::array({vocabulary.at(token)}));
      for (const std::string file : {"config.json", "generation_config.json"})
        CHECK(json_of(directory / ("out/" + file)).at("bad_words_ids") == forbidden);

      import_model(directory / "out", directory / "in");
      Translator before(std::move(own)), after = Translator::load(directory / "in");
      const Vocabularies &ours = before.model().vocabularies, &theirs = after.model().vocabularies;
      CHECK(all_tokens(theirs.source) == all_tokens(ours.source));
      CHECK(all_tokens(theirs.target) == all_tokens(ours.target));
      CHECK(after.decoding().generate_unk == unknown);
      const std::vector<std::string> sources(number_text().source.begin(), number_text().source.begin() + 20);
      const auto expected = before.translate(sources), found = after.translate(sources, before.decoding());
      for (std::size_t i = 0; i < sources.size(); ++i) {
        CHECK(found[i].source.tokens == expected[i].source.tokens);
        CHECK(found[i].n_best[0].ids == expected[i].n_best[0].ids);
        if (!unknown) CHECK(found[i].n_best[0].text == expected[i].n_best[0].text);
        CHECK(found[i].n_best[0].score == expected[i].n_best[0].score);
      }
    }
}

TEST_CASE("a model whose subwords have language tags is not exported to Hugging Face", "[exchange]") {
  using Kind = SubwordPiece::Kind;
  TranslationModel model = own_model(model_bytes(with_special(
      {{"a", 0}, {"▁", -1}, {">>fr<<", 0, Kind::user_defined}, {">>ko<<", 0, Kind::user_defined}})));
  CHECK_ERROR(export_huggingface(model, "/dev/null"),
              "the format huggingface cannot express this model: its subwords have the language tags >>fr<<, "
              ">>ko<<");
}

TEST_CASE("a search that transformers can do is the same after export and import", "[exchange]") {
  const TemporaryDirectory directory;
  import_model(marian_fixture("tied"), directory / "model");
  TranslationModel model = TranslationModel::load(directory / "model");
  Random random(1);
  const auto below = [&](std::uint64_t n) { return static_cast<Index>(random.below(n)); };
  for (int number = 0; number < 20; ++number) {
    const Index most = 1 + below(100);
    model.settings.decoding = {.beam = 1 + below(9),
                               .length_penalty = transformer::LengthPenalty::power,
                               .alpha = static_cast<double>(below(40)) / 10 - 2,
                               .patience = static_cast<double>(below(2)),
                               .max_length_ratio = 0,
                               .max_length_constant = 0,
                               .min_length = below(most),
                               .max_length = most,
                               .no_repeat_ngram = below(5),
                               .repetition_penalty = 1 + static_cast<double>(below(5)) / 4};
    model.settings.data.max_length = 1 + below(1000);
    const std::string out = directory / fmt::format("out{}", number);
    std::filesystem::create_directory(out);
    export_huggingface(model, out);
    const Values before = values_of(model.settings), after = values_of(read_model(out).model.settings);
    for (const auto& [place, value] : before)
      if (place.starts_with("decoding.") || place == "data.max_length") CHECK(after.at(place) == value);
    CHECK(json_of(out + "/config.json").at("max_position_embeddings") >= most + 2);
  }
}

TEST_CASE("a model that is no MarianMT is not exported as one", "[exchange]") {
  const TemporaryDirectory directory;
  import_model(marian_fixture("tied"), directory / "model");
  TranslationModel model = TranslationModel::load(directory / "model");
  const auto refused = [&](auto change, const std::string& message) {
    const Settings before = model.settings;
    change(model.settings);
    CHECK_ERROR(export_huggingface(model, "/dev/null"),
                "the format huggingface cannot express this model: " + message);
    model.settings = before;
  };
  refused([](Settings& s) { s.model.config.norm = transformer::Norm::pre; },
          R"(model.norm is "pre", and it knows only "post")");
  refused([](Settings& s) { s.model.config.final_norm = true; }, R"(model.final_norm is "true")");
  refused([](Settings& s) { s.model.config.positions.layout = nn::SinusoidLayout::interleaved; },
          R"(model.positions.layout is "interleaved", and it knows only "halves")");
  refused([](Settings& s) { s.model.config.positions.base = 5000; }, R"(model.positions.base is "5000.0")");
  refused([](Settings& s) { s.model.first_predicted = 2; }, R"(model.first_predicted is "2")");
  refused([](Settings& s) { s.data.tokeniser = "word"; },
          R"(data.tokeniser is "word", and it knows only "marian", "sentencepiece")");
  refused([](Settings& s) { s.model.decoder = "recurrent"; }, R"(model.decoder is "recurrent")");
  refused(
      [](Settings& s) { s.data.parts.of<SubwordSettings>().keep_blanks = true; },
      "data.subwords.keep_blanks is true, but MarianTokenizer cuts off the blanks at both ends of a text; "
      "export it for ctranslate2 or pytorch, or train a model without them");
}

TEST_CASE("what regard does not use of a MarianMT comes out again, also after more training", "[exchange]") {
  const auto write = [](const std::string& path, const nlohmann::json& json) { std::ofstream(path) << json; };
  const TemporaryDirectory directory;
  const std::string from = directory / "from", model = directory / "model", to = directory / "to";
  std::filesystem::copy(marian_fixture("tied"), from);
  const auto exported = [&] {
    for (const std::string& old : {model, to}) std::filesystem::remove_all(old);
    through(from, model, to);
    return std::pair(json_of(to + "/tokenizer_config.json"), json_of(to + "/generation_config.json"));
  };
  const auto [tokeniser, generation] = exported();
  for (const char* const key : {"source_lang", "target_lang"}) CHECK_FALSE(tokeniser.contains(key));
  CHECK_FALSE(generation.contains("renormalize_logits"));

  write(from + "/tokenizer_config.json",
        {{"source_lang", "eng"}, {"target_lang", "deu"}, {"model_max_length", 300}});
  nlohmann::json keys = json_of(from + "/generation_config.json");
  keys["renormalize_logits"] = true;
  write(from + "/generation_config.json", keys);
  const auto [with_languages, renormalised] = exported();
  CHECK(with_languages.at("source_lang") == "eng");
  CHECK(with_languages.at("target_lang") == "deu");
  CHECK(with_languages.at("model_max_length") == 300);
  CHECK(renormalised.at("renormalize_logits") == true);
  CHECK(json_of(to + "/config.json").at("renormalize_logits") == true);

  const Settings tuned = training_settings(
      {{"data", {{"source", "a"}, {"target", "b"}}}, {"training", {{"initial_weights", model}}}}, "tuned");
  const auto& handed_on = tuned.data.parts.of<MarianSettings>();
  CHECK(handed_on.source_lang == "eng");
  CHECK(handed_on.target_lang == "deu");
  CHECK(handed_on.renormalize_logits);

  write(from + "/tokenizer_config.json", {{"source_lang", 1}});
  CHECK_ERROR(import_model(from, directory / "wrong"), "source_lang");
}
