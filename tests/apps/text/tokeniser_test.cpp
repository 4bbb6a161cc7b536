// Tokenisers, and the characters of UTF-8.
#include "apps/translation/text/tokeniser.h"

#include <set>
#include <string>
#include <vector>

#include "apps/translation/files/utf8.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;

namespace {

using Tokens = std::vector<std::string>;

/// The tokenisers that cut at blanks and between characters. subword-nmt has a test below.
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
  CHECK_ERROR(make_tokeniser("sentencepiece"), "without files");
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

TEST_CASE("encoding decoded characters gives the same text", "[utf8]") {
  const std::string text = "a\x7F\u0080\u07FF\u0800\uFFFD\U00010000\U0010FFFF";
  const std::u32string characters = decode_utf8(text);
  CHECK(characters == U"a\x7F\u0080\u07FF\u0800\uFFFD\U00010000\U0010FFFF");
  CHECK(encode_utf8(characters) == text);
  CHECK(decode_utf8("").empty());
  CHECK_ERROR(decode_utf8("ab\xC3"), "the text is not UTF-8 at byte 3");
  CHECK_ERROR(check_utf8("ä\xE4z"), "the text is not UTF-8 at byte 3");
  CHECK(MESSAGE_OF(check_utf8("äz")).starts_with("(no error was thrown"));
}

TEST_CASE("lower case follows Unicode", "[lowercase]") {
  CHECK(lowercase(U"ABC xyz ÄÖÜ ẞ ЖЩ Ａ 1Ⅳ") == U"abc xyz äöü ß жщ ａ 1ⅳ");
  CHECK(lowercase(U"İI") == U"i\u0307i");
  CHECK(lowercase(U"") == U"");
}

TEST_CASE("a sigma has another form at the end of a word", "[lowercase]") {
  CHECK(lowercase(U"ΟΔΟΣ ΣΟΦΟΣ.") == U"οδος σοφος.");
  CHECK(lowercase(U"Σ") == U"σ");        // no letter before it
  CHECK(lowercase(U"ΑΣΑ") == U"ασα");    // one after it
  CHECK(lowercase(U"ΑΣ'Α") == U"ασ'α");  // beyond an apostrophe
  CHECK(lowercase(U"Α\u0301Σ") == U"α\u0301ς");
  CHECK(lowercase(U"ας ΑΣ1") == U"ας ας1");
}

TEST_CASE("the first byte that is not UTF-8 is found", "[utf8]") {
  CHECK_FALSE(find_invalid_utf8("").has_value());
  CHECK_FALSE(find_invalid_utf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80").has_value());
  CHECK(find_invalid_utf8("\xFF") == 0u);
  CHECK(find_invalid_utf8("ab\xC3z") == 2u);
  CHECK(find_invalid_utf8("\xC3\xA4\xE2\x82") == 2u);          // incomplete
  CHECK(find_invalid_utf8("a\xC0\xAF") == 1u);                 // overlong
  CHECK(find_invalid_utf8("\xED\xA0\x80") == 0u);              // surrogate
  CHECK(find_invalid_utf8("abc\xF4\x90\x80\x80") == 3u);       // above U+10FFFF
  CHECK(find_invalid_utf8("\xC3\xA4\xA4") == 2u);              // a continuation byte alone
  CHECK(find_invalid_utf8(std::string("a\0b\x80", 4)) == 3u);  // a zero byte is a character
}

TEST_CASE("printable replaces control characters", "[utf8]") {
  CHECK(printable("Straße 학생") == "Straße 학생");
  CHECK(printable(std::string("a\0\x1B[2J\n\x7F", 8)) == "a\\x00\\x1B[2J\\x0A\\x7F");
  CHECK(printable("\u0080\u009F\u00A0\uFFFD") == "<U+0080><U+009F>\u00A0\uFFFD");
  CHECK(printable("a\xC3z\xFF") == "a\\xC3z\\xFF");  // not UTF-8
  CHECK(printable("äöü", 3) == "äöü");
  CHECK(printable("äöüß", 3) == "äöü…");
  CHECK(printable("").empty());
}

TEST_CASE("printable names characters that nobody sees", "[utf8]") {
  CHECK(printable("Auto\u00ADmobil") == "Auto<U+00AD>mobil");
  CHECK(printable("\uFEFFa\u200B\u2060\u202E\uFE0Fb") == "<U+FEFF>a<U+200B><U+2060><U+202E><U+FE0F>b");
  CHECK(printable("a\U000E0001\U000E0061\uFFFF") == "a<U+E0001><U+E0061><U+FFFF>");
  for (const std::string right :
       {"😀 ✈️ 👨‍👩‍👧 ❤️‍🔥 👍🏽 1️⃣", "می\u200Cروم", "नि\u094D\u200Dय"})
    CHECK(printable(right) == right);
}

TEST_CASE("an invisible character is hidden unless its place needs it", "[utf8]") {
  const auto hidden = [](const std::u32string& text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
      count += is_hidden(i > 0 ? text[i - 1] : 0, text[i], i + 1 < text.size() ? text[i + 1] : 0);
    return count;
  };
  for (const std::u32string text : {U"😀",
                                    U"✈️",
                                    U"‼️",
                                    U"ℹ️",
                                    U"👨‍👩‍👧‍👦",
                                    U"🏳️‍🌈",
                                    U"👩🏽‍⚕️",
                                    U"🙂‍↔️",
                                    U"🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
                                    U"1️⃣ #️⃣",
                                    U"می‌روم",
                                    U"سایت‌ها",
                                    U"DVD‌ها",
                                    U"۵‌تا",
                                    U"क्‍ष क्‌ष",
                                    U"ന്‍ ",
                                    U"র‍্য",
                                    U"ක්‍ෂ",
                                    U"ខ្មែរ​ភាសា",
                                    U"ไทย​ไทย",
                                    U"葛\U000E0100城",
                                    U"ᠠ\u180B",
                                    U"\u0600\u06DD٣",
                                    U"e\u0301",
                                    U"a\u00A0b\u2009c\u3000",
                                    U"∩︀"})
    CHECK(hidden(text) == 0);
  for (const std::u32string text :
       {U"a\u00ADb",      U"a\u200Bb",    U"a\u200Cb",   U"a\u200Db",   U"a\u200E",      U"\u200Fا",
        U"\u202Aa",       U"a\u2060b",    U"\u2066",     U"\uFEFFa",    U"a\uFE0F",      U" \uFE0F",
        U"😀\uFE0F\uFE0F", U"😀\u200D",     U"\u200D😀",    U"😀\u200Da",   U"می\u200C روم", U"می\u00ADروم",
        U"a\u034F",       U"\u3164",      U"\u115F",     U"\uFFA0",     U"\u061C",       U"\u180Ea",
        U"\uFFF9",        U"a\U000E0061", U"\U000E0001", U"\U0001D173", U"1\uFE0F",      U"क\u200Bख",
        U"東\u200B京"})
    CHECK(hidden(text) == 1);
}

TEST_CASE("control characters, damaged encodings and noncharacters", "[utf8]") {
  for (const char32_t c :
       {0x00, 0x0A, 0x0D, 0x1F, 0x7F, 0x85, 0x9F, 0xFFFD, 0xFFFE, 0xFFFF, 0xFDD0, 0xFDEF, 0x1FFFE, 0x10FFFF})
    CHECK(is_control(c));
  for (const char32_t c : {U'\t', U' ', U'a', U'\u00A0', U'\u00AD', U'\uFEFF', U'\uFFFC', U'😀',
                           char32_t{0xFDCF}, char32_t{0x10FFFD}})
    CHECK_FALSE(is_control(c));
}

TEST_CASE("a decimal digit of any script has its value", "[utf8]") {
  const std::u32string digits = U"07٠٧۹०९０９𝟎𝟗𝟘𝟙𝟿";
  const std::vector<int> values{0, 7, 0, 7, 9, 0, 9, 0, 9, 0, 9, 0, 1, 9};
  for (std::size_t i = 0; i < digits.size(); ++i) CHECK(decimal_digit(digits[i]) == values[i]);
  for (const char32_t c : U"a²½Ⅳ一 ") CHECK(decimal_digit(c) == -1);
}

TEST_CASE("the character before a position", "[utf8]") {
  CHECK(character_before("aé😀", 1).value == U'a');
  CHECK(character_before("aé😀", 3).value == U'é');
  CHECK(character_before("aé😀", 7).value == U'😀');
  CHECK(character_before("aé", 0).size == 0);
}

TEST_CASE("a text as it is read", "[utf8]") {
  CHECK(as_read("cafe\u0301") == U"café");
  CHECK(as_read(" a \t\u00A0 b\u3000\u200Bc\uFEFF ") == U"a b c");
  CHECK(as_read("ﬁn… x² Ａ１ が") == U"fin... x2 A1 が");
  CHECK(as_read("a\u0001b\u007F\u2581\uFFFD") == U"ab");
  CHECK(as_read("x\u00ADy Case") == U"x\u00ADy Case");  // the model reads it
  CHECK(as_read(std::string("a\0b", 3)) == U"ab");
  CHECK(as_read(" \u200E ").empty());
  CHECK_ERROR(as_read("a\xFF"), "not UTF-8 at byte 2");
}

TEST_CASE("the width of a text is its columns on a terminal", "[utf8]") {
  CHECK(display_width("") == 0);
  CHECK(display_width("Straße\t") == 7);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("東京。ﾊﾟ学Ａ") == 12);
  CHECK(display_width("학생") == 4);
  CHECK(display_width("🙂") == 2);
}

TEST_CASE("blanks are the same as in Python's str.split()", "[utf8]") {
  // [hex(i) for i in range(0x110000) if chr(i).isspace()]
  const std::set<char32_t> expected = {0x09,   0x0a,   0x0b,   0x0c,   0x0d,   0x1c,   0x1d,   0x1e,
                                       0x1f,   0x20,   0x85,   0xa0,   0x1680, 0x2000, 0x2001, 0x2002,
                                       0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a,
                                       0x2028, 0x2029, 0x202f, 0x205f, 0x3000};
  std::set<char32_t> found;
  for (char32_t c = 0; c <= 0x10FFFF; ++c)
    if (is_blank(c)) found.insert(c);
  CHECK(found == expected);
}
