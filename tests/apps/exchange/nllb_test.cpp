// An imported model of NLLB does what transformers does with it: ids, losses, translations
// (tests/fixtures/make_nllb_fixtures.py).
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/exchange/import.h"
#include "apps/subwords/marian_tokeniser.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/translator/translator.h"
#include "tests/apps/support.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"

using namespace regard;
using namespace regard::exchange;
using namespace regard::translation;
using namespace regard::tests;

namespace {

const Direction english_to_french{"eng_Latn", "fra_Latn"};

std::string nllb_model() { return REGARD_FIXTURES "/nllb/model"; }

/// Imports a model, writes it and loads it.
Translator nllb_translator(const Direction& direction) {
  const TemporaryDirectory directory;
  ImportedModel imported = read_model(nllb_model(), direction);
  write_model(imported.model, directory / "model");
  return Translator::load(directory / "model");
}

/// The tokens of the file by their ids.
std::vector<std::string> tokens_of_nllb() {
  std::vector<std::string> tokens{"<s>", "<pad>", "</s>", "<unk>"};
  const std::string file = nllb_model() + "/sentencepiece.bpe.model";
  const std::vector<std::string> pieces = pieces_of(read_subwords(file), file);
  tokens.insert(tokens.end(), pieces.begin() + 3, pieces.end());
  for (const char* const code : {"deu_Latn", "eng_Latn", "fra_Latn", "kor_Hang", "<mask>"})
    tokens.emplace_back(code);
  return tokens;
}

std::vector<std::int32_t> ids_in_nllb(const Vocabulary& vocabulary, const std::vector<std::int32_t>& ids) {
  static const std::vector<std::string> tokens = tokens_of_nllb();
  std::vector<std::int32_t> result;
  for (const std::int32_t id : transformer::with_end(ids))
    result.push_back(id_of(tokens, vocabulary.token(id), "the vocabulary"));
  return result;
}

const nlohmann::json& expected_of_nllb() {
  static const auto json = nlohmann::json::parse(std::ifstream(REGARD_FIXTURES "/nllb/expected.json"));
  return json;
}

}  // namespace

TEST_CASE("an imported NLLB reads the code of the language, and the ids of NllbTokenizer", "[import][nllb]") {
  Translator translator = nllb_translator(english_to_french);
  const TranslationModel& model = translator.model();
  const nlohmann::json& expected = expected_of_nllb();
  const auto ids = [&](const std::string& text) {
    const Vocabulary& vocabulary = model.vocabularies.source;
    return ids_in_nllb(vocabulary, vocabulary.ids(model.tokeniser->split(text)));
  };
  for (std::size_t i = 0; i < expected["sources"].size(); ++i)
    CHECK(ids(expected["sources"][i]) == expected["source_ids"][i].get<std::vector<std::int32_t>>());
  for (std::size_t i = 0; i < expected["odd"].size(); ++i) {
    const std::string text = expected["odd"][i];
    CAPTURE(text);
    if (text.find_first_not_of(' ') == text.npos)  // nothing to translate, where NllbTokenizer has the code
      CHECK(model.tokeniser->split(text).empty());
    else
      CHECK(ids(text) == expected["odd_ids"][i].get<std::vector<std::int32_t>>());
  }
  CHECK(model.tokeniser->split_target("") == std::vector<std::string>{"fra_Latn"});
  CHECK(model.tokeniser->join(model.tokeniser->split_target("ba  de.")) == "ba de.");
  CHECK(model.tokeniser->join({"▁b", "a", "de"}) == "bade");
  CHECK(model.tokeniser->join({}) == "");
}

TEST_CASE("an imported NLLB gives the losses and the translations of transformers", "[import][nllb]") {
  Translator translator = nllb_translator(english_to_french);
  const nlohmann::json& expected = expected_of_nllb();
  const auto sources = expected["sources"].get<std::vector<std::string>>();
  const auto scores = translator.score(sources, expected["references"].get<std::vector<std::string>>());
  transformer::SearchOptions options = translator.decoding();
  CHECK(options.beam == 1);
  CHECK(options.max_length == 38);  // without both </s>, with the code
  const auto found = translator.translate(sources, options);
  const Vocabulary& vocabulary = translator.model().vocabularies.target;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    CAPTURE(sources[i]);
    CHECK(-scores[i]->log_probability == Approx(expected["losses"][i].get<double>()).epsilon(1e-5));
    const Translation& best = found[i].n_best[0];
    CHECK(ids_in_nllb(vocabulary, best.ids) == expected["greedy_ids"][i].get<std::vector<std::int32_t>>());
    CHECK(best.text == expected["texts"][i].get<std::string>());
  }
  // Also with a beam, a beginning, and no source.
  options.beam = 4;
  for (const auto& result : translator.translate({"ba de", "", "ki"}, options))
    CHECK((result.source.ids.empty() || vocabulary.token(result.n_best[0].ids.at(0)) == "fra_Latn"));
  const auto prefix = translator.prefix("Sa");
  CHECK(vocabulary.token(prefix.front()) == "fra_Latn");
  CHECK_CONTAINS(
      translator.translate_sources(translator.read_all({"ba de"}), options, prefix)[0].n_best[0].text, "Sa");
}

