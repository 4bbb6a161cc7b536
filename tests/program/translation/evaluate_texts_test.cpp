// `regard evaluate` with existing translations.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

const std::string reference_text =
    "Ein Mann geht mit seinem Hund am Fluss spazieren.\n"
    "Zwei Kinder spielen hinter dem großen Haus im Schnee und lachen laut.\n"
    "Heute regnet es.\n";
const std::string hypothesis_text =
    "Ein Mann geht mit dem Hund am Fluss spazieren.\n"
    "Zwei Kinder spielen im Schnee hinter dem großen Haus und lachen.\n"
    "HEUTE regnet es.\n";

/// Files with these texts, and the output of the program for them.
struct Texts {
  TemporaryDirectory directory;
  std::string reference = directory.file("reference", reference_text);
  std::string hypothesis = directory.file("hypothesis", hypothesis_text);

  Outcome evaluate(const Words& more = {}) const {
    return run(joined({"evaluate", "--hypothesis", hypothesis, "--reference", reference}, more));
  }
};

}  // namespace

TEST_CASE("two texts are compared without a model", "[program]") {
  const Texts texts;
  const Outcome outcome = texts.evaluate();
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  // Output of sacreBLEU 2.6.0: BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp = 49.14, chrF2 = 78.21
  CHECK(has_line(outcome, "sentences       3"));
  CHECK(has_line(outcome, "BLEU            49.14"));
  CHECK(has_line(outcome, "  signature     nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:regard-"));
  CHECK(has_line(outcome, "chrF2           78.21"));
  CHECK(has_line(outcome, "  signature     nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:regard-"));
  CHECK(has_line(outcome, "exact match     0.00 %"));
  CHECK(has_line(outcome, "reference words  sentences    BLEU  exact match"));
  CHECK(has_line(outcome, "<10                      2"));
  CHECK(has_line(outcome, "10-19                    1"));
  CHECK_FALSE(has_line(outcome, "20-29"));
  CHECK_FALSE(has_line(outcome, "paired bootstrap"));
}

TEST_CASE("tokeniser and case can be chosen", "[program]") {
  const Texts texts;
  const Outcome none = texts.evaluate({"--tokeniser", "none"});
  CHECK(has_line(none, "BLEU            45.25"));
  const Outcome lowercase = texts.evaluate({"--lowercase"});
  CHECK(has_line(lowercase, "BLEU            54.71"));
  CHECK_CONTAINS(lowercase.out, "nrefs:1|case:lc|eff:no|tok:13a");
  CHECK_CONTAINS(texts.evaluate({"--tokeniser", "intl"}).out, "|tok:intl|");
  CHECK_REFUSED(texts.evaluate({"--tokeniser", "zh"}),
                "--tokeniser zh: give \"13a\", \"none\", \"intl\" or \"char\"");
}

TEST_CASE("evaluate warns of a tokeniser that does not fit the texts", "[program]") {
  Texts texts;
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

TEST_CASE("an output is compared with another on samples", "[program]") {
  const Texts texts;
  const std::string worse = texts.directory.file("worse", "Ein Mann geht.\nKinder spielen im Schnee.\n\n");
  const Outcome outcome = texts.evaluate({"--baseline", worse, "--bootstrap-samples", "200", "--seed", "5"});
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.out, "paired bootstrap: 200 samples, seed 5");
  const Words found = lines(outcome.out);
  REQUIRE(found.size() > 2);
  CHECK(found[found.size() - 2].starts_with("BLEU       49.14"));
  CHECK(found.back().starts_with("chrF2      78.21"));
  CHECK_CONTAINS(found.back(), "100.0 %     0.0 %");  // better on every sample
  const Outcome same = texts.evaluate({"--baseline", texts.hypothesis});
  CHECK_CONTAINS(lines(same.out).back(), "    1.0000      0.0 %     0.0 %");
  CHECK(texts.evaluate({"--baseline", worse, "--bootstrap-samples", "200", "--seed", "5"}).out ==
        outcome.out);
  CHECK(texts.evaluate({"--baseline", worse, "--bootstrap-samples", "200", "--seed", "6"}).out !=
        outcome.out);
}

TEST_CASE("the lengths at which a range of scores begins can be chosen", "[program]") {
  const Texts texts;  // references of 9, 12 and 3 words
  const Outcome outcome = texts.evaluate({"--length-bounds", "3,4,12", "--lowercase"});
  CHECK(outcome.code == 0);
  CHECK(has_line(outcome, "exact match     33.33 %"));
  CHECK(has_line(outcome, "3                        1  100.00     100.00 %"));
  CHECK(has_line(outcome, "4-11                     1"));
  CHECK(has_line(outcome, ">=12                     1"));
  CHECK_FALSE(has_line(outcome, "<3"));
  for (const std::string bounds :
       {"0,10", "10,10", "20,10", "10,x", "10,20.5", "-1", "10,", "10, 20", "1e2", "99999999999999999999"})
    CHECK_REFUSED(
        texts.evaluate({"--length-bounds=" + bounds}),
        "--length-bounds " + bounds + ": give whole numbers of at least 1 that increase, such as 10,20,30");
}

