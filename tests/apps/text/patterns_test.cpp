// Regular expressions that find placeholders, tags and the like.
#include "apps/translation/text/patterns.h"

#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;

namespace {
using Found = std::vector<std::string_view>;
}

TEST_CASE("patterns find their matches from left to right", "[patterns]") {
  const Patterns patterns({R"(%[0-9]*\$?[sd])", "&[a-z]+;", "<[^<>]+>"});
  CHECK(patterns.matches("<b>%2$s</b> of %d &amp; %s%%") ==
        Found{"<b>", "%2$s", "</b>", "%d", "&amp;", "%s"});
  CHECK(patterns.matches("100 % of it").empty());
  CHECK(patterns.matches("").empty());
  CHECK(patterns.matches("é… %s ü") == Found{"%s"});
}

TEST_CASE("the first pattern that matches at a place is taken", "[patterns]") {
  CHECK(Patterns({"ab", "abc"}).matches("abcd") == Found{"ab"});
  CHECK(Patterns({"abc", "ab"}).matches("abcd") == Found{"abc"});
  CHECK(Patterns({"bc", "ab"}).matches("abcd") == Found{"ab"});  // further left, though later in the list
  CHECK(Patterns({"<.+?>"}).matches("<i>x</i>") == Found{"<i>", "</i>"});
  // An option inside a pattern holds for that pattern alone.
  CHECK(Patterns({"(?i)a", "b"}).matches("aAbB") == Found{"a", "A", "b"});
}

TEST_CASE("parts that match nothing are passed over", "[patterns]") {
  CHECK(Patterns().empty());
  CHECK(Patterns().matches("%s").empty());
  CHECK(Patterns({R"(\b|%s)"}).matches("é %s x") == Found{"%s"});
}

TEST_CASE("a match may be at the beginning of a line or a word only", "[patterns]") {
  CHECK(Patterns({"^>>[a-z]+<<"}).matches(">>de<< a >>fr<<") == Found{">>de<<"});
  CHECK(Patterns({R"(\bx)"}).matches("xx x") == Found{"x", "x"});
}

TEST_CASE("a pattern in context counts where a function says so", "[patterns]") {
  const auto at_begin = [](std::string_view text, std::string_view match) {
    return match.data() == text.data();
  };
  const Patterns patterns({"(a)b", "((b)c)"}, {"x(y)?", "ab?"}, at_begin);
  CHECK(patterns.matches("xy ab x bc a") == Found{"xy", "ab", "bc"});  // the others count everywhere
  CHECK(patterns.matches("é xxbc") == Found{"bc"});
  CHECK(Patterns({}, {"x"}, at_begin).matches("xx") == Found{"x"});
}

TEST_CASE("a long line needs no deep stack", "[patterns]") {
  const std::string line(10'000'000, 'x');
  CHECK(Patterns({"(?:x|y)+"}).matches(line) == Found{line});
}

TEST_CASE("patterns that cannot be used are refused by name", "[patterns]") {
  CHECK(MESSAGE_OF(Patterns({"%s", "%[sd"})) ==
        "the pattern \"%[sd\" is not a regular expression of RE2: missing ]: [sd");
  CHECK(MESSAGE_OF(Patterns({R"((a)\1)"})) ==
        R"(the pattern "(a)\1" is not a regular expression of RE2: invalid escape sequence: \1)");
  CHECK(MESSAGE_OF(Patterns({"%?"})) ==
        "the pattern \"%?\" matches the empty text; write it so that it needs at least one character");
  CHECK(MESSAGE_OF(check_patterns({"a", "b*"}, "--placeholders"))
            .starts_with("--placeholders: the pattern \"b*\" matches the empty text"));
}

TEST_CASE("a quoted text ends with its pattern", "[patterns]") {
  CHECK(Patterns({R"(\Qa)", "b"}).matches("cab") == Found{"a", "b"});
  CHECK(Patterns({R"(\Q(+\E[0-9])", R"(\Q.\)"}).matches(R"(x(+1.\y.)") == Found{"(+1", R"(.\)"});
  CHECK(Patterns({R"(\\Q)", "b"}).matches(R"(\Qb)") == Found{R"(\Q)", "b"});  // a backslash and a Q
}

TEST_CASE("a pattern that matches a part of a character is refused", "[patterns]") {
  for (const char* const pattern : {R"(\C)", R"(x\C+)", R"(\\\C)", R"(\Qa\E\C)"})
    CHECK_ERROR(Patterns({pattern}), "has \\C, which matches a part of a character; write . for a character");
  // A backslash and a C, and quoted ones.
  CHECK(Patterns({R"(\\C)"}).matches(R"(a\C)") == Found{R"(\C)"});
  CHECK(Patterns({R"(\Q\C)"}).matches(R"(a\C)") == Found{R"(\C)"});
}
