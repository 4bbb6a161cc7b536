// regard vocabulary, and models with subwords.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/gzip.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using Json = nlohmann::json;

namespace {

/// A model directory with subwords. It is made once; do not change it.
const std::string& subword_model() {
  static const TemporaryDirectory directory;
  static const std::string path = [] {
    const Outcome trained = train_numbers(directory / "model");
    if (trained.code != 0) throw std::runtime_error("no model could be trained: " + trained.err);
    return directory / "model";
  }();
  return path;
}

std::string translated_numbers(const std::string& model_directory) {
  const Outcome outcome = run({"translate", model_directory}, {.input = "twenty-one\n\none hundred\n"});
  return outcome.code == 0 ? outcome.out : "(failed) " + outcome.err;
}

}  // namespace

TEST_CASE("a vocabulary is learnt, and the command describes it", "[program]") {
  const TemporaryDirectory directory;
  const Outcome learnt = run_well(learn_command(directory / "x.model"));
  REQUIRE(lines(learnt.out).size() == 3);
  CHECK(lines(learnt.out)[0] == "Learning 100 subwords from 600 lines ...");
  CHECK_THAT(lines(learnt.out)[1], Matches("Learnt in [0-9]+\\.[0-9] s"));
  CHECK(lines(learnt.out)[2] ==
        "bpe, 100 entries, learnt from 600 lines; written to " + directory / "x.model");
  CHECK(content(directory / "x.model") == content(subwords()));

  const Outcome shown = run({"vocabulary", "--model", subwords()});
  CHECK(shown.code == 0);
  CHECK_CONTAINS(shown.out,
                 "type         bpe\nsize         100\nnormalised   nmt_nfkc, extra blanks left out\n"
                 "unknown      <unk>\nsymbols      0\npieces       <pad> <s> </s> <unk> ");
  CHECK(lines(shown.out).size() == 6);

  CHECK(run(learn_command(directory / "u.model", {"--type", "unigram", "--character-coverage", "0.9995"}))
            .code == 0);
  CHECK_CONTAINS(run({"vocabulary", "--model", directory / "u.model"}).out,
                 "type         unigram\nsize         100\n");
}

TEST_CASE("regard vocabulary cuts and joins text", "[program]") {
  const std::string text = "one hundred\n\ntwenty-one\n";
  const Outcome cut = run_well({"vocabulary", "--model", subwords(), "--encode"}, {.input = text});
  REQUIRE(lines(cut.out).size() == 3);
  CHECK_CONTAINS(lines(cut.out)[0], "▁hundred");
  CHECK(lines(cut.out)[1].empty());
  CHECK(run({"vocabulary", "--model", subwords(), "--decode"}, {.input = cut.out}).out == text);

  const Outcome unknown =
      run({"vocabulary", "--model", subwords(), "--encode"}, {.input = "one\r\none 漢字 two\r\n"});
  CHECK(unknown.err == "regard: line 2: not in the vocabulary, read as <unk>: 漢字\n");
  CHECK_THAT(unknown.out, !ContainsSubstring("\r"));
  CHECK_REFUSED(run({"vocabulary", "--model", subwords(), "--encode"}, {.input = "one\n\xFF\n"}),
                "standard input, line 2: not UTF-8");
}

TEST_CASE("a vocabulary keeps the text as it is", "[program]") {
  const TemporaryDirectory directory;
  const std::string text = "  %s files\xC2\xA0\xE2\x80\xA6 \n\t%s  x\xC2\xB2\n";
  const std::string input = directory.file("input", content(numbers().source) + text + text);
  const Outcome learnt =
      run_well({"vocabulary", "--input", input, "--size", "400", "--output", directory / "x",
                "--normalisation", "none", "--keep-blanks", "true", "--byte-fallback", "true",
                "--symbol-patterns", "[\"%[a-z]\"]", "--symbol-frequency", "4"});
  CHECK_CONTAINS(learnt.out,
                 "bpe, 400 entries, normalisation none, blanks kept, 2 symbols, unknown characters as bytes, "
                 "learnt from ");
  CHECK_CONTAINS(run_well({"vocabulary", "--model", directory / "x"}).out,
                 "normalised   none, extra blanks kept\nunknown      as bytes\nsymbols      2\n"
                 "pieces       <pad> <s> </s> <unk> %s \t <0x00> ");
  const Outcome cut =
      run_well({"vocabulary", "--model", directory / "x", "--encode"}, {.input = text + "\xE6\xBC\xA2\n"});
  CHECK(cut.err.empty());  // no character is unknown
  CHECK(run_well({"vocabulary", "--model", directory / "x", "--decode"}, {.input = cut.out}).out ==
        text + "\xE6\xBC\xA2\n");
  CHECK_REFUSED(run({"vocabulary", "--input", input, "--output", directory / "y", "--normalisation", "nfd"}),
                "data.subwords.normalisation is \"nfd\", but subwords can be learnt with \"nmt_nfkc\"");
}