TEST_CASE("the figures of an evaluation are written as JSON, those that are printed", "[program]") {
  const Texts texts;
  const std::string file = texts.directory / "scores.json";
  const Outcome outcome = texts.evaluate({"--scores-json", file, "--length-bounds", "4,10", "--baseline",
                                          texts.hypothesis, "--bootstrap-samples", "20"});
  CHECK(outcome.code == 0);
  const nlohmann::json scores = nlohmann::json::parse(content(file));
  CHECK(scores.at("sentences") == 3);
  CHECK(scores.at("exact_match") == 0.0);
  CHECK(scores.at("bleu").at("score").get<double>() == Approx(49.14).margin(0.005));
  CHECK_CONTAINS(outcome.out, "signature     " + scores.at("bleu").at("signature").get<std::string>() + "\n");
  CHECK(scores.at("bleu").at("reference_words") == 27);
  CHECK(scores.at("chrf2").at("score").get<double>() == Approx(78.21).margin(0.005));
  CHECK_CONTAINS(outcome.out,
                 "signature     " + scores.at("chrf2").at("signature").get<std::string>() + "\n");
  CHECK(scores.at("length_bounds") == nlohmann::json({4, 10}));
  const nlohmann::json& lengths = scores.at("lengths");
  REQUIRE(lengths.size() == 3);
  CHECK(lengths[0].at("longest") == 3);
  CHECK(lengths[1].at("reference_words") == "4-9");
  CHECK(lengths[2].at("longest").is_null());
  for (const nlohmann::json& bucket : lengths)
    CHECK(has_line(outcome, fmt::format("{:<16}{:>10}{:>8.2f}{:>11.2f} %",
                                        bucket.at("reference_words").get<std::string>(),
                                        bucket.at("sentences").get<int>(), bucket.at("bleu").get<double>(),
                                        100 * bucket.at("exact_match").get<double>())));
  CHECK(scores.at("paired_bootstrap").at("samples") == 20);
  CHECK(scores.at("paired_bootstrap").at("bleu").at("baseline").at("score") == scores.at("bleu").at("score"));
  CHECK_FALSE(scores.contains("loss"));
}

TEST_CASE("texts with different numbers of lines are refused by evaluate", "[program]") {
  const Texts texts;
  const std::string two = texts.directory.file("two", "eins\nzwei\n");
  const std::string longer = two + " has 2 lines, " + texts.reference + " has 3 lines, so " + texts.reference;
  CHECK_REFUSED(run({"evaluate", "--hypothesis", two, "--reference", texts.reference}), longer);
  CHECK_REFUSED(texts.evaluate({"--baseline", two}), longer);
  CHECK_REFUSED(texts.evaluate({"--baseline", texts.hypothesis, "--bootstrap-samples", "0"}),
                "--bootstrap-samples 0: give at least 1");
}

TEST_CASE("an evaluation needs a model with a source, or a hypothesis", "[program]") {
  const Texts texts;
  CHECK_REFUSED(run({"evaluate", "--reference", texts.reference}),
                "give a MODEL_DIR with --source, or --hypothesis");
  CHECK_REFUSED(run({"evaluate", small_model(), "--reference", texts.reference}),
                "--source is required with a MODEL_DIR");
  CHECK_REFUSED(
      run({"evaluate", small_model(), "--hypothesis", texts.hypothesis, "--reference", texts.reference}),
      "excludes");
  CHECK_REFUSED(texts.evaluate({"--beam", "3"}), "--beam requires MODEL_DIR; see regard evaluate --help");
  CHECK_REFUSED(texts.evaluate({"--output", "x"}), "--output requires MODEL_DIR");
  CHECK_REFUSED(texts.evaluate({"--seed", "3"}), "--seed requires --baseline");
  CHECK_REFUSED(texts.evaluate({"--baseline", texts.hypothesis, "--seed", "-3"}), "-3 is negative");
}

TEST_CASE("placeholders and numbers are compared with those of the sources", "[program]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("source", "%s of 7\nsee @x@ & {0}\nplain\n"),
                    output = directory.file("output", "%s von 8\nsiehe @y@ {0}\nglatt %s\n"),
                    json = directory / "scores.json";
  const Words command{"evaluate", "--hypothesis", output, "--reference", output, "--source", source};
  const Outcome outcome = run_well(joined(command, {"--scores-json", json}));
  CHECK(has_line(outcome, "placeholders    100.00 % (2 of 2 translations have those of their source)"));
  CHECK(has_line(outcome, "numbers         0.00 % (0 of 1 "));
  CHECK_FALSE(has_line(outcome, "markup"));
  const auto kept = nlohmann::json::parse(content(json)).at("kept");
  CHECK(kept == nlohmann::json{{"placeholders", {{"share", 1.0}, {"sentences", 2}, {"kept", 2}}},
                               {"numbers", {{"share", 0.0}, {"sentences", 1}, {"kept", 0}}}});
  CHECK(
      has_line(run_well(joined(command, {"--placeholders", "@[a-z]@"})), "placeholders    50.00 % (1 of 2 "));
  CHECK_REFUSED(run(joined(command, {"--placeholders", "("})),
                "the pattern \"(\" is not a regular expression");
  CHECK_REFUSED(run({"evaluate", "--hypothesis", output, "--reference", output, "--source",
                     directory.file("short", "a\n")}),
                "both files must have the same number of lines");
  CHECK_FALSE(
      has_line(run_well({"evaluate", "--hypothesis", output, "--reference", output}), "placeholders"));
}
