// Marks instead of capitals: what they say of a word, and that nothing is lost.
#include "apps/capitals/case_marks.h"

#include "tests/apps/capitals/random_text.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;

namespace {

using Tokens = std::vector<std::string>;
const CaseMarks plain(CaseMarks::Words::between_blanks), pieces(CaseMarks::Words::pieces);

std::unique_ptr<Tokeniser> marked(const std::string& name) {
  const auto words = name == "subword-nmt" ? CaseMarks::Words::pieces : CaseMarks::Words::between_blanks;
  return std::make_unique<FormedTokeniser>(make_tokeniser(name), std::make_unique<CaseMarks>(words));
}

}  // namespace

TEST_CASE("a mark says which letters of the next word are capitals", "[capitals]") {
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"a man", "a man"},
      {"A man", "⇧ a man"},
      {"The NATO summit", "⇧ the ⇪ nato summit"},
      {"(Hello, WORLD!)", "⇧ (hello, ⇪ world!)"},
      {"3D I", "⇧ 3d ⇧ i"},
      {"  Two  blanks ", "  ⇧ two  blanks "},
      {"Äpfel ÉCOLE Жук ЖУК ΟΔΟΣ", "⇧ äpfel ⇪ école ⇧ жук ⇪ жук ⇪ οδος"},
      {"E\u0301cole", "⇧ e\u0301cole"},
      {"Straße", "⇧ straße"},
      {"STRASSE", "⇪ strasse"}};
  for (const auto& [text, form] : cases) {
    CAPTURE(text);
    CHECK(plain.to(text) == form);
    CHECK(plain.from(plain.to(text)) == text);
  }
}

TEST_CASE("a word that no mark gives back stays as it is", "[capitals]") {
  for (const std::string word : {"iPhone", "McDonald", "T-Shirt", "İzmir", "STRAẞE", "ǅungla", "eBAY"}) {
    CAPTURE(word);
    CHECK(plain.to(word) == word);
    CHECK(plain.from(word) == word);
  }
  CHECK(plain.to("STRAßE") == "STRAßE");
  CHECK(plain.from("⇪ straße") == "STRASSE");  // which a model may write
}

TEST_CASE("marks of the text itself are written twice, and marks without a word are left out", "[capitals]") {
  CHECK(plain.to("press ⇧ A") == "press ⇧⇧ ⇧ a");
  CHECK(plain.to("⇧⇪A") == "⇧ ⇧⇧⇪⇪a");
  for (const std::string text : {"press ⇧ A", "⇧⇪A", "⇧⇧⇧", "⇧ ⇪ ⇧a ⇪B⇧", "⇧"})
    CHECK(plain.from(plain.to(text)) == text);
  // A model may write these, although they are the form of no text.
  CHECK(plain.from("⇪ <unk> ⇪ a") == "<unk> A");  // the word that a vocabulary lacks
  CHECK(plain.from("⇧") == "");
  CHECK(plain.from("a ⇧") == "a ");
  CHECK(plain.from("⇧ ⇪ ab cd") == "AB cd");
  CHECK(plain.from("⇧ab c⇪d") == "Ab cD");
  CHECK(plain.from("⇪ 漢字 ab") == "漢字 ab");
  CHECK(plain.from("⇧ Mc ⇪ iPhone") == "Mc IPHONE");
}

TEST_CASE("the pieces of subword-nmt make up one word", "[capitals]") {
  CHECK(pieces.to("FAHR@@ RAD iPh@@ one Fahr@@ rad A@@") == "⇪ fahr@@ rad iPh@@ one ⇧ fahr@@ rad ⇧ a@@");
  CHECK(plain.to("FAHR@@ RAD") == "⇪ fahr@@ ⇪ rad");
  const auto tokeniser = marked("subword-nmt");
  const Tokens tokens = tokeniser->split("Das FAHR@@ RAD .");
  CHECK(tokens == Tokens{"⇧", "das", "⇪", "fahr@@", "rad", "."});
  CHECK(tokeniser->join(tokens) == "Das FAHRRAD .");
  CHECK(tokeniser->plain("Das FAHR@@ RAD .") == "Das FAHRRAD .");
}

TEST_CASE("the tokenisers without files cut the form, and give the text back", "[capitals]") {
  CHECK(marked("word")->split("The NATO  x") == Tokens{"⇧", "the", "⇪", "nato", "x"});
  CHECK(marked("char")->split("Ab c") == Tokens{"⇧", "▁", "a", "b", "▁", "c"});
  CHECK_ERROR(marked("word")->split("ab \xC3"), "byte 4");
  RandomText random(1);
  std::size_t marks = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string line = random.line();
    CAPTURE(line);
    marks += plain.to(line) != line;
    REQUIRE(plain.from(plain.to(line)) == line);
    for (const char* name : {"word", "char", "subword-nmt"}) {
      const auto without = make_tokeniser(name), with = marked(name);
      REQUIRE(with->join(with->split(line)) == without->join(without->split(line)));
    }
  }
  CHECK(marks > 10'000);
}

TEST_CASE("negative control: without its marks, the form does not give the text back", "[capitals]") {
  RandomText random(2);
  int broken = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string line = random.line();
    std::string form = plain.to(line);
    for (const std::string mark : {"⇧ ", "⇪ "})
      for (std::size_t at = form.find(mark); at != form.npos; at = form.find(mark))
        form.erase(at, mark.size());
    broken += plain.from(form) != line;
  }
  CHECK(broken > 500);
}
