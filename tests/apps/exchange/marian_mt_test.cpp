// Imported models of MarianMT do what transformers does with them: ids of odd sentences, losses and
// translations (tests/fixtures/make_marian_fixtures.py).
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/exchange/import.h"
#include "apps/translation/translator/translator.h"
#include "tests/apps/support.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"

using namespace regard;
using namespace regard::exchange;
using namespace regard::translation;
using namespace regard::tests;

namespace {

using PlainJson = nlohmann::json;
using FileIds = std::vector<std::int32_t>;

std::string marian_mt(const std::string& name) { return REGARD_FIXTURES "/marian/" + name; }

struct Imported {
  explicit Imported(const std::string& name) : translator(load(name)) {
    std::ifstream file(marian_mt(name + ".expected.json"));
    expected = PlainJson::parse(file);
    const bool joint = translator.model().settings.data.joint_vocabulary;
    source_tokens = read_vocabulary(marian_mt(name) + "/vocab.json");
    target_tokens = joint ? source_tokens : read_vocabulary(marian_mt(name) + "/target_vocab.json");
  }

  static Translator load(const std::string& name) {
    const TemporaryDirectory directory;
    ImportedModel imported = read_model(marian_mt(name));
    write_model(imported.model, directory / "model");
    return Translator::load(directory / "model");
  }

  /// The ids of the file for ours. Our <s> is its <pad>.
  FileIds in_file(const Vocabulary& vocabulary, const std::vector<std::string>& tokens,
                  const FileIds& ids) const {
    FileIds result;
    for (const std::int32_t id : ids)
      result.push_back(
          id_of(tokens, id == special::begin ? "<pad>" : vocabulary.token(id), "the vocabulary"));
    return result;
  }
  FileIds source_ids(const std::string& text) {
    const Vocabulary& vocabulary = translator.model().vocabularies.source;
    return in_file(vocabulary, source_tokens,
                   transformer::with_end(vocabulary.ids(translator.model().tokeniser->split(text))));
  }
  FileIds target_ids(const std::string& text) {
    const Vocabulary& vocabulary = translator.model().vocabularies.target;
    return in_file(vocabulary, target_tokens,
                   transformer::with_end(vocabulary.ids(translator.model().tokeniser->split_target(text))));
  }
  FileIds ids_of(const Translation& translation) {
    return in_file(translator.model().vocabularies.target, target_tokens,
                   transformer::with_end(translation.ids));
  }

  Translator translator;
  PlainJson expected;
  std::vector<std::string> source_tokens, target_tokens;
};

/// True for a tag after blanks, which MarianTokenizer does not read as a tag.
bool has_late_tag(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin > 0 && begin != text.npos && text.compare(begin, 2, ">>") == 0;
}

}  // namespace

TEST_CASE("an imported model cuts odd sentences into the ids of MarianTokenizer", "[import]") {
  for (const std::string name : {"tied", "two_vocabularies", "untied"}) {
    Imported imported(name);
    const PlainJson& tokens = imported.expected["tokens"];
    std::size_t with_unknown = 0;
    for (std::size_t i = 0; i < tokens["sources"].size(); ++i) {
      const std::string text = tokens["sources"][i];
      INFO(name << ": " << text);
      if (has_late_tag(text)) continue;
      const FileIds expected = tokens["source_ids"][i].get<FileIds>();
      CHECK(imported.source_ids(text) == expected);
      with_unknown += std::ranges::count(expected, 1) > 0;
    }
    for (std::size_t i = 0; i < tokens["targets"].size(); ++i) {
      const std::string text = tokens["targets"][i];
      INFO(name << ": " << text);
      if (has_late_tag(text)) continue;
      CHECK(imported.target_ids(text) == tokens["target_ids"][i].get<FileIds>());
    }
    CHECK(with_unknown * 10 > tokens["sources"].size());
    for (const std::string blanks : {" ", " \t\u00A0\u3000"}) {
      CHECK(imported.source_ids(blanks + ">>fra<< ba") == imported.source_ids(">>fra<< ba"));
      CHECK(imported.target_ids(blanks + ">>fra<< ba") == imported.target_ids(">>fra<< ba"));
    }
    CHECK(imported.translator.model().tokeniser->split(" >>fra<<").front() == ">>fra<<");
  }
}

TEST_CASE("an imported model joins pieces as MarianTokenizer does, those of the other side too", "[import]") {
  Imported imported("tied");
  const Tokeniser& tokeniser = *imported.translator.model().tokeniser;
  CHECK(tokeniser.join({"▁ba", "▁sé", "sa", "▁va", "de", "lo", "ki", "S"}) == "ba sésa vadelokiS");
  CHECK(tokeniser.join({"tö", "▁", "▁ko", "T", "sa", "li", "é", "▁bi"}) == "tö  koTsalié bi");
  CHECK(tokeniser.join({"V", "▁do", "e", "T", "be", "r", "▁ki", "▁va"}) == "V doeTber ki va");
  CHECK(tokeniser.join({"▁né", "be", "▁ti", ">>fra<<"}) == "nébe ti>>fra<<");
}

TEST_CASE("an imported model gives the losses of transformers", "[import]") {
  for (const std::string name : {"tied", "two_vocabularies", "untied"}) {
    INFO(name);
    Imported imported(name);
    const PlainJson& pairs = imported.expected["translations"];
    const auto scores = imported.translator.score(pairs["sources"].get<std::vector<std::string>>(),
                                                  pairs["references"].get<std::vector<std::string>>());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double loss = pairs["losses"][i];
      CHECK(-scores[i]->log_probability == Approx(loss).epsilon(1e-5));
    }
  }
}

