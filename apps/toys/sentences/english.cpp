#include <cstring>

#include "apps/toys/sentences/lexicon.h"
#include "apps/toys/sentences/meaning.h"

namespace regard::toys::sentences {
namespace {

// Whether an indefinite object reads "some" or, after a negation, "any".
enum class Polarity { positive, negative };

bool third_singular(const NounPhrase& subject) { return person_of(subject) == Person::third_singular; }

std::string article(const std::string& next_word) {
  return std::strchr("aeiou", next_word.front()) != nullptr ? "an" : "a";
}

std::string determiner(const NounPhrase& phrase, const std::string& next_word, Polarity polarity) {
  const bool plural = phrase.number == Number::plural;
  switch (phrase.determiner) {
    case Determiner::definite:
      return "the";
    case Determiner::demonstrative:
      return plural ? "these" : "this";
    case Determiner::indefinite:
      if (!plural && (phrase.noun->traits & traits::mass) == 0) return article(next_word);
      return polarity == Polarity::negative ? "any" : "some";
    case Determiner::my:
      return "my";
    case Determiner::his:
      return "his";
    case Determiner::her:
      return "her";
    case Determiner::our:
      return "our";
    case Determiner::generic:
      break;
  }
  return "";
}

Words noun_phrase(const NounPhrase& phrase, Polarity polarity) {
  if (phrase.noun == nullptr) {
    constexpr std::array<const char*, 4> pronouns = {"I", "he", "she", "we"};
    return {{pronouns[static_cast<std::size_t>(phrase.pronoun)], parts::noun}};
  }
  Words inner;
  if (phrase.adjective != nullptr) inner.push_back({phrase.adjective->english, parts::adjective});
  if (phrase.colour != nullptr) inner.push_back({phrase.colour->english, parts::colour});
  inner.push_back(
      {phrase.number == Number::plural ? phrase.noun->english_plural : phrase.noun->english, parts::noun});
  const std::string first = determiner(phrase, inner.front().text, polarity);
  if (!first.empty()) inner.insert(inner.begin(), {first, parts::determiner});
  return inner;
}

const char* preposition(const Clause& clause) {
  switch (clause.relation) {
    case Relation::place:
      return (clause.related.noun->traits & traits::inside) != 0 ? "in" : "at";
    case Relation::goal:
      return clause.verb->english.preposition;
    case Relation::origin:
      return "from";
    case Relation::recipient:
      return "to";
    case Relation::companion:
      return "with";
    case Relation::none:
      break;
  }
  return "";
}

void add_be(Words& words, const Clause& clause) {
  const bool past = clause.tense == Tense::past;
  switch (person_of(clause.subject)) {
    case Person::first_singular:
      words.push_back({past ? "was" : "am", parts::verb});
      break;
    case Person::third_singular:
      words.push_back({past ? "was" : "is", parts::verb});
      break;
    default:
      words.push_back({past ? "were" : "are", parts::verb});
  }
  if (clause.negated) words.push_back({"not", parts::negation});
}

void add_verb(Words& words, const Clause& clause) {
  const bool past = clause.tense == Tense::past, third = third_singular(clause.subject);
  const EnglishVerb& verb = clause.verb->english;
  if (clause.negated) {
    words.push_back({past ? "didn't" : third ? "doesn't" : "don't", parts::negation});
    words.push_back({verb.base, parts::verb});
  } else {
    words.push_back({past ? verb.past : third ? verb.third : verb.base, parts::verb});
  }
}

}  // namespace

Words english(const Clause& clause) {
  Words words = in_slot(Slot::subject, noun_phrase(clause.subject, Polarity::positive));
  if (clause.verb == nullptr) {
    add_be(words, clause);
    if (clause.adjective != nullptr) words.push_back({clause.adjective->english, parts::complement});
    if (clause.feeling != nullptr) words.push_back({clause.feeling->english, parts::complement});
    if (clause.profession != nullptr && number_of(clause.subject) == Number::plural) {
      words.push_back({clause.profession->english_plural, parts::complement});
    } else if (clause.profession != nullptr) {
      words.push_back({article(clause.profession->english), parts::none});
      words.push_back({clause.profession->english, parts::complement});
    }
    return words;
  }
  add_verb(words, clause);
  const Polarity polarity = clause.negated ? Polarity::negative : Polarity::positive;
  if (clause.object) {
    // "wait for" is one verb in the other languages.
    const char* const second_word = clause.verb->english.preposition;
    if (second_word[0] != '\0') words.push_back({second_word, parts::verb});
    append(words, in_slot(Slot::object, noun_phrase(*clause.object, polarity)));
  }
  if (clause.relation != Relation::none) {
    words.push_back({preposition(clause), parts::relation});
    append(words, in_slot(Slot::related, noun_phrase(clause.related, polarity)));
  }
  return words;
}

}  // namespace regard::toys::sentences
