#pragma once

#include <cstdint>
#include <vector>

#include "apps/toys/random.h"
#include "apps/toys/sentences/meaning.h"

namespace regard::toys::sentences {

/// Noun phrases to draw from. First a group is drawn by its weight, then one of its families evenly, then one
/// of that family evenly. A family is the phrases of one noun. So a pronoun, of which there are four, comes
/// as often as it should, and a noun that goes with many adjectives comes no oftener than one that goes with
/// few.
class NounPhrases {
 public:
  using Family = std::vector<NounPhrase>;

  void add(std::uint64_t weight, std::vector<Family> families);

  const NounPhrase& draw(Random& random) const;
  std::uint64_t size() const;
  std::uint64_t indefinite() const;  ///< how many of them

 private:
  struct Group {
    std::uint64_t weight;
    std::vector<Family> families;
  };
  std::vector<Group> groups_;
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
  std::optional<NounPhrases> objects;
  std::vector<Phrase> related;

  Clause draw(Random& random) const;
  std::uint64_t size() const;  ///< how many clauses
};

/// All that can be said with the lexicon.
class Grammar {
 public:
  Grammar();

  Clause draw(Random& random) const;
  std::uint64_t size() const;  ///< how many clauses; no two have the same English

 private:
  std::vector<Frame> frames_;
};

}  // namespace regard::toys::sentences
