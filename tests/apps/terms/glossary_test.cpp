// A glossary: its lines, its faults, and the terms that it finds in a sentence.
#include "apps/terms/glossary.h"

#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"

using namespace regard::translation;
using namespace regard::tests;
using Texts = std::vector<std::string>;

namespace {

/// The terms in a text, as they stand there.
Texts found(const std::string& lines, const std::string& text) {
  const TemporaryDirectory directory;
  const Glossary glossary = Glossary::load(directory.file("terms", lines));
  Texts result;
  for (const Glossary::Match& match : glossary.find(text))
    result.push_back(text.substr(match.begin, match.end - match.begin));
  return result;
}

}  // namespace

TEST_CASE("terms are whole words, the longest first", "[terms]") {
  const std::string animals = "dog\tHund\nhot dog\tWurst\ndog house\tHütte|Häuschen\n\ncat*\tKatze*\n";
  CHECK(found(animals, "A dog, two dogs and a bulldog.") == Texts{"dog"});
  CHECK(found(animals, "hot dog house") == Texts{"hot dog"});
  CHECK(found(animals, "Dog house, dog") == Texts{"Dog house", "dog"});
  CHECK(found(animals, "Cats, cat and a bobcat concatenate") == Texts{"Cats", "cat"});
  CHECK(found(animals, "").empty());
  CHECK(found("straße\tstreet\n\xE7\x8B\x97\tdog\n", "Die STRASSE, die Straße: \xE5\xB0\x8F\xE7\x8B\x97") ==
        Texts{"Straße", "\xE7\x8B\x97"});
}

TEST_CASE("the tag of a language has no terms", "[terms]") {
  CHECK(found("fr\tFR\n", ">>fr<< fr and >>fr<<") == Texts{"fr", "fr"});
  CHECK(found("fr\tFR\n", ">>fr <<") == Texts{"fr"});
}

TEST_CASE("the case of a term", "[terms]") {
  CHECK(found("may\tdürfen\texact\nMay\tMai\texact\n", "In May you may, MAY you not?") ==
        Texts{"May", "may"});
  CHECK(found("may\tMai\tany\n", "In May you may.") == Texts{"May", "may"});
}

TEST_CASE("a translation has a term as whole words", "[terms]") {
  const auto is_in = [](const std::string& term, const std::string& text, bool any_case = true) {
    return TermText::read(term, "line 1", any_case).is_in(text);
  };
  CHECK(is_in("Hund", "Der Hund."));
  CHECK(is_in("Hund", "(hund)"));
  CHECK_FALSE(is_in("Hund", "(hund)", false));
  CHECK_FALSE(is_in("Hund", "Hunde, Jagdhund"));
  CHECK(is_in("Hund*", "Hunde"));
  CHECK_FALSE(is_in("Hund*", "Jagdhund"));
  CHECK(is_in("  New   York ", "in New York"));
}

TEST_CASE("a glossary of ten thousand terms", "[terms]") {
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += fmt::format("word{}\tWort{}\n", i, i);
  CHECK(found(lines, "word0 word10000 word9999 word") == Texts{"word0", "word9999"});
}

TEST_CASE("faults of a glossary name file and line", "[terms]") {
  const TemporaryDirectory directory;
  const auto message = [&](const std::string& lines) {
    const std::string path = directory.file("terms.tsv", lines);
    const std::string text = MESSAGE_OF(Glossary::load(path));
    CHECK(text.starts_with(path + ", line 2: "));
    return text.substr(path.size() + 10);
  };
  CHECK_CONTAINS(message("a\tb\nno tab\n"), "expected a source term, a tab and its translation");
  CHECK_CONTAINS(message("a\tb\na\tb\tany\td\n"), "found 3 tabs");
  CHECK_CONTAINS(message("a\tb\n \tb\n"), "a term is empty");
  CHECK_CONTAINS(message("a\tb\nc\t\n"), "a term is empty");
  CHECK_CONTAINS(message("a\tb\nc\td|\n"), "a term is empty");
  CHECK_CONTAINS(message("a\tb\n*\td\n"), "a term is empty");
  CHECK_CONTAINS(message("a\tb\nc\td\tupper\n"), "write any or exact");
  CHECK_CONTAINS(message("a\tb\nA\tc\n"), "stands in " + directory / "terms.tsv");
  CHECK_ERROR(Glossary::load(directory / "none"), "none");
}
