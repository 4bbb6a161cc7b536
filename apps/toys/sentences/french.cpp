#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "apps/toys/sentences/meaning.h"

// An elided word is a token of its own and keeps its apostrophe: "l' homme", "n' a pas d' argent".

namespace regard::toys::sentences {
namespace {

/// True if le, la, je, ne and de lose their vowel before the word. An h is mute, except that of hibou.
bool elides(const std::string& next_word) {
  constexpr std::array<std::string_view, 11> vowels = {"a", "e", "i", "o", "u", "é", "è", "ê", "ô", "œ", "h"};
  return !next_word.starts_with("hibou") &&
         std::ranges::any_of(vowels, [&](std::string_view vowel) { return next_word.starts_with(vowel); });
}

/// Returns one of two forms, as the next word wants it: "ne" or "n'".
std::string before(const std::string& next_word, const Forms& forms) { return forms[elides(next_word)]; }

/// The position of the form that agrees with a gender and a number: "petit petits petite petites".
std::size_t agreement(const NounPhrase& phrase) {
  return (phrase.feminine() ? 2u : 0u) + (phrase.plural() ? 1u : 0u);
}

/// The present, or the imperfect of the stem that stands behind the forms of the present.
std::string conjugated(const Forms& verb, const Clause& clause) {
  static const Forms imperfect_endings = "ais ait ions aient";
  const Person person = clause.subject.person();
  return clause.tense == Tense::past ? verb[4] + imperfect_endings[person] : verb[person];
}

const Forms& etre() {
  static const Forms forms = "suis est sommes sont ét";
  return forms;
}
const Forms& avoir() {
  static const Forms forms = "ai a avons ont av";
  return forms;
}

/// "allée", "démunis": regular endings.
std::string agreed_participle(const std::string& participle, const NounPhrase& subject) {
  return participle + (subject.feminine() ? "e" : "") + (subject.plural() ? "s" : "");
}

/// Adjectives and noun without their determiner: "petite maison rouge", "vieil homme".
Tokens adjectives_and_noun(const NounPhrase& phrase) {
  Tokens words = {{phrase.noun->french[phrase.number], parts::noun}};
  for (const Adjective* adjective : {phrase.adjective, phrase.colour}) {
    if (adjective == nullptr) continue;
    const unsigned part = adjective == phrase.adjective ? parts::adjective : parts::colour;
    std::string form = adjective->french[agreement(phrase)];
    if (adjective->place == Adjective::Place::after) {
      words.push_back({form, part});
      continue;
    }
    const std::string& before_vowel = adjective->french[4];
    if (agreement(phrase) == 0 && !before_vowel.empty() && elides(words.front().text)) form = before_vowel;
    words.insert(words.begin(), {form, part});
  }
  return words;
}

/// Masculine, feminine and plural; then the same before a vowel. "Mon école": there, the possessive of the
/// feminine is that of the masculine.
const Forms& determiner_forms(const NounPhrase& phrase, bool negated) {
  static const Forms articles[] = {"le la les l' l' les",               // definite
                                   "ce cette ces cet cette ces",        // demonstrative
                                   "un une des un une des",             // indefinite
                                   "le la les l' l' les",               // generic: "elle aime les chats"
                                   "mon ma mes mon mon mes",            // my
                                   "son sa ses son son ses",            // his
                                   "son sa ses son son ses",            // her
                                   "notre notre nos notre notre nos"};  // our
  static const Forms de = "de de de d' d' d'", partitive = "du de_la _ de_l' de_l'";
  if (phrase.determiner == Determiner::indefinite) {
    const bool preceded = phrase.adjective != nullptr && phrase.adjective->place == Adjective::Place::before;
    if (negated || (phrase.plural() && preceded)) return de;  // "pas de chat", "de petits chats"
    if (phrase.noun->is(traits::mass)) return partitive;
  }
  return articles[static_cast<std::size_t>(phrase.determiner)];
}

Tokens noun_phrase(const NounPhrase& phrase, bool negated) {
  const Tokens inner = adjectives_and_noun(phrase);
  const std::size_t form = phrase.plural() ? 2 : phrase.feminine() ? 1 : 0;
  Tokens words;
  add(words, determiner_forms(phrase, negated)[form + (elides(inner.front().text) ? 3 : 0)],
      parts::determiner);
  append(words, inner);
  return words;
}

/// The phrase of a place, a goal and so on, with its preposition.
void add_related(Tokens& words, const Clause& clause) {
  static const Forms prepositions = "_ à à de à avec";
  static const std::map<std::string, std::string> contractions = {
      {"à le", "au"}, {"à les", "aux"}, {"de le", "du"}, {"de les", "des"}};
  const bool inside = clause.relation == Relation::place && clause.related.noun->is(traits::inside);
  const std::string preposition = inside ? "dans" : prepositions[clause.relation];
  Tokens phrase = in_slot(Slot::related, noun_phrase(clause.related, false));
  Token& first = phrase.front();
  if (const auto contraction = contractions.find(preposition + " " + first.text);
      contraction != contractions.end())
    first = {contraction->second, first.parts | parts::relation};
  else
    add(words, preposition, parts::relation);
  append(words, phrase);
}

/// The finite verb, which the negation surrounds, and the word behind it: "n' est pas allée".
struct Predicate {
  std::string finite;
  std::string after = "";
  unsigned part = parts::complement;  ///< of the word behind it
};

/// An idiom: a person who has no money at all is "démuni". This word says verb, negation and object.
bool is_destitute(const Clause& clause) {
  return clause.verb != nullptr && clause.negated && clause.verb->usage.possesses &&
         clause.object->noun->is(traits::money);
}

Predicate predicate(const Clause& clause) {
  const NounPhrase& subject = clause.subject;
  if (clause.feeling != nullptr) return {conjugated(avoir(), clause), clause.feeling->french[0]};
  if (clause.adjective != nullptr)
    return {conjugated(etre(), clause), clause.adjective->french[agreement(subject)]};
  if (clause.profession != nullptr)  // no article: "elle est médecin"
    return {conjugated(etre(), clause), clause.profession->french[agreement(subject)]};
  if (is_destitute(clause))
    return {conjugated(etre(), clause), agreed_participle("démuni", subject),
            parts::verb | parts::negation | in_slot(Slot::object, parts::noun_phrase)};
  const Verb& verb = *clause.verb;
  if (clause.tense == Tense::present || verb.past == Verb::Past::imperfect)
    return {conjugated(verb.french, clause)};
  if (verb.past == Verb::Past::avoir) return {avoir()[subject.person()], verb.french[4], parts::verb};
  return {etre()[subject.person()], agreed_participle(verb.french[4], subject), parts::verb};
}

/// "je", "j'", il or elle for "it", or a noun phrase.
Tokens subject_before(const std::string& next_word, const NounPhrase& phrase) {
  static const Forms pronouns = "je il elle nous";
  if (phrase.noun != nullptr) return noun_phrase(phrase, false);
  const Pronoun form = phrase.pronoun != Pronoun::it ? phrase.pronoun
                       : phrase.feminine()           ? Pronoun::she
                                                     : Pronoun::he;
  const std::string pronoun = form == Pronoun::i ? before(next_word, "je j'") : pronouns[form];
  return {{pronoun, parts::noun}};
}

}  // namespace

Tokens french(const Clause& clause) {
  const auto [finite, after, part] = predicate(clause);
  Tokens verb, words;
  const bool ne_pas = clause.negated && !is_destitute(clause);
  if (ne_pas) add(verb, before(finite, "ne n'"), parts::negation);
  add(verb, finite, parts::verb);
  if (ne_pas) add(verb, "pas", parts::negation);
  append(words, in_slot(Slot::subject, subject_before(verb.front().text, clause.subject)));
  append(words, verb);
  add(words, after, part);
  if (clause.object && !is_destitute(clause))
    append(words, in_slot(Slot::object, noun_phrase(*clause.object, clause.negated)));
  if (clause.relation != Relation::none) add_related(words, clause);
  return words;
}

}  // namespace regard::toys::sentences
