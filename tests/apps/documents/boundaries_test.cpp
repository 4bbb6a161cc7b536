// Sentences, and places where long sentences are cut. The expected texts are written by hand.
#include "apps/documents/boundaries.h"

#include <fstream>
#include <set>

#include "apps/documents/long_sentences.h"
#include "tests/apps/documents/words.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::documents;
using regard::tests::count_words;

#ifdef REGARD_HAS_ICU

namespace {

using Texts = std::vector<std::string>;

Texts sentences_of(const std::string& text, const std::string& language = "") {
  Texts result;
  std::size_t begin = 0;
  for (const std::size_t end : Boundaries(language).sentences(text)) {
    result.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return result;
}

Texts pieces(const std::string& text, Index most) {
  const auto found = cut(text, Boundaries(), {most, count_words});
  return {found.begin(), found.end()};
}

/// Cuts by characters, as a model with the tokeniser char would.
Texts pieces_by_bytes(const std::string& text, Index most) {
  const auto bytes = [](const std::string& piece) { return to_index(piece.size()); };
  const auto found = cut(text, Boundaries(), {most, bytes});
  return {found.begin(), found.end()};
}

/// The sentences of a language in tests/fixtures: each line is a text, with " | " where a sentence ends.
struct SentenceSet {
  std::string language;

  /// Ends that are missing, and ends that are wrong. `rules` is the language that is given to Boundaries.
  int errors(const std::string& rules) const {
    int count = 0;
    const Boundaries boundaries(rules);
    std::ifstream file(REGARD_FIXTURES "/sentences/" + language + ".txt");
    for (std::string line; std::getline(file, line);) {
      std::set<std::size_t> expected, got;
      for (std::size_t at = line.find(" | "); at != line.npos; at = line.find(" | ")) {
        line.replace(at, 3, " ");
        expected.insert(at + 1);
      }
      expected.insert(line.size());
      for (const std::size_t end : boundaries.sentences(line)) got.insert(end);
      for (const std::size_t end : expected) count += !got.contains(end);
      for (const std::size_t end : got) count += !expected.contains(end);
    }
    return count;
  }
};

}  // namespace

TEST_CASE("the sets of sentences are cut with the errors that the documents report", "[documents]") {
  CHECK(SentenceSet{"en"}.errors("en") == 6);
  CHECK(SentenceSet{"de"}.errors("de") == 12);
  CHECK(SentenceSet{"fr"}.errors("fr") == 12);
  for (const char* const language : {"en", "de", "fr"})  // many errors without the language's abbreviations
    CHECK(SentenceSet{language}.errors("") > 50);
}

TEST_CASE("a text is cut into sentences, each with the white space after it", "[documents]") {
  CHECK(sentences_of("").empty());
  CHECK(sentences_of("one") == Texts{"one"});
  CHECK(sentences_of("It is.  \"Is it?\" Yes!\tNo") == Texts{"It is.  ", "\"Is it?\" ", "Yes!\t", "No"});
  CHECK(sentences_of("It costs 3.50 at e.g. noon. Done.") == Texts{"It costs 3.50 at e.g. noon. ", "Done."});
  CHECK(sentences_of("これはペンです。それは本です！") == Texts{"これはペンです。", "それは本です！"});
  CHECK(sentences_of("Voilà… c’est ça ! Bon.") == Texts{"Voilà… c’est ça ! ", "Bon."});
}

TEST_CASE("abbreviations, initials and numbers do not end a sentence", "[documents]") {
  CHECK(sentences_of("Mr. Smith left. Bye.") == Texts{"Mr. ", "Smith left. ", "Bye."});
  CHECK(sentences_of("Mr. Smith left. Bye.", "en") == Texts{"Mr. Smith left. ", "Bye."});
  CHECK(sentences_of("J. R. R. Tolkien. He.") == Texts{"J. R. R. Tolkien. ", "He."});
  CHECK(sentences_of("1. Mai. Er.") == Texts{"1. Mai. ", "Er."});  // a number alone is no sentence
  CHECK(sentences_of("Am 3. Mai. Er.", "de") == Texts{"Am 3. Mai. ", "Er."});
  CHECK(sentences_of("He is 12. She is 9.", "en") == Texts{"He is 12. ", "She is 9."});
  CHECK(sentences_of("Das war 1984. Dann.", "de") == Texts{"Das war 1984. ", "Dann."});
  CHECK(sentences_of("Ist es die 12. Er lief.", "de") == Texts{"Ist es die 12. ", "Er lief."});
  CHECK(sentences_of("El Sr. Ruiz vive en la pág. 3. No está.", "es") ==
        Texts{"El Sr. Ruiz vive en la pág. 3. ", "No está."});
  CHECK(sentences_of("Il Sig. Rossi e J. Bianchi. La fine.", "it") ==
        Texts{"Il Sig. Rossi e J. Bianchi. ", "La fine."});
  CHECK(sentences_of("O Sr. Dias mora nos E.U. Ele voltou.", "pt") ==
        Texts{"O Sr. Dias mora nos E.U. ", "Ele voltou."});
  CHECK(sentences_of("Это А. С. Пушкин. См. Рис. 2. Он умер в 1837 г. Это так.", "ru") ==
        Texts{"Это А. С. Пушкин. ", "См. Рис. 2. ", "Он умер в 1837 г. ", "Это так."});
  CHECK(sentences_of("Ο ένας; Ναι.", "el") == Texts{"Ο ένας; ", "Ναι."});  // the Greek question mark
}

TEST_CASE("no sentence ends within an address, and none begins there", "[documents]") {
  CHECK(sentences_of("Call org.a1.Manager or x.org/a?b=c. Then -I../b. End.", "en") ==
        Texts{"Call org.a1.Manager or x.org/a?b=c. ", "Then -I../b. ", "End."});
  CHECK(sentences_of("Use the option -x. Peter did.", "en") == Texts{"Use the option -x. ", "Peter did."});
  CHECK(sentences_of("Stop!Why?你好!你是谁?") == Texts{"Stop!", "Why?", "你好!", "你是谁?"});
}

TEST_CASE("a quotation mark that closes belongs to the sentence before it", "[documents]") {
  CHECK(sentences_of("« Oui ! » dit-il. « Non ? » Il rit.") ==
        Texts{"« Oui ! » dit-il. ", "« Non ? » ", "Il rit."});
  CHECK(sentences_of("«\u202FOui\u202F!\u202F» Fin.", "fr") == Texts{"«\u202FOui\u202F!\u202F» ", "Fin."});
  CHECK(sentences_of("« Oui ! »") == Texts{"« Oui ! »"});
  CHECK(sentences_of("« Oui ! »\u2029\u2029Fin.") == Texts{"« Oui ! »\u2029\u2029", "Fin."});
  CHECK(sentences_of("Er rief. »Ja!« »Nein!«", "de") == Texts{"Er rief. ", "»Ja!« ", "»Nein!«"});
  CHECK(sentences_of("\"Why?\" he asked. \"Why?\" He left.") ==
        Texts{"\"Why?\" he asked. ", "\"Why?\" ", "He left."});
}

TEST_CASE("a chain of initials takes time in proportion to its length", "[documents]") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "A. ";
  CHECK(Boundaries("en").sentences(text) == std::vector<std::size_t>{text.size()});
}

