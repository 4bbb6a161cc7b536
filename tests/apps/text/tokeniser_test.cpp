#include "apps/translation/text/tokeniser.h"

#include <string>
#include <vector>

#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;

namespace {

using Tokens = std::vector<std::string>;

/// The tokenisers that cut at blanks and between characters. subword-nmt has a test below, sentencepiece has
/// subwords_test.cpp.
const std::vector<std::string> simple_tokenisers = {"word", "char"};

}  // namespace

TEST_CASE("word splits at blanks", "[tokeniser]") {
  const auto word = make_tokeniser("word");
  CHECK(word->split("two young , white males") == Tokens{"two", "young", ",", "white", "males"});
  CHECK(word->split("  a \t b\xC2\xA0"
                    "c\xE3\x80\x80") == Tokens{"a", "b", "c"});
  CHECK(word->split("") == Tokens{});
  CHECK(word->split(" \t ") == Tokens{});
  CHECK(word->split("x") == Tokens{"x"});
  CHECK(word->split("나는 학생 이다") == Tokens{"나는", "학생", "이다"});
  CHECK(word->split("a\xE2\x96\x81"
                    "b") == Tokens{"a\xE2\x96\x81"
                                   "b"});  // ▁ is a letter here
  CHECK(word->join({"les", "pauvres"}) == "les pauvres");
  CHECK(word->join({"x"}) == "x");
  CHECK(word->join({}).empty());
}

TEST_CASE("char splits into characters with a visible blank", "[tokeniser]") {
  const auto characters = make_tokeniser("char");
  CHECK(characters->split("Äh 3€") == Tokens{"Ä", "h", "▁", "3", "€"});
  CHECK(characters->split("\xF0\x9F\x98\x80") == Tokens{"\xF0\x9F\x98\x80"});
  CHECK(characters->split("").empty());
  CHECK(characters->split("   ").empty());
  CHECK(characters->split(" a \t b ") == Tokens{"a", "▁", "b"});
  CHECK(characters->join({"Ä", "h", "▁", "3"}) == "Äh 3");
  CHECK(characters->join({}).empty());
}

TEST_CASE("char reads a visible blank in the text as a blank", "[tokeniser]") {
  const auto characters = make_tokeniser("char");
  CHECK(characters->split("a▁b") == Tokens{"a", "▁", "b"});
  CHECK(characters->split("▁a▁ ▁b▁") == Tokens{"a", "▁", "b"});
  CHECK(characters->join(characters->split("a▁b")) == "a b");
}

TEST_CASE("join after split gives the text with single blanks", "[tokeniser]") {
  for (const std::string& name : simple_tokenisers) {
    const auto tokeniser = make_tokeniser(name);
    CHECK(tokeniser->join(tokeniser->split("the 3rd of März 2021")) == "the 3rd of März 2021");
    CHECK(tokeniser->join(tokeniser->split("  나는\t학생  이다 ")) == "나는 학생 이다");
  }
}

TEST_CASE("tokenisers refuse text that is not UTF-8", "[tokeniser]") {
  for (const std::string& name : simple_tokenisers)
    CHECK_ERROR(make_tokeniser(name)->split("ab \xC3"), "byte 4");
}

TEST_CASE("an unknown tokeniser is refused with the known names", "[tokeniser]") {
  CHECK_ERROR(make_tokeniser("words"), "\"words\"");
  CHECK_ERROR(make_tokeniser("words"), "word, subword-nmt, char");
  CHECK_ERROR(make_tokeniser(""), "word, subword-nmt, char");
  CHECK(MESSAGE_OF(make_tokeniser("sentencepiece")) ==
        "the tokeniser sentencepiece needs a model: make a SubwordTokeniser");
}

TEST_CASE("subword-nmt's marks join pieces", "[tokeniser]") {
  const auto tokeniser = make_tokeniser("subword-nmt");
  const auto joined = [&](std::string_view text) { return tokeniser->join(tokeniser->split(text)); };
  CHECK(tokeniser->split("co@@ tton  @-@ x") == std::vector<std::string>{"co@@", "tton", "@-@", "x"});
  CHECK(joined("ein Fahr@@ rad in der St@@ ra@@ ße .") == "ein Fahrrad in der Straße .");
  CHECK(joined("no marks") == "no marks");
  CHECK(joined("cut off@@") == "cut off");  // a translation may end inside a word
  CHECK(joined("@@ x") == "x");
  CHECK(joined("") == "");
  CHECK(tokeniser->plain("co@@ tton ,  yes") == "cotton , yes");
  CHECK(make_tokeniser("word")->plain("co@@ tton ,  yes") == "co@@ tton ,  yes");
}
