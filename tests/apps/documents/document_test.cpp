// Texts, their paragraphs, and the texts put together again.
#include "apps/documents/document.h"

#include <algorithm>
#include <sstream>

#include "tests/apps/documents/words.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::documents;
using regard::tests::count_words;

#ifdef REGARD_HAS_ICU

namespace {

using Texts = std::vector<std::string>;

struct Result {
  std::string text;
  Texts sentences = {}, warnings = {};  ///< a sentence has its line before it
};

/// Translates a text with a function. Adds its lines one by one, or all at once.
template <class Translate>
Result translated(const std::string& text, const DocumentSettings& settings, Translate translate,
                  Index longest = 100, bool one_by_one = false) {
  const Boundaries boundaries;
  Document document(settings, {longest, count_words}, boundaries);
  Result result;
  const auto take = [&](const std::vector<Paragraph>& paragraphs) {
    for (const Paragraph& paragraph : paragraphs) {
      Texts translations;
      for (const Sentence& sentence : paragraph.sentences) {
        if (!sentence.translated) continue;
        result.sentences.push_back(std::to_string(sentence.line) + " " + sentence.text);
        translations.push_back(translate(sentence.text));
      }
      result.text += document.text(paragraph, translations);
      result.warnings.insert(result.warnings.end(), paragraph.warnings.begin(), paragraph.warnings.end());
    }
  };
  Texts lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  if (one_by_one)
    for (const std::string& line : lines) take(document.add({&line, 1}));
  else
    take(document.add(lines));
  take(document.finish());
  return result;
}

std::string same(const std::string& sentence) { return sentence; }

std::string in_capitals(const std::string& sentence) {
  std::string result = sentence;
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

}  // namespace

TEST_CASE("a text keeps its blank lines, indentation, list marks and line ends", "[documents]") {
  const std::string text =
      "\n# Title\n\nOne is here.  Two is there.\r\n \t\n  - a point! And more?\n  2.1. xx yy. Z \n* * "
      "*\n-----\n"
      "> > quoted\n(iv) four\n\t— said he\n\r\n3 apples\n1984. It was\n";
  const Result result = translated(text, {}, in_capitals);
  CHECK(result.text ==
        "\n# TITLE\n\nONE IS HERE.  TWO IS THERE.\r\n \t\n  - A POINT! AND MORE?\n  2.1. XX YY. Z \n* * "
        "*\n-----\n"
        "> > QUOTED\n(iv) FOUR\n\t— SAID HE\n\r\n3 APPLES\n1984. IT WAS\n");
  CHECK(result.sentences == Texts{"2 Title", "4 One is here.", "4 Two is there.", "6 a point!", "6 And more?",
                                  "7 xx yy.", "7 Z", "10 quoted", "11 four", "12 said he", "14 3 apples",
                                  "15 1984.", "15 It was"});
  CHECK(translated(text, {}, same, 100, true).text == text);
  CHECK(translated("", {}, same).text.empty());
}

TEST_CASE("translations stand together as their language wants", "[documents]") {
  const auto chinese = [](const std::string&) { return std::string("好。"); };
  const auto nothing = [](const std::string& sentence) { return sentence == "Two." ? "" : sentence; };
  CHECK(translated("One. Two.", {}, chinese).text == "好。好。\n");
  CHECK(translated("好。好。", {}, in_capitals).text == "好。好。\n");
  CHECK(translated("好。好。", {}, [](const std::string&) { return std::string("Good."); }).text ==
        "Good. Good.\n");
  CHECK(translated("One. Two. Three.", {}, nothing).text == "One. Three.\n");
}

TEST_CASE("a sentence that is too long for the model is cut, and a warning says where", "[documents]") {
  const Result result = translated("Short.\nHere are, as you see, too many words.", {}, in_capitals, 5);
  CHECK(result.sentences == Texts{"1 Short.", "2 Here are, as you see,", "2 too many words."});
  CHECK(result.text == "SHORT.\nHERE ARE, AS YOU SEE, TOO MANY WORDS.\n");
  CHECK(result.warnings ==
        Texts{"line 2: a sentence has 8 tokens, but the model knows only sentences of up to 5; it is "
              "translated in 2 parts, cut before \"too many words.\""});
  const auto all = [](const std::string& text) { return to_index(text.size()); };
  const Boundaries boundaries;
  Document document({}, {1, all}, boundaries);
  const std::string two_bytes = "é";
  CHECK_ERROR(document.add({&two_bytes, 1}), "line 1: the character é has 2 tokens");
}

TEST_CASE("a tag is read before each sentence", "[documents]") {
  const auto without_tag = [](const std::string& sentence) {
    return sentence.substr(sentence.find(' ') + 1);
  };
  const Result result = translated("- >>de<< One! Two!\nThree", {.tag = ">>fr<<"}, without_tag);
  CHECK(result.sentences == Texts{"1 >>de<< One!", "1 >>de<< Two!", "2 >>fr<< Three"});
  CHECK(result.text == "- One! Two!\nThree\n");
  CHECK(translated(" >>de<<One! Two!", {}, without_tag).sentences == Texts{"1 >>de<< One!", "1 >>de<< Two!"});
  // It counts as a token.
  CHECK(translated("One two three", {.tag = ">>fr<<"}, same, 3).sentences ==
        Texts{"1 >>fr<< One", "1 >>fr<< two three"});
}

TEST_CASE("wrapped paragraphs are joined, and their translations are wrapped", "[documents]") {
  const std::string text =
      "A title\nThis is a text with lines. Its sen-\ntences go on. The lines have 35 col-\numns.\n\n"
      "  * a point that goes on\n    and ends\n  * another point\n    is indented\n    by four.\n";
  for (const bool one_by_one : {false, true}) {
    const Result result = translated(text, {.wrapped = true}, in_capitals, 100, one_by_one);
    CHECK(result.sentences == Texts{"1 A title", "2 This is a text with lines.", "2 Its sen-tences go on.",
                                    "3 The lines have 35 col-umns.", "6 a point that goes on and ends",
                                    "8 another point is indented by four."});
    CHECK(result.text ==
          "A TITLE\nTHIS IS A TEXT WITH LINES. ITS SEN-\nTENCES GO ON. THE LINES HAVE 35 COL-\nUMNS.\n\n"
          "  * A POINT THAT GOES ON\n    AND ENDS\n  * ANOTHER POINT\n    IS INDENTED\n    BY FOUR.\n");
  }
  const auto longer = [](const std::string& sentence) { return sentence + " " + sentence; };
  CHECK(translated("One two\r\nthree.\r\n", {.wrapped = true}, longer).text ==
        "One two\r\nthree.\r\nOne two\r\nthree.\r\n");
  CHECK(translated("你好\n世界\n", {.wrapped = true}, same).sentences == Texts{"1 你好世界"});
}

TEST_CASE("a text that looks wrapped gets a warning once", "[documents]") {
  const std::string line = "This line is so long that it may have been wrapped before\n";
  CHECK(
      translated(line + "the end.\n" + line + "the end.\n", {}, same).warnings ==
      Texts{"a sentence seems to go on from line 1 to line 2; if the sentences of this text are wrapped like "
            "this, give --wrapped"});
  CHECK(translated(line + "The end.\n" + line + "- the end.\n", {}, same).warnings.empty());
  CHECK(translated("one two\nthree\n", {}, same).warnings.empty());
}

#endif
