#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apps/toys/sentences/lexicon.h"
#include "apps/toys/toy.h"

// A sentence is first a meaning: pointers into the lexicon and a few choices. Three renderers put it into
// English, French and Korean. None of them reads another's output, so a rule of one language stands in its
// file.

namespace regard::toys::sentences {

enum class Number { singular, plural };
enum class Tense { present, past };

/// What a verb agrees with.
enum class Person { first_singular, third_singular, first_plural, third_plural };

enum class Pronoun { i, he, she, we, it };

enum class Determiner { definite, demonstrative, indefinite, generic, my, his, her, our };

/// A noun with what stands around it, or (noun == nullptr) a pronoun.
struct NounPhrase {
  const Noun* noun = nullptr;
  Pronoun pronoun = Pronoun::i;
  Number number = Number::singular;  ///< of a pronoun, see number_of()
  Determiner determiner = Determiner::definite;
  const Adjective* adjective = nullptr;
  const Adjective* colour = nullptr;  ///< a second adjective, after the first in English and Korean
  const Noun* antecedent = nullptr;   ///< of "it", and wherever it is known: the noun of the pronoun

  bool plural() const { return noun != nullptr ? number == Number::plural : pronoun == Pronoun::we; }
  /// "I" and "we" say nothing of gender; by convention they are masculine.
  bool feminine() const {
    const Noun* const named = noun != nullptr ? noun : pronoun == Pronoun::it ? antecedent : nullptr;
    return named != nullptr ? named->gender == Gender::feminine : pronoun == Pronoun::she;
  }
  Person person() const {
    const bool first = noun == nullptr && (pronoun == Pronoun::i || pronoun == Pronoun::we);
    if (first) return plural() ? Person::first_plural : Person::first_singular;
    return plural() ? Person::third_plural : Person::third_singular;
  }
};

/// A whole sentence. Exactly one of verb, adjective, profession and feeling is set.
struct Clause {
  NounPhrase subject = {};
  Tense tense = Tense::present;
  bool negated = false;
  const Verb* verb = nullptr;
  const Adjective* adjective = nullptr;
  const Noun* profession = nullptr;
  const Feeling* feeling = nullptr;
  std::optional<NounPhrase> object = {};
  Relation relation = Relation::none;
  NounPhrase related = {};  ///< with a relation: the place, goal, …
};

/// The parts of a meaning, as bits. Each word of a sentence has those that it expresses. Some words express
/// two: "du" says "from" and "the". The words of two languages that share a part are linked in the gold
/// alignments.
namespace parts {
constexpr unsigned none = 0;  ///< a word without counterpart: the "a" of "a student" ("étudiant")
// Of a noun phrase; in_slot() makes those of three phrases different.
constexpr unsigned determiner = 1u << 0;
constexpr unsigned adjective = 1u << 1;
constexpr unsigned colour = 1u << 2;
constexpr unsigned noun = 1u << 3;  ///< or pronoun
constexpr unsigned noun_phrase = determiner | adjective | colour | noun;
// Of the clause.
constexpr unsigned verb = 1u << 12;  ///< with its auxiliary; or the copula
constexpr unsigned negation = 1u << 13;
constexpr unsigned complement = 1u << 14;   ///< of the copula: an adjective, a profession or a feeling
constexpr unsigned relation = 1u << 15;     ///< a preposition, or the particle of a Korean noun
constexpr unsigned conjunction = 1u << 16;  ///< the "and" before the clause
}  // namespace parts

/// The noun phrases of a clause.
enum class Slot { subject, object, related };

constexpr unsigned in_slot(Slot slot, unsigned part) { return part << (4 * static_cast<unsigned>(slot)); }

/// The words of a noun phrase, with the parts of this slot.
inline Tokens in_slot(Slot slot, Tokens phrase) {
  for (Token& word : phrase) word.parts = in_slot(slot, word.parts);
  return phrase;
}

/// Adds the words of a text, which may be empty, one, or several with blanks between them.
inline void add(Tokens& words, const std::string& text, unsigned part) {
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back({word, part});
}

/// Clauses in one language. Before each stands what joins it to the others: "and", "because", or "".
inline Tokens joined(const std::vector<Clause>& clauses, Tokens (*in_language)(const Clause&),
                     const std::vector<std::string>& conjunctions) {
  Tokens words;
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    Tokens more;
    add(more, conjunctions[i], parts::conjunction);
    append(more, in_language(clauses[i]));
    for (Token& word : more) word.clause = i;
    append(words, more);
  }
  return words;
}

/// The words with a blank between each two.
inline std::string join(const Tokens& words) {
  std::string sentence;
  for (const Token& word : words) sentence += (sentence.empty() ? "" : " ") + word.text;
  return sentence;
}

Tokens english(const Clause& clause);
Tokens french(const Clause& clause);
Tokens korean(const Clause& clause);

}  // namespace regard::toys::sentences
