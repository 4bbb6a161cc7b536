// `regard evaluate` with existing translations.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"
#include "tests/program/support/two_texts.h"

using namespace regard::tests;

TEST_CASE("two texts are compared without a model", "[program]") {
  const TwoTexts texts;
  const Outcome outcome = texts.evaluate();
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  // Output of sacreBLEU 2.6.0: BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp = 49.14
  CHECK(has_line(outcome, "sentences       3"));
  CHECK(has_line(outcome, "BLEU            49.14"));
  CHECK(has_line(outcome, "  signature     nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:regard-"));
  CHECK(has_line(outcome, "exact match     0.00 %"));
}

TEST_CASE("tokeniser and case can be chosen", "[program]") {
  const TwoTexts texts;
  const Outcome none = texts.evaluate({"--tokeniser", "none"});
  CHECK(has_line(none, "BLEU            45.25"));
  const Outcome lowercase = texts.evaluate({"--lowercase"});
  CHECK(has_line(lowercase, "BLEU            54.71"));
  CHECK_CONTAINS(lowercase.out, "nrefs:1|case:lc|eff:no|tok:13a");
  CHECK_CONTAINS(texts.evaluate({"--tokeniser", "intl"}).out, "|tok:intl|");
  CHECK_REFUSED(texts.evaluate({"--tokeniser", "xx"}),
                "--tokeniser xx: give \"13a\", \"none\", \"intl\", \"char\" or \"zh\"");
}

TEST_CASE("evaluate warns of a tokeniser that does not fit the texts", "[program]") {
  TwoTexts texts;
  texts.reference = texts.directory.file("reference", "犬は庭を走っています。\n");
  texts.hypothesis = texts.directory.file("hypothesis", "犬が庭で走っている。\n");
  const Outcome phrases = texts.evaluate();
  CHECK(phrases.code == 0);
  CHECK(has_line(phrases, "BLEU            0.00"));
  CHECK_CONTAINS(phrases.err, "give --tokeniser char");
  const Outcome characters = texts.evaluate({"--tokeniser", "char"});
  CHECK(characters.err.empty());
  CHECK(has_line(characters, "BLEU            27.34"));  // sacreBLEU 2.6.0
  CHECK_CONTAINS(characters.out, "|tok:char|");
  std::string tokenised;
  for (int i = 0; i < 100; ++i) tokenised += "Heute regnet es .\n";
  texts.reference = texts.hypothesis = texts.directory.file("tokenised", tokenised);
  CHECK_CONTAINS(texts.evaluate().err, "at least 100 translations end in \" .\"");
  CHECK(texts.evaluate({"--tokeniser", "none"}).err.empty());
}

TEST_CASE("the figures of an evaluation are written as JSON, those that are printed", "[program]") {
  const TwoTexts texts;
  const std::string file = texts.directory / "scores.json";
  const Outcome outcome = texts.evaluate({"--scores-json", file});
  CHECK(outcome.code == 0);
  const nlohmann::json scores = nlohmann::json::parse(content(file));
  CHECK(scores.at("sentences") == 3);
  CHECK(scores.at("exact_match") == 0.0);
  CHECK(scores.at("bleu").at("score").get<double>() == Approx(49.14).margin(0.005));
  CHECK_CONTAINS(outcome.out, "signature     " + scores.at("bleu").at("signature").get<std::string>() + "\n");
  CHECK(scores.at("bleu").at("reference_words") == 27);
  CHECK_FALSE(scores.contains("loss"));
}

TEST_CASE("texts with different numbers of lines are refused by evaluate", "[program]") {
  const TwoTexts texts;
  const std::string two = texts.directory.file("two", "eins\nzwei\n");
  const std::string longer = two + " has 2 lines, " + texts.reference + " has 3 lines, so " + texts.reference;
  CHECK_REFUSED(run({"evaluate", "--hypothesis", two, "--reference", texts.reference}), longer);
}

TEST_CASE("an evaluation needs a model with a source, or a hypothesis", "[program]") {
  const TwoTexts texts;
  CHECK_REFUSED(run({"evaluate", "--reference", texts.reference}),
                "give a MODEL_DIR with --source, or --hypothesis");
  CHECK_REFUSED(run({"evaluate", small_model(), "--reference", texts.reference}),
                "--source is required with a MODEL_DIR");
  CHECK_REFUSED(
      run({"evaluate", small_model(), "--hypothesis", texts.hypothesis, "--reference", texts.reference}),
      "excludes");
  CHECK_REFUSED(texts.evaluate({"--beam", "3"}), "--beam requires MODEL_DIR; see regard evaluate --help");
  CHECK_REFUSED(texts.evaluate({"--output", "x"}), "--output requires MODEL_DIR");
}
