// The sums of BLEU, and exact matches; sacrebleu_test.cpp compares the numbers of BLEU with sacreBLEU's.
#include "apps/translation/metrics/bleu.h"

#include <cmath>
#include <string>
#include <vector>

#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/metrics/exact_match.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::Index;

namespace {

using Words = std::vector<std::string>;

const BleuOptions plain{.tokeniser = BleuTokeniser::none};

}  // namespace

TEST_CASE("the BLEU of a corpus comes from summed counts, not from the mean of its sentences", "[bleu]") {
  const Words hypotheses = {"a b c d e", "v w x y"}, references = {"a b c d e", "z y x w v"};
  const std::vector<BleuCounts> counts = bleu_counts(hypotheses, references, plain);
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].matches == std::array<Index, 4>{5, 4, 3, 2});
  CHECK(counts[1].matches == std::array<Index, 4>{4, 0, 0, 0});
  CHECK(counts[1].totals == std::array<Index, 4>{4, 3, 2, 1});
  BleuCounts sum = counts[0];
  sum += counts[1];
  const double score = corpus_bleu(hypotheses, references, plain).score;
  CHECK(bleu(sum).score == score);
  // 9/9, 4/7, 3/5, 2/3; 9 words against 10
  CHECK(score == Approx(100 * std::exp(1 - 10.0 / 9) * std::pow(4.0 / 7 * 3 / 5 * 2 / 3, 0.25)));
  CHECK(score != Approx((bleu(counts[0]).score + bleu(counts[1]).score) / 2).epsilon(0.01));
}

TEST_CASE("text without blanks between words is noticed, unless the tokeniser cuts it", "[bleu]") {
  const Words japanese{"彼は昨日、新しい本を三冊買いました。", "犬が庭で走っている。"},
      chinese{"我们明天去北京看朋友。", "他不喜欢喝咖啡。"}, thai{"ฉันชอบอ่านหนังสือที่บ้าน"};
  for (const Words& text : {japanese, chinese, thai}) {
    CHECK(lacks_blanks(text, {}));
    CHECK(lacks_blanks(text, {.tokeniser = BleuTokeniser::intl}));
    CHECK(lacks_blanks(text, plain));
    CHECK_FALSE(lacks_blanks(text, {.tokeniser = BleuTokeniser::character}));
  }
  CHECK_FALSE(lacks_blanks({"我们 明天 去 北京 看 朋友 。"}, plain));
  CHECK_FALSE(lacks_blanks({"나는 학생입니다.", "Rechtsschutzversicherungsgesellschaften"}, {}));
  CHECK_FALSE(lacks_blanks({"The Chinese for we go tomorrow is 我们明天去北京看朋友 in a text."}, {}));
  CHECK_FALSE(lacks_blanks({"", "。"}, {}));
}

TEST_CASE("a hundred sentences that end in a separate full stop look tokenised", "[bleu]") {
  Words sentences(99, "a b .");
  sentences.insert(sentences.end(), {"a b.", ".", "a b . "});
  CHECK_FALSE(looks_tokenised(sentences, {}));
  sentences.emplace_back("a .");
  CHECK(looks_tokenised(sentences, {}));
  CHECK(looks_tokenised(sentences, {.tokeniser = BleuTokeniser::intl}));
  CHECK_FALSE(looks_tokenised(sentences, plain));
  CHECK_FALSE(looks_tokenised(sentences, {.tokeniser = BleuTokeniser::character}));
}

TEST_CASE("13a replaces once, from left to right", "[bleu]") {
  const auto words = [](const std::string& text) { return words_for_bleu(text, {}); };
  CHECK(words("&amp;quot; &amp;lt;") == Words{"&", "quot", ";", "<"});  // in the order of the rules
  CHECK(words("a<ski<skipped>pped>b") == Words{"a", "<", "skipped", ">", "b"});
  CHECK(words("<skipped><skipped>") == Words{});
  CHECK(words("line-\nend two\nlines") == Words{"lineend", "two", "lines"});
  // An implementation that moves the rest of the text for each replacement would take minutes.
  constexpr std::size_t many = 400'000;
  std::string text;
  for (std::size_t i = 0; i < many; ++i) text += "&quot;";
  const bool right = words(text) == Words(many, "\"");  // so that a failure does not print them
  CHECK(right);
}

TEST_CASE("texts with different numbers of lines are refused", "[bleu]") {
  CHECK_ERROR(corpus_bleu({"a", "b"}, {"a"}), "2 hypotheses, but 1 references");
  CHECK_ERROR(corpus_bleu({"f\xFC"}, {"a"}), "not UTF-8 at byte 2");
}

TEST_CASE("a translation is exact if its words between blanks are those of the reference", "[bleu]") {
  const Words references{"a b", "a  b c", "a", "", "A b c d"},
      hypotheses{"a b ", "a b c", "A", "", "a b c d"};
  const BleuOptions mixed, lower{.lowercase = true};
  CHECK(exact_matches(hypotheses, references, mixed) == ExactMatches{true, true, false, true, false});
  CHECK(exact_matches(hypotheses, references, lower) == ExactMatches(5, true));
  CHECK(exact_match({true, false, {}, true, {}}) == 2.0 / 3);
  CHECK_FALSE(exact_match({}).has_value());
}

TEST_CASE("of several references, each n-gram counts as often as in the one that has it most often",
          "[bleu]") {
  // Papineni et al. 2002, section 2.1: example 2, whose modified unigram precision is 2/7.
  const References two{{"The cat is on the mat."}, {"There is a cat on the mat."}};
  const auto counts = bleu_counts_of_several({"the the the the the the the."}, two, {.lowercase = true});
  CHECK(counts[0].matches == std::array<Index, 4>{3, 0, 0, 0});  // "the" twice, and the point
  CHECK(counts[0].reference_length == 8);                        // the nearest to the 8 of the hypothesis
  CHECK(bleu_counts_of_several({"a b c d e"}, {{"a x"}, {"x b c"}})[0].matches ==
        std::array<Index, 4>{3, 1, 0, 0});
  CHECK(bleu_counts_of_several({"a b c"}, {{"a b c d"}, {"a b"}})[0].reference_length == 2);
  CHECK_ERROR(bleu_counts_of_several({"a"}, {{"a"}, {"b", "c"}}), "1 hypotheses, but 2 references");
  CHECK_ERROR(bleu_counts_of_several({"a"}, {}), "there is no reference");
}

TEST_CASE("zh makes each Chinese character a word, and cuts the rest as 13a does", "[bleu]") {
  const auto words = [](const std::string& text) {
    return words_for_bleu(text, {.tokeniser = BleuTokeniser::chinese});
  };
  using Words = std::vector<std::string>;
  CHECK(words("我有3.5元，OK!") == Words{"我", "有", "3.5", "元", "，", "OK", "!"});
  CHECK(words(".5 5.") == Words{".5", "5."});  // 13a separates both points
  CHECK(words("これ 한국어") == Words{"これ", "한국어"});
  CHECK(words("“→”") == Words{"“", "→", "”"});
  CHECK(signature({.tokeniser = BleuTokeniser::chinese}, 2).starts_with("nrefs:2|case:mixed|eff:no|tok:zh|"));
  CHECK(signature({.tokeniser = BleuTokeniser::none, .cut_by = "ja-mecab-0.996-IPA"})
            .starts_with("nrefs:1|case:mixed|eff:no|tok:ja-mecab-0.996-IPA|smooth:exp|"));
}
