// What `regard evaluate` measures beside loss, exact match and BLEU.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"
#include "tests/program/support/two_texts.h"

using namespace regard::tests;

TEST_CASE("two texts have a chrF and scores by length", "[program]") {
  const TwoTexts texts;
  const Outcome outcome = texts.evaluate({"--chrf++"});
  // Output of sacreBLEU 2.6.0: chrF2 = 78.21, chrF2++ = 78.26
  CHECK(has_line(outcome, "chrF2           78.21"));
  CHECK(has_line(outcome, "chrF2++         78.26"));
  CHECK(has_line(outcome, "  signature     nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:regard-"));
  CHECK(has_line(outcome, "  signature     nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:regard-"));
  CHECK(has_line(outcome, "reference words  sentences    BLEU  exact match"));
  CHECK(has_line(outcome, "<10                      2"));
  CHECK(has_line(outcome, "10-19                    1"));
  CHECK_FALSE(has_line(outcome, "20-29"));
  CHECK_FALSE(has_line(outcome, "paired bootstrap"));
}

TEST_CASE("an output is compared with another on samples", "[program]") {
  const TwoTexts texts;
  const std::string worse = texts.directory.file("worse", "Ein Mann geht.\nKinder spielen im Schnee.\n\n");
  const Outcome outcome = texts.evaluate({"--baseline", worse, "--bootstrap-samples", "200", "--seed", "5"});
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.out, "paired bootstrap: 200 samples, seed 5");
  const Words found = lines(outcome.out);
  REQUIRE(found.size() > 2);
  CHECK(found[found.size() - 2].starts_with("BLEU       49.14"));
  CHECK(found.back().starts_with("chrF2      78.21"));
  CHECK_CONTAINS(found.back(), "100.0 %     0.0 %");  // better on every sample
  const Words more = lines(texts.evaluate({"--baseline", worse, "--chrf++", "--ter"}).out);
  REQUIRE(more.size() > 2);
  CHECK(more[more.size() - 2].starts_with("chrF2++    78.26"));
  CHECK(more.back().starts_with("TER  "));
  CHECK_CONTAINS(more.back(), "100.0 %     0.0 %");  // fewer edits are better
  const Outcome same = texts.evaluate({"--baseline", texts.hypothesis});
  CHECK_CONTAINS(lines(same.out).back(), "    1.0000      0.0 %     0.0 %");
  CHECK(texts.evaluate({"--baseline", worse, "--bootstrap-samples", "200", "--seed", "5"}).out ==
        outcome.out);
  CHECK(texts.evaluate({"--baseline", worse, "--bootstrap-samples", "200", "--seed", "6"}).out !=
        outcome.out);
}

