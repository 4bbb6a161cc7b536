#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "apps/toys/sentences/lexicon.h"
#include "apps/toys/sentences/meaning.h"

// An elided word is a token of its own and keeps its apostrophe: "l' homme", "n' a pas d' argent".

namespace regard::toys::sentences {
namespace {

enum class Polarity { positive, negative };

constexpr Conjugation etre_present = {"suis", "est", "sommes", "sont"};
constexpr Conjugation avoir_present = {"ai", "a", "avons", "ont"};
constexpr Conjugation imperfect_endings = {"ais", "ait", "ions", "aient"};

/// Whether le, la, je, ne and de lose their vowel before the word. An h is mute, but for that of hibou.
bool elides(const std::string& next_word) {
  constexpr std::array<std::string_view, 11> vowels = {"a", "e", "i", "o", "u", "é", "è", "ê", "ô", "œ", "h"};
  if (next_word.starts_with("hibou")) return false;
  return std::any_of(vowels.begin(), vowels.end(),
                     [&](std::string_view vowel) { return next_word.starts_with(vowel); });
}

/// "ne" and "n'", as the next word wants it.
std::string before(const std::string& next_word, const char* full, const char* elided) {
  return elides(next_word) ? elided : full;
}

std::string conjugated(const Conjugation& forms, Person person) {
  return forms[static_cast<std::size_t>(person)];
}

std::string imperfect(const std::string& stem, Person person) {
  return stem + conjugated(imperfect_endings, person);
}

/// The auxiliaries and copulas; their past, here, is always the imperfect.
std::string etre(const Clause& clause) {
  const Person person = person_of(clause.subject);
  return clause.tense == Tense::past ? imperfect("ét", person) : conjugated(etre_present, person);
}

std::string avoir(const Clause& clause) {
  const Person person = person_of(clause.subject);
  return clause.tense == Tense::past ? imperfect("av", person) : conjugated(avoir_present, person);
}

std::string agreed(const Adjective& adjective, Gender gender, Number number) {
  if (number == Number::plural) {
    return gender == Gender::feminine ? adjective.feminine_plural : adjective.masculine_plural;
  }
  return gender == Gender::feminine ? adjective.feminine : adjective.masculine;
}

std::string agreed_participle(const char* participle, Gender gender, Number number) {
  return std::string(participle) + (gender == Gender::feminine ? "e" : "") +
         (number == Number::plural ? "s" : "");
}

std::string noun_form(const NounPhrase& phrase) {
  return phrase.number == Number::plural ? phrase.noun->french_plural : phrase.noun->french;
}

/// Adjectives and noun without their determiner: "petite maison rouge", "vieil homme".
Words adjectives_and_noun(const NounPhrase& phrase) {
  const Gender gender = phrase.noun->gender;
  Words words = {{noun_form(phrase), parts::noun}};
  for (const Adjective* adjective : {phrase.adjective, phrase.colour}) {
    if (adjective == nullptr) continue;
    const unsigned part = adjective == phrase.adjective ? parts::adjective : parts::colour;
    std::string form = agreed(*adjective, gender, phrase.number);
    if (adjective->place == Adjective::Place::after) {
      words.push_back({form, part});
      continue;
    }
    const bool masculine_singular = gender == Gender::masculine && phrase.number == Number::singular;
    if (masculine_singular && adjective->before_vowel != nullptr && elides(words.front().text)) {
      form = adjective->before_vowel;
    }
    words.insert(words.begin(), {form, part});
  }
  return words;
}

bool is_preceded(const NounPhrase& phrase) {
  return phrase.adjective != nullptr && phrase.adjective->place == Adjective::Place::before;
}

std::string by_gender(Gender gender, const char* masculine, const char* feminine) {
  return gender == Gender::feminine ? feminine : masculine;
}

std::vector<std::string> indefinite_article(const NounPhrase& phrase, const std::string& next,
                                            Polarity polarity) {
  const bool plural = phrase.number == Number::plural;
  // "pas de chat", "de petits chats", before a vowel "pas d' argent".
  if (polarity == Polarity::negative || (plural && is_preceded(phrase))) return {before(next, "de", "d'")};
  if (plural) return {"des"};
  if ((phrase.noun->traits & traits::mass) == 0) return {by_gender(phrase.noun->gender, "un", "une")};
  if (elides(next)) return {"de", "l'"};
  if (phrase.noun->gender == Gender::feminine) return {"de", "la"};
  return {"du"};
}

std::vector<std::string> determiner(const NounPhrase& phrase, const std::string& next, Polarity polarity) {
  const bool plural = phrase.number == Number::plural;
  // "mon école": before a vowel the possessive of the feminine is that of the masculine.
  const Gender heard = elides(next) ? Gender::masculine : phrase.noun->gender;
  switch (phrase.determiner) {
    case Determiner::definite:
    case Determiner::generic:  // "elle aime les chats", "elle n' aime pas le pain"
      if (plural) return {"les"};
      return {elides(next) ? "l'" : by_gender(phrase.noun->gender, "le", "la")};
    case Determiner::indefinite:
      return indefinite_article(phrase, next, polarity);
    case Determiner::demonstrative:
      if (plural) return {"ces"};
      return {by_gender(phrase.noun->gender, elides(next) ? "cet" : "ce", "cette")};
    case Determiner::my:
      return {plural ? "mes" : by_gender(heard, "mon", "ma")};
    case Determiner::his:
    case Determiner::her:
      return {plural ? "ses" : by_gender(heard, "son", "sa")};
    case Determiner::our:
      return {plural ? "nos" : "notre"};
  }
  return {};
}

Words noun_phrase(const NounPhrase& phrase, Polarity polarity) {
  const Words inner = adjectives_and_noun(phrase);
  Words words;
  for (const std::string& word : determiner(phrase, inner.front().text, polarity))
    words.push_back({word, parts::determiner});
  append(words, inner);
  return words;
}

/// à + le = au, à + les = aux, de + le = du, de + les = des.
void add_with_preposition(Words& words, const std::string& preposition, const NounPhrase& phrase) {
  Words rest = in_slot(Slot::related, noun_phrase(phrase, Polarity::positive));
  Token& first = rest.front();
  const bool contracts = first.text == "le" || first.text == "les";
  if (contracts && preposition == "à") {
    first = {first.text == "le" ? "au" : "aux", first.parts | parts::relation};
  } else if (contracts && preposition == "de") {
    first = {first.text == "le" ? "du" : "des", first.parts | parts::relation};
  } else {
    words.push_back({preposition, parts::relation});
  }
  append(words, rest);
}

std::string preposition(const Clause& clause) {
  switch (clause.relation) {
    case Relation::place:
      return (clause.related.noun->traits & traits::inside) != 0 ? "dans" : "à";
    case Relation::goal:
    case Relation::recipient:
      return "à";
    case Relation::origin:
      return "de";
    case Relation::companion:
      return "avec";
    case Relation::none:
      break;
  }
  return "";
}

struct VerbGroup {
  std::string finite;      ///< what stands inside "ne … pas"
  std::string participle;  ///< after it; "" if none
};

VerbGroup verb_group(const Clause& clause) {
  const FrenchVerb& verb = clause.verb->french;
  const Person person = person_of(clause.subject);
  if (clause.tense == Tense::present) return {conjugated(verb.present, person), ""};
  switch (verb.past) {
    case FrenchVerb::Past::imperfect:
      return {imperfect(verb.participle, person), ""};
    case FrenchVerb::Past::avoir:
      return {conjugated(avoir_present, person), verb.participle};
    case FrenchVerb::Past::etre:
      break;
  }
  return {conjugated(etre_present, person),
          agreed_participle(verb.participle, gender_of(clause.subject), number_of(clause.subject))};
}

/// Subject and finite verb, with the negation round it: "je n' aime pas", "l' homme dort".
void add_subject_and_finite(Words& words, const NounPhrase& subject, const std::string& finite,
                            Polarity polarity) {
  Words verb = {{finite, parts::verb}};
  if (polarity == Polarity::negative)
    verb = {{before(finite, "ne", "n'"), parts::negation}, verb.front(), {"pas", parts::negation}};
  const std::array<std::string, 4> pronouns = {before(verb.front().text, "je", "j'"), "il", "elle", "nous"};
  append(words, in_slot(Slot::subject,
                        subject.noun != nullptr
                            ? noun_phrase(subject, Polarity::positive)
                            : Words{{pronouns[static_cast<std::size_t>(subject.pronoun)], parts::noun}}));
  append(words, verb);
}

std::string profession_form(const Noun& noun, Gender gender, Number number) {
  if (number == Number::plural)
    return gender == Gender::feminine ? noun.french_feminine_plural : noun.french_plural;
  return gender == Gender::feminine ? noun.french_feminine : noun.french;
}

/// An idiom: a person who has no money at all is "démuni". This word says verb, negation and object.
bool is_destitute(const Clause& clause) {
  return clause.negated && clause.verb->usage.possesses && (clause.object->noun->traits & traits::money) != 0;
}

void add_verb_and_object(Words& words, const Clause& clause, Polarity polarity) {
  const Gender gender = gender_of(clause.subject);
  const Number number = number_of(clause.subject);
  if (is_destitute(clause)) {
    add_subject_and_finite(words, clause.subject, etre(clause), Polarity::positive);
    words.push_back({agreed_participle("démuni", gender, number),
                     parts::verb | parts::negation | in_slot(Slot::object, parts::noun_phrase)});
    return;
  }
  const VerbGroup verb = verb_group(clause);
  add_subject_and_finite(words, clause.subject, verb.finite, polarity);
  if (!verb.participle.empty()) words.push_back({verb.participle, parts::verb});
  if (clause.object) append(words, in_slot(Slot::object, noun_phrase(*clause.object, polarity)));
}

}  // namespace

Words french(const Clause& clause) {
  Words words;
  const Polarity polarity = clause.negated ? Polarity::negative : Polarity::positive;
  const Gender gender = gender_of(clause.subject);
  const Number number = number_of(clause.subject);
  if (clause.feeling != nullptr) {
    add_subject_and_finite(words, clause.subject, avoir(clause), polarity);
    words.push_back({clause.feeling->french, parts::complement});
  } else if (clause.adjective != nullptr) {
    add_subject_and_finite(words, clause.subject, etre(clause), polarity);
    words.push_back({agreed(*clause.adjective, gender, number), parts::complement});
  } else if (clause.profession != nullptr) {
    add_subject_and_finite(words, clause.subject, etre(clause), polarity);
    // No article: "elle est médecin".
    words.push_back({profession_form(*clause.profession, gender, number), parts::complement});
  } else {
    add_verb_and_object(words, clause, polarity);
  }
  if (clause.relation != Relation::none) add_with_preposition(words, preposition(clause), clause.related);
  return words;
}

}  // namespace regard::toys::sentences
