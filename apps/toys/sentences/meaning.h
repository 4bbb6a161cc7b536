#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apps/toys/alignment.h"

namespace regard::toys::sentences {

// A sentence is first a meaning: pointers into the lexicon and a few choices. Three renderers put it into
// English, French and Korean. None of them reads another's output, so a rule of one language stands in its
// file.

enum class Gender { masculine, feminine };
enum class Number { singular, plural };
enum class Tense { present, past };

/// What a verb agrees with. The value is the column of a conjugation.
enum class Person { first_singular, third_singular, first_plural, third_plural };

struct Noun {
  const char* english;
  const char* english_plural;
  const char* french;
  const char* french_plural;
  Gender gender;
  const char* korean;
  unsigned traits;  ///< see lexicon.h
  // A profession named of a woman: "elle est étudiante". Elsewhere English does not tell, and the noun is
  // masculine.
  const char* french_feminine = nullptr;
  const char* french_feminine_plural = nullptr;
};

struct Adjective {
  enum class Place { before, after };  ///< of its noun, in French

  const char* english;
  const char* masculine;
  const char* feminine;
  const char* masculine_plural;
  const char* feminine_plural;
  const char* before_vowel;  ///< masculine singular: "bel oiseau"; nullptr: as always
  Place place;
  const char* korean_modifier;  ///< before its noun: 작은
  // As a predicate: 작다, 작았다, 작지 않다. nullptr: only ever before a noun.
  const char* korean_present;
  const char* korean_past;
  const char* korean_stem;
  unsigned applies_to;     ///< traits of the nouns it goes with
  bool is_colour = false;  ///< may follow another adjective: "the small red house"
};

struct EnglishVerb {
  const char* base;
  const char* third;
  const char* past;
  const char* preposition = "";  ///< before the object or the goal: "waits for"
};

/// The forms of a verb by Person: j'ai, il a, nous avons, ils ont.
using Conjugation = std::array<const char*, 4>;

struct FrenchVerb {
  enum class Past { avoir, etre, imperfect };  ///< il a vu; elle est allée; elle aimait

  Conjugation present;
  const char* participle;  ///< for the imperfect, its stem instead: "aim" of "aimait"
  Past past = Past::avoir;
};

struct KoreanVerb {
  const char* present;
  const char* past;
  const char* negative_stem;  ///< 먹지: 먹지 않는다, 먹지 않았다; nullptr: with words of its own
  const char* negative_present = nullptr;  ///< 모른다, against 안다
  const char* negative_past = nullptr;
};

/// What a phrase after verb and object says.
enum class Relation { none, place, goal, origin, recipient, companion };

/// What stands around a verb. Traits and determiners are sets, see lexicon.h.
struct Usage {
  unsigned subjects;                     ///< traits
  unsigned objects = 0;                  ///< traits; 0: intransitive
  unsigned determiners = 0;              ///< of the object
  Relation complement = Relation::none;  ///< a phrase that must follow
  unsigned places = 0;                   ///< traits of a phrase that may follow: "in the garden"
  bool takes_companion = false;          ///< another: "with my friend"
  bool possesses = false;                ///< "have": in Korean, what one has "is there" (있다)
  unsigned weight = 3;                   ///< how often the verb is drawn
};

struct Verb {
  EnglishVerb english;
  FrenchVerb french;
  KoreanVerb korean;
  Usage usage;
};

/// Where English and Korean have an adjective and French "avoir" with a noun: "avoir faim".
struct Feeling {
  const char* english;
  const char* french;
  const char* korean_subject;  ///< 배가 of 배가 고프다, "the belly is empty"; "" if none
  const char* korean_present;
  const char* korean_past;
  const char* korean_stem;
};

enum class Pronoun { i, he, she, we };

enum class Determiner { definite, demonstrative, indefinite, generic, my, his, her, our };

/// A noun with what stands around it, or (noun == nullptr) a pronoun.
struct NounPhrase {
  const Noun* noun = nullptr;
  Pronoun pronoun = Pronoun::i;
  Number number = Number::singular;
  Determiner determiner = Determiner::definite;
  const Adjective* adjective = nullptr;
  const Adjective* colour = nullptr;  ///< a second adjective, after the first in English and Korean
};

/// A whole sentence. Exactly one of verb, adjective, profession and feeling is set.
struct Clause {
  NounPhrase subject;
  Tense tense = Tense::present;
  bool negated = false;
  const Verb* verb = nullptr;
  const Adjective* adjective = nullptr;
  const Noun* profession = nullptr;
  const Feeling* feeling = nullptr;
  std::optional<NounPhrase> object;
  Relation relation = Relation::none;
  NounPhrase related;  ///< with a relation: the place, goal, …
};

inline Number number_of(const NounPhrase& phrase) {
  if (phrase.noun != nullptr) return phrase.number;
  return phrase.pronoun == Pronoun::we ? Number::plural : Number::singular;
}

inline Person person_of(const NounPhrase& phrase) {
  const bool plural = number_of(phrase) == Number::plural;
  const bool first =
      phrase.noun == nullptr && (phrase.pronoun == Pronoun::i || phrase.pronoun == Pronoun::we);
  if (first) return plural ? Person::first_plural : Person::first_singular;
  return plural ? Person::third_plural : Person::third_singular;
}

/// "I" and "we" say nothing of gender; by convention they are masculine.
inline Gender gender_of(const NounPhrase& phrase) {
  if (phrase.noun != nullptr) return phrase.noun->gender;
  return phrase.pronoun == Pronoun::she ? Gender::feminine : Gender::masculine;
}

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
constexpr unsigned complement = 1u << 14;  ///< of the copula: an adjective, a profession or a feeling
constexpr unsigned relation = 1u << 15;    ///< a preposition, or the particle of a Korean noun
}  // namespace parts

/// The noun phrases of a clause.
enum class Slot { subject, object, related };

constexpr unsigned in_slot(Slot slot, unsigned part) { return part << (4 * static_cast<unsigned>(slot)); }

using Words = std::vector<Token>;

/// The words of a noun phrase, with the parts of this slot.
inline Words in_slot(Slot slot, Words phrase) {
  for (Token& word : phrase) word.parts = in_slot(slot, word.parts);
  return phrase;
}

inline void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

/// The words with a blank between each two.
inline std::string join(const Words& words) {
  std::string sentence;
  for (const Token& word : words) sentence += (sentence.empty() ? "" : " ") + word.text;
  return sentence;
}

Words english(const Clause& clause);
Words french(const Clause& clause);
Words korean(const Clause& clause);

}  // namespace regard::toys::sentences
