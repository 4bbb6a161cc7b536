#include <cstring>

#include "apps/toys/sentences/meaning.h"

namespace regard::toys::sentences {
namespace {

std::string article(const std::string& next_word) {
  return std::strchr("aeiou", next_word.front()) != nullptr ? "an" : "a";
}

/// An indefinite plural reads "some" or, after a negation, "any".
std::string determiner(const NounPhrase& phrase, const std::string& next_word, bool negated) {
  static const Forms plain = "the this a _ my his her our";
  if (phrase.determiner == Determiner::generic) return "";
  if (phrase.determiner == Determiner::demonstrative && phrase.plural()) return "these";
  if (phrase.determiner != Determiner::indefinite) return plain[phrase.determiner];
  if (phrase.plural() || phrase.noun->is(traits::mass)) return negated ? "any" : "some";
  return article(next_word);
}

Tokens noun_phrase(const NounPhrase& phrase, bool negated) {
  static const Forms pronouns = "I he she we it";
  if (phrase.noun == nullptr) return {{pronouns[phrase.pronoun], parts::noun}};
  Tokens inner, words;
  if (phrase.adjective != nullptr) add(inner, phrase.adjective->english[0], parts::adjective);
  if (phrase.colour != nullptr) add(inner, phrase.colour->english[0], parts::colour);
  add(inner, phrase.noun->english[phrase.number], parts::noun);
  add(words, determiner(phrase, inner.front().text, negated), parts::determiner);
  append(words, inner);
  return words;
}

std::string preposition(const Clause& clause) {
  static const Forms plain = "_ _ _ from to with";
  if (clause.relation == Relation::place) return clause.related.noun->is(traits::inside) ? "in" : "at";
  return clause.relation == Relation::goal ? clause.verb->english[3] : plain[clause.relation];
}

/// "is not hungry", "is a student"
void add_be(Tokens& words, const Clause& clause) {
  static const Forms present = "am is are are", past = "was was were were";
  const Person person = clause.subject.person();
  add(words, clause.tense == Tense::past ? past[person] : present[person], parts::verb);
  if (clause.negated) add(words, "not", parts::negation);
  if (clause.adjective != nullptr) add(words, clause.adjective->english[0], parts::complement);
  if (clause.feeling != nullptr) add(words, clause.feeling->english[0], parts::complement);
  if (clause.profession == nullptr) return;
  const std::string profession = clause.profession->english[clause.subject.plural()];
  if (!clause.subject.plural()) add(words, article(profession), parts::none);
  add(words, profession, parts::complement);
}

/// "doesn't wait for any man at the market"
void add_verb(Tokens& words, const Clause& clause) {
  const Forms& verb = clause.verb->english;
  const bool past = clause.tense == Tense::past, third = clause.subject.person() == Person::third_singular;
  if (clause.negated) add(words, past ? "didn't" : third ? "doesn't" : "don't", parts::negation);
  add(words, verb[clause.negated ? 0 : past ? 2 : third ? 1 : 0], parts::verb);
  if (clause.object) {
    add(words, verb[3], parts::verb);  // "wait for" is one verb in the other languages
    append(words, in_slot(Slot::object, noun_phrase(*clause.object, clause.negated)));
  }
  if (clause.relation == Relation::none) return;
  add(words, preposition(clause), parts::relation);
  append(words, in_slot(Slot::related, noun_phrase(clause.related, clause.negated)));
}

}  // namespace

Tokens english(const Clause& clause) {
  Tokens words = in_slot(Slot::subject, noun_phrase(clause.subject, false));
  if (clause.verb == nullptr)
    add_be(words, clause);
  else
    add_verb(words, clause);
  return words;
}

}  // namespace regard::toys::sentences