TEST_CASE("the lengths at which a range of scores begins can be chosen", "[program]") {
  const TwoTexts texts;  // references of 9, 12 and 3 words
  const Outcome outcome = texts.evaluate({"--length-bounds", "3,4,12", "--lowercase"});
  CHECK(outcome.code == 0);
  CHECK_FALSE(has_line(outcome, "chrF2++"));
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

TEST_CASE("what more is measured is written as JSON, too", "[program]") {
  const TwoTexts texts;
  const std::string file = texts.directory / "scores.json";
  const Outcome outcome = texts.evaluate({"--scores-json", file, "--length-bounds", "4,10", "--baseline",
                                          texts.hypothesis, "--bootstrap-samples", "20"});
  CHECK(outcome.code == 0);
  const nlohmann::json scores = nlohmann::json::parse(content(file));
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
}

TEST_CASE("a baseline of another length, no samples and a seed without a baseline are refused", "[program]") {
  const TwoTexts texts;
  const std::string two = texts.directory.file("two", "eins\nzwei\n");
  const std::string longer = two + " has 2 lines, " + texts.reference + " has 3 lines, so " + texts.reference;
  CHECK_REFUSED(texts.evaluate({"--baseline", two}), longer);
  CHECK_REFUSED(texts.evaluate({"--baseline", texts.hypothesis, "--bootstrap-samples", "0"}),
                "--bootstrap-samples 0: give at least 1");
  for (const std::string samples : {"-1", "x", "nan", "1e999", "99999999999999999999"})
    CHECK_REFUSED(texts.evaluate({"--baseline", texts.hypothesis, "--bootstrap-samples", samples}),
                  "--bootstrap-samples");
  CHECK_REFUSED(texts.evaluate({"--seed", "3"}), "--seed requires --baseline");
  CHECK_REFUSED(texts.evaluate({"--baseline", texts.hypothesis, "--seed", "-3"}), "-3 is negative");
}

TEST_CASE("a model's translations have all measures, too", "[program]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("source", "one two three\n\none\ntwo four\nthree four\n");
  const std::string reference = directory.file("reference", "eins zwei drei\neins\n\nzwei vier\n\n");
  const std::string kept = directory / "translations";
  const Words command{"evaluate", small_model(), "--source", source, "--reference", reference};
  const Outcome outcome = run_well(joined(command, {"--output", kept}));
  const Outcome again = run_well({"evaluate", "--hypothesis", kept, "--reference", reference});
  // Exact match is about the pairs with a model, and about all lines without.
  CHECK(has_line(outcome, "<10                      5    0.00     100.00 %"));
  CHECK(has_line(again, "<10                      5    0.00      40.00 %"));
  // Compared with itself as the baseline, it has no difference.
  const Outcome beside = run_well(joined(command, {"--baseline", kept, "--bootstrap-samples", "20"}));
  CHECK_CONTAINS(lines(beside.out).back(), "0.0 %     0.0 %");
  // Sentences of at most three words have no 4-grams, so BLEU is 0; but their characters match.
  const Outcome right = run_well(evaluate_command(small_model()));
  CHECK(has_line(right, "BLEU            0.00"));
  CHECK(has_line(right, "chrF2           100.00"));
  CHECK(has_line(right, "<10                     84    0.00     100.00 %"));
}

TEST_CASE("a pair that is left out does not count for the exact matches of its length", "[program]") {
  const TemporaryDirectory directory;
  // Three pairs count; the second has a word that the model does not know. The last source is empty.
  const std::string source = directory.file("source", "one two three\ntwo\none four\n\n");
  const std::string reference = directory.file("reference", "eins zwei drei\nsechs\neins vier\neins\n");
  const std::string file = directory / "scores.json";
  run_well({"evaluate", small_model(), "--source", source, "--reference", reference, "--scores-json", file,
            "--length-bounds", "2,3"});
  const nlohmann::json scores = nlohmann::json::parse(content(file));
  // Of the two references of one word, one counts; the other is a pair that is left out.
  const nlohmann::json& lengths = scores.at("lengths");
  REQUIRE(lengths.size() == 3);
  CHECK(lengths[0].at("sentences") == 2);
  CHECK(lengths[0].at("exact_match") == 0.0);
  CHECK(lengths[1].at("exact_match") == 1.0);
  CHECK(lengths[2].at("exact_match") == 1.0);
}

TEST_CASE("several references are compared with, and TER is measured", "[program]") {
  const TwoTexts texts;
  const std::string other = texts.directory.file("other",
                                                 "Ein Mann geht mit dem Hund am Fluss spazieren.\n"
                                                 "Im Schnee spielen zwei Kinder und lachen.\n"
                                                 "Es regnet heute.\n");
  const std::string file = texts.directory / "scores.json";
  const Outcome one = texts.evaluate({"--ter"}),
                two = texts.evaluate(
                    {"--reference", other, "--ter", "--ter-case-sensitive", "--scores-json", file});
  // dem for seinem; two words that are shifted together, lachen. for lachen, and laut. missing.
  CHECK(has_line(one, "  edits         4 (24.0 reference words)"));
  CHECK(
      has_line(one, "  signature     nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:regard-"));
  CHECK(has_line(one, "exact match     0.00 %"));
  CHECK(has_line(two, "exact match     33.33 %"));
  CHECK(has_line(two, "  signature     nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:regard-"));
  CHECK(has_line(two, "  signature     nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no|version:regard-"));
  const nlohmann::json scores = nlohmann::json::parse(content(file)), ter = scores.at("ter");
  CHECK(ter.at("edits") == 4);  // the last sentence has one now, the first one none
  CHECK(ter.at("score").get<double>() == Approx(100 * 4 / ter.at("reference_words").get<double>()));
  CHECK_FALSE(has_line(texts.evaluate(), "TER"));
}

TEST_CASE("what does not go together in an evaluation is refused", "[program]") {
  const TwoTexts texts;
  const std::string shorter = texts.directory.file("shorter", "Ein Mann\n");
  CHECK_REFUSED(texts.evaluate({"--reference", shorter}), shorter + " has 1 lines, ");
  CHECK_REFUSED(texts.evaluate({"--ter", "--ter-asian-support"}),
                "--ter-asian-support has no effect by itself");
  CHECK_REFUSED(texts.evaluate({"--ter-normalized"}), "--ter");
  CHECK_REFUSED(texts.evaluate({"--cut-by", "ja-mecab-0.996-IPA"}), "give --tokeniser none, too");
  CHECK(has_line(
      texts.evaluate({"--tokeniser", "none", "--cut-by", "ja-mecab-0.996-IPA"}),
      "  signature     nrefs:1|case:mixed|eff:no|tok:ja-mecab-0.996-IPA|smooth:exp|version:regard-"));
  CHECK(has_line(texts.evaluate({"--tokeniser", "zh"}),
                 "  signature     nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:regard-"));
}
