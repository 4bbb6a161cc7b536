#include "apps/translation/text/lowercase.h"

#include "apps/translation/text/utf8.h"
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