TEST_CASE("an imported model translates as generate() does, greedily and with beam 4", "[import]") {
  for (const std::string name : {"tied", "two_vocabularies", "untied"}) {
    INFO(name);
    Imported imported(name);
    const PlainJson& expected = imported.expected["translations"];
    const auto sources = expected["sources"].get<std::vector<std::string>>();
    transformer::SearchOptions options = imported.translator.decoding();
    CHECK(options.beam == 4);
    CHECK(options.alpha == 0.8);
    CHECK(options.max_length == 38);
    CHECK(options.max_length_ratio == 0);  // generate() has no limit that depends on the source
    CHECK(options.max_length_constant == 0);
    const auto found = imported.translator.translate(sources, options);
    options.beam = 1;
    const auto greedy = imported.translator.translate(sources, options);
    std::size_t same = 0, texts = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      CHECK(imported.ids_of(greedy[i].n_best[0]) == expected["greedy_ids"][i].get<FileIds>());
      const Translation& best = found[i].n_best[0];
      const FileIds theirs = expected["beam_ids"][i].get<FileIds>();
      const double score = expected["scores"][i];
      if (imported.ids_of(best) == theirs) {
        ++same;
        CHECK(best.score.value() == Approx(score).epsilon(1e-5));
        // transformers leaves out <unk>, where SentencePiece has its mark.
        if (std::ranges::count(theirs, 1) == 0) {
          ++texts;
          CHECK(best.text == expected["texts"][i].get<std::string>());
        }
      } else {  // another rule for which candidates live on, in both directions
        INFO(i << ": " << best.score.value() << " instead of " << score);
        CHECK(std::abs(best.score.value() - score) < 0.1);
      }
    }
    CHECK(same + 2 >= sources.size());
    CHECK(texts > 10);
  }
}

TEST_CASE("the search of an imported model is what generate() would do", "[import]") {
  // The settings after an import with such a generation_config.json, or the error message.
  const auto imported = [](const PlainJson& generation, const PlainJson& tokeniser = {{"x", 0}}) {
    const TemporaryDirectory directory;
    std::filesystem::copy(marian_mt("tied"), directory / "model");
    PlainJson json{{"bad_words_ids", {{107}}}};
    json.update(generation);
    std::ofstream(directory / "model/generation_config.json") << json;
    std::ofstream(directory / "model/tokenizer_config.json") << tokeniser;
    return read_model(directory / "model").model.settings;
  };
  const transformer::SearchOptions usual = imported(PlainJson::object()).decoding;
  CHECK(usual.beam == 1);
  CHECK(usual.length_penalty == transformer::LengthPenalty::power);
  CHECK(usual.alpha == 1);
  CHECK(usual.patience == 1);
  CHECK(usual.max_length == 510);
  CHECK(usual.min_length == 0);
  CHECK(usual.no_repeat_ngram == 0);
  CHECK(usual.repetition_penalty == 1);
  // max_length and min_length count <pad>; all but the last two count </s>, which is forbidden before the
  // least.
  const auto most = [&](const PlainJson& keys) { return imported(keys).decoding.max_length; };
  const auto least = [&](const PlainJson& keys) { return imported(keys).decoding.min_length; };
  CHECK(most({{"max_length", 3}}) == 1);
  CHECK(most({{"max_new_tokens", 9}}) == 8);
  CHECK(most({{"max_new_tokens", 9}, {"max_length", 300}}) == 8);
  CHECK(most({{"max_new_tokens", nullptr}, {"max_length", 300}}) == 298);
  CHECK(least({{"min_length", 0}}) == 0);
  CHECK(least({{"min_length", 5}}) == 4);
  CHECK(least({{"min_new_tokens", 5}}) == 5);
  CHECK(least({{"min_new_tokens", 5}, {"min_length", 9}}) == 5);
  CHECK(imported({{"early_stopping", false}}).decoding.patience == 1);
  CHECK(imported({{"early_stopping", "never"}}).decoding.patience == 0);
  for (const auto& wrong : std::vector<std::pair<std::string, PlainJson>>{{"max_length", 2},
                                                                          {"max_new_tokens", 1},
                                                                          {"max_length", 40.5},
                                                                          {"max_length", "40"},
                                                                          {"num_beams", 0},
                                                                          {"num_beams", 1e300},
                                                                          {"min_length", 1e10},
                                                                          {"length_penalty", 11},
                                                                          {"no_repeat_ngram_size", -1},
                                                                          {"repetition_penalty", false}})
    CHECK_CONTAINS(MESSAGE_OF(imported({{wrong.first, wrong.second}})), wrong.first + " is ");
  CHECK(imported(PlainJson::object()).data.max_length == 511);
  CHECK(imported(PlainJson::object(), {{"model_max_length", 100}}).data.max_length == 99);
  CHECK(imported(PlainJson::object(), {{"model_max_length", 1e30}}).data.max_length == 511);  // no limit
  for (const PlainJson& wrong : {PlainJson(1), PlainJson(9.5), PlainJson("512")})
    CHECK_CONTAINS(MESSAGE_OF(imported(PlainJson::object(), {{"model_max_length", wrong}})),
                   "\"model_max_length\" must be a whole number from 2");
}