TEST_CASE("a model translates and writes blanks as they are", "[program]") {
  const TemporaryDirectory directory;
  const Outcome trained = train_numbers(directory / "model",
                                        {"data.subwords.normalisation=none", "data.subwords.keep_blanks=true",
                                         "data.subwords.symbols=[\">>de<<\"]"});
  CHECK(trained.code == 0);
  CHECK(trained.err.empty());
  CHECK_CONTAINS(trained.out,
                 "subwords     bpe, 100 entries, normalisation none, blanks kept, 1 symbol, learnt from ");
  if (has_command("inspect"))
    CHECK_CONTAINS(run_well({"inspect", directory / "model"}).out,
                   "subwords: bpe, 100 entries, normalisation none, blanks kept, 1 symbol\n");
  // A prefix is cut and joined like a text.
  const Outcome translated =
      run({"translate", directory / "model", "--prefix", "  ein  >>de<<", "--alignments"},
          {.input = ">>de<<  one \n"});
  CHECK(translated.code == 0);
  CHECK_CONTAINS(translated.out, "  ein  >>de<<");
  CHECK(translated.out.starts_with("  ein"));
  CHECK_CONTAINS(translated.out, "\t▁ >>de<< ▁ ▁");

  CHECK_REFUSED(train_numbers(directory / "model", {}),
                "data.subwords.normalisation was \"none\" when the training");
  if (has_command("export"))
    CHECK_REFUSED(run({"export", directory / "model", "--format", "huggingface", "--out", directory / "hf"}),
                  "the format huggingface cannot express this model: ");
}

TEST_CASE("a vocabulary that cannot be learnt leaves no file", "[program]") {
  const TemporaryDirectory directory;
  const std::string output = directory / "x.model";
  const auto learn = [&](const std::string& input, const std::string& size) {
    return run({"vocabulary", "--input", input, "--size", size, "--output", output});
  };
  CHECK_REFUSED(learn(numbers().source, "10"), "a vocabulary of 10 subwords has no room for all characters");
  CHECK_REFUSED(learn(numbers().source, "4"),
                "--size 4: data.subwords.size must be a whole number from 5 to 1000000, got 4");
  CHECK_REFUSED(learn(directory / "missing", "100"), directory / "missing" + ": No such file or directory");
  CHECK(directory.entries() == 0);
  CHECK_REFUSED(
      run({"vocabulary", "--input", numbers().source, "--size", "100", "--output", directory / "no/x"}),
      directory / "no/x");
}

TEST_CASE("options of regard vocabulary that contradict each other are refused", "[program]") {
  CHECK_REFUSED(run({"vocabulary", "--input", numbers().source}), "vocabulary: give --output FILE");
  CHECK_REFUSED(run({"vocabulary", "--encode"}), "--encode requires --model");
  CHECK_REFUSED(run({"vocabulary", "--model", subwords(), "--size", "10"}), "--size requires --input");
  CHECK_REFUSED(run({"vocabulary", "--model", subwords(), "--encode", "--decode"}), "excludes");
  CHECK_REFUSED(run(learn_command("x", {"--model", subwords()})), "excludes");
  CHECK_REFUSED(run(learn_command("x", {"--type", "word"})),
                "--type word: data.subwords.type must be \"bpe\" or \"unigram\"");
  CHECK_REFUSED(run({"vocabulary", "--model", numbers().source}),
                numbers().source + " cannot be read as a SentencePiece model");
  CHECK_REFUSED(run({"vocabulary", "--model", "missing"}), "missing: No such file or directory");
}

