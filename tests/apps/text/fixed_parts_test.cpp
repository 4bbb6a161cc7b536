// The parts of a sentence that a translation has unchanged.
#include "apps/translation/text/fixed_parts.h"

#include "autograd/machine/error.h"
#include "tests/catch.h"

using namespace regard::translation;

namespace {

using Texts = std::vector<std::string>;

FixedParts parts(const std::string& text) {
  static const Patterns patterns = fixed_patterns();
  return fixed_parts(text, patterns);
}

}  // namespace

TEST_CASE("placeholders of several kinds are found whole", "[text]") {
  for (const std::string text : {"%s",
                                 "%d",
                                 "%5.2f",
                                 "%-10s",
                                 "%lu",
                                 "%zu",
                                 "%1$s",
                                 "%(name)s",
                                 "%%",
                                 "%1",
                                 "%12",
                                 "%n",
                                 "%HOME_DIR%",
                                 "{0}",
                                 "{}",
                                 "{name}",
                                 "{{ user.name }}",
                                 "${name}",
                                 "%{count}",
                                 "#{name}",
                                 "$name",
                                 "https://example.org/a?b=c",
                                 "a.b@example.org"}) {
    CAPTURE(text);
    CHECK(parts(text).placeholders == Texts{text});
    CHECK(parts("Das (" + text + ").").placeholders == Texts{text});
    CHECK(parts(text).markup.empty());
    CHECK(parts(text).numbers.empty());  // its digits are no number
  }
  CHECK(parts("%s and %s of {0}").placeholders == Texts{"%s", "%s", "{0}"});
  for (const std::string text : {"50 % der Leute", "100 %", "a < b & c", "5$", "$5", "{ a b }", "a@b", "%"}) {
    CAPTURE(text);
    CHECK(parts(text).placeholders.empty());
  }
}

TEST_CASE("tags and entities are markup", "[text]") {
  CHECK(parts("<b>x</b> &amp; <a href=\"u\">&#8230;&#x2F;</a><br/>").markup ==
        Texts{"&#8230;", "&#x2F;", "&amp;", "</a>", "</b>", "<a href=\"u\">", "<b>", "<br/>"});
  CHECK(parts("x <y> <- > & &_File AT&T; ok").markup == Texts{"&T;", "<y>"});
}

TEST_CASE("numbers are compared by their digits", "[text]") {
  CHECK(parts("1,000.5 and 1.000,5, 3. 7'000").numbers == Texts{"10005", "10005", "3", "7000"});
  CHECK(parts("第5章").numbers == Texts{"5"});
  CHECK(parts("mp3 x86_64").numbers.empty());
}

TEST_CASE("a pattern of the user comes first", "[text]") {
  const Patterns patterns = fixed_patterns({"@[a-z]+@", "[0-9]+ km"});
  const FixedParts found = fixed_parts("@host@ 12 km %s 5", patterns);
  CHECK(found.placeholders == Texts{"%s", "12 km", "@host@"});
  CHECK(found.numbers == Texts{"5"});
  CHECK_ERROR(fixed_patterns({"("}), "not a regular expression");
}

TEST_CASE("the share of translations that keep each kind", "[text]") {
  const auto kept = kept_parts({"%s of %s", "<b>a</b>", "7 {0}", "plain"},
                               {"%s von %s", "<b>a<b>", "{0} sieben", "7 %s"}, fixed_patterns());
  CHECK(kept[0].sentences == 2);
  CHECK(kept[0].kept == 2);
  CHECK(kept[1].sentences == 1);
  CHECK(kept[1].kept == 0);
  CHECK(kept[2].sentences == 1);
  CHECK(kept[2].kept == 0);
  CHECK(kept_parts({"%s"}, {"%s %s"}, fixed_patterns())[0].kept == 0);  // as often
}