TEST_CASE("an unknown language is refused", "[documents]") {
  CHECK_NOTHROW(Boundaries("pt-BR"));
  CHECK_NOTHROW(Boundaries("deu"));
  for (const char* const language : {"klingon", "xx", "de@ss=none", "../de", "d e"})
    CHECK_ERROR(Boundaries(language), "ICU does not know this language");
}

TEST_CASE("a long sentence is cut at the best place near its middle", "[documents]") {
  CHECK(pieces("one two three", 3) == Texts{"one two three"});
  CHECK(pieces("one two three four", 3) == Texts{"one two ", "three four"});
  CHECK(pieces("a, two three four", 3) == Texts{"a, two ", "three four"});  // too far from the middle
  CHECK(pieces("one two, three four five", 4) == Texts{"one two, ", "three four five"});
  CHECK(pieces("one two; three, four five", 4) == Texts{"one two; ", "three, four five"});
  CHECK(pieces("a-b c 1,000 2,000", 2) == Texts{"a-b c ", "1,000 2,000"});  // not within a number
  // Where lines may break, and only then between any two characters.
  CHECK(pieces_by_bytes("你好，世界你好", 12) == Texts{"你好，", "世界你好"});
  CHECK(pieces_by_bytes("éééé", 3) == Texts{"é", "é", "é", "é"});
  CHECK(pieces_by_bytes("xxxxxxxx y", 5) == Texts{"xxxx", "xxxx ", "y"});
  CHECK_ERROR(pieces_by_bytes("é", 1), "the character é has 2 tokens, but this model takes at most 1");
}

TEST_CASE("the pieces are short enough and make the whole text, whatever the text is", "[documents]") {
  std::uint32_t state = 1;
  const auto random = [&](std::size_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  const Texts parts{"a", "bc ", ", ", "; ", "é", "你", "。", "-", "\t", "1,5", "\xCC\x81"};
  for (int i = 0; i < 300; ++i) {
    std::string text = "x";
    for (std::size_t n = random(60); n > 0; --n) text += parts[random(parts.size())];
    std::string whole;
    for (const std::string& piece : pieces_by_bytes(text, 7)) {
      CHECK(piece.size() <= 7);
      whole += piece;
    }
    CHECK(whole == text);
  }
}

#else

TEST_CASE("without ICU, no text is cut into sentences") { CHECK_ERROR(Boundaries(""), "install libicu-dev"); }

#endif