TEST_CASE("a model with subwords learns them, and its directory is complete", "[program]") {
  const TemporaryDirectory directory;
  const Outcome trained = train_numbers(directory / "model");
  CHECK(trained.code == 0);
  CHECK(trained.err.empty());
  CHECK_CONTAINS(trained.out, "Learning 100 subwords from 600 lines ...\nLearnt in ");
  CHECK_CONTAINS(trained.out,
                 "subwords     bpe, 100 entries, learnt from 600 lines\n"
                 "vocabulary   100 source and 100 target entries, joint\n");
  CHECK(content(directory / "model/subwords.model") == content(subwords()));
  const Json vocabulary = Json::parse(content(directory / "model/vocabulary.json"));
  CHECK(vocabulary.at("tokens").size() == 100);
  const std::string text = translated_numbers(directory / "model");
  CHECK(lines(text).size() == 3);
  CHECK(lines(text)[1].empty());
  CHECK_THAT(text, !ContainsSubstring("▁") && !ContainsSubstring("(failed)"));
  if (has_command("inspect")) CHECK(run({"inspect", directory / "model"}).code == 0);

  // The same with a given model, which is deleted after the training.
  std::filesystem::copy(subwords(), directory / "given.model");
  const Outcome given = train_numbers(
      directory / "other", {"data.subwords.model=" + directory / "given.model", "data.subwords.size=5000"});
  CHECK(given.code == 0);
  CHECK_CONTAINS(given.out, "subwords     bpe, 100 entries, from " + directory / "given.model" + "\n");
  const Json config = Json::parse(content(directory / "other/config.json"));
  CHECK(config.at("data").at("subwords").at("size") == 100);  // the size of the model
  std::filesystem::remove(directory / "given.model");
  CHECK(translated_numbers(directory / "other") == text);
  CHECK(content(directory / "other/weights.safetensors") == content(directory / "model/weights.safetensors"));
}

TEST_CASE("a model directory with damaged subwords is refused", "[program]") {
  const TemporaryDirectory directory;
  const std::string copy = directory / "model";
  std::filesystem::copy(subword_model(), copy);
  const std::string file = copy + "/subwords.model", whole = content(file);
  const auto refused = [&] { return refusal(run({"translate", copy}, {.input = "one\n"})); };

  directory.file("model/subwords.model", whole.substr(0, whole.size() / 2));
  CHECK_CONTAINS(refused(), file + " cannot be read as a SentencePiece model");
  CHECK(run(learn_command(directory / "other.model", {"--type", "unigram"})).code == 0);
  directory.file("model/subwords.model", content(directory / "other.model"));
  CHECK_CONTAINS(refused(), copy + "/vocabulary.json does not fit " + file + ": its entry ");
  std::filesystem::remove(file);
  CHECK_CONTAINS(refused(), copy + " is not a complete model: " + file + " is missing");
  directory.file("model/subwords.model", whole);
  CHECK(run({"translate", copy}, {.input = "one\n"}).code == 0);

  Json vocabulary = Json::parse(content(copy + "/vocabulary.json"));
  const Json good = vocabulary;
  vocabulary["tokens"].push_back("extra");
  directory.file("model/vocabulary.json", vocabulary.dump());
  CHECK_CONTAINS(refused(), "it has 101 entries instead of 100");
  vocabulary = good;
  vocabulary["tokens"][4] = "\x1B[2J";
  directory.file("model/vocabulary.json", vocabulary.dump());
  CHECK_CONTAINS(refused(), "its entry 4 is \"\\x1B[2J\" instead of \"");
}

TEST_CASE("a model that replaces a model with subwords removes the subwords", "[program]") {
  const TemporaryDirectory directory;
  const std::string copy = directory / "model";
  std::filesystem::copy(subword_model(), copy);
  const Outcome outcome = run({"train", numbers().config, "--out", copy, "--overwrite", "--set",
                               "data.tokeniser=word", "--set", "data.subwords.size=8000"});
  CHECK(outcome.code == 0);
  CHECK_FALSE(std::filesystem::exists(copy + "/subwords.model"));
}

TEST_CASE("regard vocabulary takes several files after one --input, compressed or not", "[program]") {
  const TemporaryDirectory directory;
  const std::string packed = directory.file("packed", gzip(content(numbers().target)));
  const Outcome learnt = run({"vocabulary", "--input", numbers().source, packed, "--size", "100", "--output",
                              directory / "x.model"});
  CHECK(learnt.code == 0);
  CHECK(content(directory / "x.model") == content(subwords()));
  // The help promises several values only where they are taken.
  CHECK_CONTAINS(run({"vocabulary", "--help"}).out, "--input TEXT ...");
  CHECK_THAT(run({"train", "--help"}).out,
             ContainsSubstring("--set KEY=VALUE ") && !ContainsSubstring("--set KEY=VALUE ..."));
}

TEST_CASE("an option of symbols without an effect is refused", "[program]") {
  CHECK_REFUSED(
      run({"vocabulary", "--input", small_corpus().source, "--output", "x", "--symbol-frequency", "3"}),
      "data.subwords.symbol_frequency has no effect here; it needs data.subwords.symbol_patterns");
}

TEST_CASE("a wrong command line of vocabulary is refused", "[program]") {
  CHECK_REFUSED(run({"vocabulary", "--input", "a", "--output", "b", "--size", "010"}),
                "--size 010: data.subwords.size must be a whole number");
  CHECK_REFUSED(run({"vocabulary"}), "give --input FILE and --output FILE to learn a model, or --model FILE");
}
