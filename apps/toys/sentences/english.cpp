#include <cstring>

#include "apps/toys/sentences/lexicon.h"
#include "apps/toys/sentences/meaning.h"

namespace regard::toys::sentences {
namespace {

using Words = std::vector<std::string>;

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

void add_noun_phrase(Words& words, const NounPhrase& phrase, Polarity polarity) {
  if (phrase.noun == nullptr) {
    constexpr std::array<const char*, 4> pronouns = {"I", "he", "she", "we"};
    words.emplace_back(pronouns[static_cast<std::size_t>(phrase.pronoun)]);
    return;
  }
  Words inner;
  if (phrase.adjective != nullptr) inner.emplace_back(phrase.adjective->english);
  if (phrase.colour != nullptr) inner.emplace_back(phrase.colour->english);
  inner.emplace_back(phrase.number == Number::plural ? phrase.noun->english_plural : phrase.noun->english);
  const std::string first = determiner(phrase, inner.front(), polarity);
  if (!first.empty()) words.push_back(first);
  words.insert(words.end(), inner.begin(), inner.end());
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
      words.emplace_back(past ? "was" : "am");
      break;
    case Person::third_singular:
      words.emplace_back(past ? "was" : "is");
      break;
    default:
      words.emplace_back(past ? "were" : "are");
  }
  if (clause.negated) words.emplace_back("not");
}

void add_verb(Words& words, const Clause& clause) {
  const bool past = clause.tense == Tense::past;
  if (clause.negated) {
    words.emplace_back(past ? "didn't" : third_singular(clause.subject) ? "doesn't" : "don't");
    words.emplace_back(clause.verb->english.base);
  } else if (past) {
    words.emplace_back(clause.verb->english.past);
  } else {
    words.emplace_back(third_singular(clause.subject) ? clause.verb->english.third
                                                      : clause.verb->english.base);
  }
}

}  // namespace

std::string english(const Clause& clause) {
  Words words;
  add_noun_phrase(words, clause.subject, Polarity::positive);
  if (clause.verb == nullptr) {
    add_be(words, clause);
    if (clause.adjective != nullptr) words.emplace_back(clause.adjective->english);
    if (clause.feeling != nullptr) words.emplace_back(clause.feeling->english);
    if (clause.profession != nullptr && number_of(clause.subject) == Number::plural) {
      words.emplace_back(clause.profession->english_plural);
    } else if (clause.profession != nullptr) {
      words.push_back(article(clause.profession->english));
      words.emplace_back(clause.profession->english);
    }
    return join(words);
  }
  add_verb(words, clause);
  const Polarity polarity = clause.negated ? Polarity::negative : Polarity::positive;
  if (clause.object) {
    if (clause.verb->english.preposition[0] != '\0') words.emplace_back(clause.verb->english.preposition);
    add_noun_phrase(words, *clause.object, polarity);
  }
  if (clause.relation != Relation::none) {
    words.emplace_back(preposition(clause));
    add_noun_phrase(words, clause.related, polarity);
  }
  return join(words);
}

}  // namespace regard::toys::sentences
