#pragma once

#include <cstdint>
#include <vector>

#include "apps/random.h"
#include "apps/toys/sentences/meaning.h"

namespace regard::toys::sentences {

/// True if the noun can have this determiner in this number: "my son", but not "the son" nor "my man".
bool fits(const Noun& noun, Determiner determiner, Number number);

/// Noun phrases to choose from. First a group is chosen by its weight, then one of its families, then one of
/// that family. A family is the phrases of one noun. So a pronoun, of which there are four, comes as often as
/// it should, and a noun that goes with many adjectives comes no oftener than one that goes with few.
struct NounPhrases {
  using Family = std::vector<NounPhrase>;
  struct Group {
    std::uint64_t weight;
    std::vector<Family> families;
  };
  std::vector<Group> groups = {};

  /// Leaves out empty families, and a group without families. (There is no "my man".)
  void add(std::uint64_t weight, std::vector<Family> families);
  const NounPhrase& sample(SplitMix64& random) const;
};

/// A pattern of sentences: a predicate, and what may stand around it.
struct Frame {
  struct Phrase {
    Relation relation;
    std::uint64_t weight;
    NounPhrases phrases;  ///< for Relation::none: empty
  };

  std::uint64_t weight;
  Clause predicate;  ///< with only verb, adjective, profession or feeling set
  NounPhrases subjects;
  std::optional<NounPhrases> objects = {};
  std::vector<Phrase> related = {{Relation::none, 1, {}}};

  Clause sample(SplitMix64& random) const;
};

/// All that can be said with the lexicon.
class Grammar {
 public:
  Grammar();

  Clause sample(SplitMix64& random) const;

 private:
  std::vector<Frame> frames_;
};

}  // namespace regard::toys::sentences
