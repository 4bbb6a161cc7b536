#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "apps/toys/toys.h"

// The words of the toy language, and what each of them goes with. lexicon.cpp has the nouns and adjectives,
// verbs.cpp the verbs.

namespace regard::toys::sentences {

/// The forms of a word, written with blanks between them: "sleep sleeps slept". An underscore stands for a
/// blank within a form; alone, it means that there is no such form.
class Forms {
 public:
  Forms(const char* text) {
    std::istringstream words(text);
    for (std::string word; words >> word; forms_.push_back(word == "_" ? "" : word))
      if (word != "_") std::ranges::replace(word, '_', ' ');
  }

  /// Returns "" if the word has no such form. Besides numbers, it takes a Number, a Person and so on.
  template <class Position>
  const std::string& operator[](Position position) const {
    static const std::string none;
    const auto i = static_cast<std::size_t>(position);
    return i < forms_.size() ? forms_[i] : none;
  }

 private:
  std::vector<std::string> forms_;
};

/// What a noun is, so that farmers write letters and cows do not. A verb or an adjective goes with a noun
/// when they share a trait.
namespace traits {
constexpr unsigned person = 1u << 0;
constexpr unsigned adult = 1u << 1;
constexpr unsigned child = 1u << 2;
constexpr unsigned profession = 1u << 3;
constexpr unsigned layman = 1u << 4;  ///< has no profession yet: "the woman is a doctor"
constexpr unsigned acquaintance = 1u << 5;
constexpr unsigned kin = 1u << 6;         ///< always somebody's
constexpr unsigned unowned = 1u << 7;     ///< never somebody's
constexpr unsigned collective = 1u << 8;  ///< an adjective made a noun: "the poor", definite and plural only
constexpr unsigned animal = 1u << 9;
constexpr unsigned aged = 1u << 10;  ///< grows old as living things do: 늙은
constexpr unsigned thing = 1u << 11;
constexpr unsigned lasting = 1u << 12;  ///< grows old as things do: 오래된
constexpr unsigned painted = 1u << 13;
constexpr unsigned pretty = 1u << 14;
constexpr unsigned weighty = 1u << 15;
constexpr unsigned opening = 1u << 16;
constexpr unsigned text = 1u << 17;
constexpr unsigned handwritten = 1u << 18;
constexpr unsigned goods = 1u << 19;
constexpr unsigned possession = 1u << 20;
constexpr unsigned edible = 1u << 21;
constexpr unsigned drink = 1u << 22;
constexpr unsigned served = 1u << 23;  ///< hot or cold
constexpr unsigned money = 1u << 24;
constexpr unsigned mass = 1u << 25;    ///< has no plural: "some bread"
constexpr unsigned inside = 1u << 26;  ///< a place that one is "in"
constexpr unsigned site = 1u << 27;    ///< a place that one is "at"
constexpr unsigned animate = person | animal;
constexpr unsigned any = ~(inside | site);
}  // namespace traits

/// Sets of determiners.
namespace determiners {
constexpr unsigned definite = 1u << 0;
constexpr unsigned possessive = 1u << 1;
constexpr unsigned demonstrative = 1u << 2;
constexpr unsigned indefinite = 1u << 3;
constexpr unsigned generic = 1u << 4;  ///< none: "likes cats"
constexpr unsigned specific = definite | possessive | demonstrative;
}  // namespace determiners

enum class Gender { masculine, feminine };
/// The gender of a noun in English and French is that of the person only for professions: "elle est
/// étudiante". Other nouns for people are masculine.
struct Noun {
  Forms english;  ///< "man men"
  Forms french;   ///< "homme hommes"; of a profession also the feminine: "… étudiante étudiantes"
  Gender gender;
  Forms korean;
  unsigned traits;

  bool is(unsigned any_of) const { return (traits & any_of) != 0; }
};

struct Adjective {
  enum class Place { before, after };  ///< of its noun, in French

  Forms english;
  Forms french;  ///< as "petit petits petite petites"; some have another form before a vowel: "vieil"
  Place place;
  Forms korean_modifier;  ///< before its noun: 작은
  Forms korean;         ///< "작다 작았다 작지" as a predicate, see Verb; "" if only ever before a noun
  unsigned applies_to;  ///< traits of the nouns it goes with
  bool is_colour = false;  ///< may follow another adjective: "the small red house"
};

/// English and Korean have an adjective here, and French "avoir" with a noun: "avoir faim".
struct Feeling {
  Forms english, french;
  Forms korean_subject;  ///< 배가 of 배가 고프다, "the belly is empty"; "" if none
  Forms korean;
};

/// What a phrase after verb and object says.
enum class Relation { none, place, goal, origin, recipient, companion };

/// What stands around a verb.
struct Usage {
  unsigned subjects;                     ///< traits
  unsigned objects = 0;                  ///< traits; 0: intransitive
  unsigned determiners = 0;              ///< of the object
  Relation complement = Relation::none;  ///< a phrase that must follow
  unsigned places = 0;                   ///< traits of a phrase that may follow: "in the garden"
  bool takes_companion = false;          ///< another: "with my friend"
  bool possesses = false;                ///< "have": in Korean, what one has "is there" (있다)
  unsigned weight = 3;                   ///< how often the verb is chosen
};

struct Verb {
  enum class Past { avoir, etre, imperfect };  ///< il a vu; elle est allée; elle aimait

  Forms english;  ///< "sleep sleeps slept"; before the object or the goal: "wait waits waited for"
  Forms french;   ///< "dors dort dormons dorment" (by Person), and the participle or the imperfect's stem
  Past past;
  /// "잔다 잤다 자지": present, past, and the stem before the negation 않다. Verbs with a negation of their
  /// own have its present and past instead: "안다 알았다 모른다 몰랐다".
  Forms korean;
  Usage usage;
};

const std::vector<Noun>& nouns();
const std::vector<Adjective>& adjectives();
const std::vector<Feeling>& feelings();
const std::vector<Verb>& verbs();

/// Sentences that the grammar makes, and which every training set holds.
const std::vector<SentencePair>& fixed_pairs();

}  // namespace regard::toys::sentences
