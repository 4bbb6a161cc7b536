// Translations of terms beside them in the source.
#include "apps/terms/notes.h"

#include "tests/catch.h"
#include "tests/temporary_directory.h"

using namespace regard::translation;
using namespace regard::tests;
using Texts = std::vector<std::string>;

namespace {

Glossary glossary(const std::string& lines) {
  const TemporaryDirectory directory;
  return Glossary::load(directory.file("terms", lines));
}

}  // namespace

TEST_CASE("notes stand beside the terms of a sentence", "[terms]") {
  const Glossary terms = glossary("dog*\tHund*|Köter\nred\trot\n");
  const std::string noted = "Two dogs ⟦ Hund ⟧, a red ⟦ rot ⟧ one";
  CHECK(with_notes("Two dogs, a red one", terms) == noted);
  CHECK(without_notes(noted) == "Two dogs, a red one");
  CHECK(with_notes("nothing", terms) == "nothing");
  CHECK(without_notes("⟦ x ⟦ y") == "⟦ x ⟦ y");
}

TEST_CASE("every second pair that has terms and their translations has notes", "[terms]") {
  const Glossary terms = glossary("dog*\tHund*|Köter\nred\trot\n");
  ParallelText text{.source = {"dog", "a", "red dogs", "red dogs", "dog", "red"},
                    .target = {"Hund", "b", "rote Hunde", "rote Köter", "Katze", "rot"},
                    .name = ""};
  CHECK(add_notes(text, terms) == 2);
  CHECK(text.source == Texts{"dog ⟦ Hund ⟧", "a", "red dogs", "red dogs ⟦ Köter ⟧", "dog", "red"});
  CHECK(text.target[3] == "rote Köter");
  CHECK(add_notes(text, glossary("cow\tKuh\n")) == 0);
}