TEST_CASE("an NLLB translates in the direction of the import, or of languages.txt", "[import][nllb]") {
  const auto first_tokens = [](Translator& translator, const std::string& text) {
    const auto found = translator.translate({text});
    const TranslationModel& model = translator.model();
    return std::pair(model.vocabularies.source.token(found[0].source.ids.at(0)),
                     model.vocabularies.target.token(found[0].n_best[0].ids.at(0)));
  };
  const TemporaryDirectory directory;
  ImportedModel imported = read_model(nllb_model(), {"kor_Hang", "deu_Latn"});
  write_model(imported.model, directory / "model");
  Translator korean = Translator::load(directory / "model");
  CHECK(first_tokens(korean, "ba") == std::pair<std::string, std::string>("kor_Hang", "deu_Latn"));
  const auto other = [&](const std::string& languages) {
    std::ofstream(directory / "model/languages.txt") << languages;
    return Translator::load(directory / "model");
  };
  Translator english = other("eng_Latn\nfra_Latn\n");
  CHECK(first_tokens(english, "ba") == std::pair<std::string, std::string>("eng_Latn", "fra_Latn"));
  CHECK_ERROR(other("eng_Latn"), "languages.txt must have two codes of languages");
  CHECK_ERROR(other("eng_Latn fra_Latn deu_Latn"), "languages.txt must have two codes of languages");
  CHECK_ERROR(other("eng_Latn xyz_Latn"),
              R"(languages.txt has "xyz_Latn", which is no language of this model)");
}

TEST_CASE("an NLLB with other languages, special tokens or files is not imported", "[import][nllb]") {
  CHECK_ERROR(read_model(nllb_model()),
              "knows 4 languages; choose two with --source-language and --target-language, such as deu_Latn");
  CHECK_ERROR(read_model(nllb_model(), {"en", "fra_Latn"}),
              "\"en\" is none of the 4 languages of " + nllb_model() + "; give a code such as eng_Latn");
  CHECK_ERROR(read_model(nllb_model(), {"eng_Latn", "xx"}), "such as deu_Latn, eng_Latn, fra_Latn, kor_Hang");
  CHECK_ERROR(read_model(REGARD_FIXTURES "/marian/tied", english_to_french),
              "is no model of NLLB, so it has no languages to choose");
  const auto changed = [&](const std::string& file, const nlohmann::json& keys) {
    const TemporaryDirectory directory;
    const std::string copy = directory / "copy";
    std::filesystem::copy(nllb_model(), copy);
    nlohmann::json json = nlohmann::json::object();
    if (std::filesystem::exists(copy + "/" + file))
      json = nlohmann::json::parse(std::ifstream(copy + "/" + file));
    json.update(keys);
    std::ofstream(copy + "/" + file) << json;
    return MESSAGE_OF(read_model(copy, english_to_french));
  };
  CHECK_CONTAINS(changed("config.json", {{"x", 0}}), "no error");
  CHECK_CONTAINS(changed("generation_config.json", {{"forced_bos_token_id", 91}}), "no error");
  CHECK_CONTAINS(changed("generation_config.json", {{"pad_token_id", 0}}), "only 1 can be imported");
  CHECK_CONTAINS(changed("generation_config.json", {{"decoder_start_token_id", 1}}),
                 "only 2 can be imported");
  CHECK_CONTAINS(changed("config.json", {{"model_type", "nllb-moe"}}), "nllb-moe");
  CHECK_CONTAINS(changed("config.json", {{"vocab_size", 99}}), "no matrix");
  CHECK_CONTAINS(changed("vocab.json", {{"x", 0}}), "is M2M100 and not NLLB");
  CHECK_CONTAINS(changed("special_tokens_map.json", {{"additional_special_tokens", nullptr}}),
                 "has the codes of the languages");
}
