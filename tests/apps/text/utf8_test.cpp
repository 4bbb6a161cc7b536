#include "apps/translation/text/utf8.h"

#include <set>

#include "tests/apps/support.h"

using namespace regard::translation;

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
  CHECK(printable("\u0080\u009F\u00A0") == "\\x80\\x9F\u00A0");
  CHECK(printable("a\xC3z\xFF") == "a\\xC3z\\xFF");  // not UTF-8
  CHECK(printable("äöü", 3) == "äöü");
  CHECK(printable("äöüß", 3) == "äöü…");
  CHECK(printable("").empty());
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
