#include <algorithm>
#include <string_view>

#include "apps/toys/sentences/lexicon.h"
#include "apps/toys/sentences/meaning.h"

// An elided word is a token of its own and keeps its apostrophe: "l' homme", "n' a pas d' argent".

namespace regard::toys::sentences {
namespace {

using Words = std::vector<std::string>;

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
  Words words = {noun_form(phrase)};
  for (const Adjective* adjective : {phrase.adjective, phrase.colour}) {
    if (adjective == nullptr) continue;
    std::string form = agreed(*adjective, gender, phrase.number);
    if (adjective->place == Adjective::Place::after) {
      words.push_back(form);
      continue;
    }
    const bool masculine_singular = gender == Gender::masculine && phrase.number == Number::singular;
    if (masculine_singular && adjective->before_vowel != nullptr && elides(words.front())) {
      form = adjective->before_vowel;
    }
    words.insert(words.begin(), form);
  }
  return words;
}

bool is_preceded(const NounPhrase& phrase) {
  return phrase.adjective != nullptr && phrase.adjective->place == Adjective::Place::before;
}

std::string by_gender(Gender gender, const char* masculine, const char* feminine) {
  return gender == Gender::feminine ? feminine : masculine;
}

Words indefinite_article(const NounPhrase& phrase, const std::string& next, Polarity polarity) {
  const bool plural = phrase.number == Number::plural;
  // "pas de chat", "de petits chats", before a vowel "pas d' argent".
  if (polarity == Polarity::negative || (plural && is_preceded(phrase))) return {before(next, "de", "d'")};
  if (plural) return {"des"};
  if ((phrase.noun->traits & traits::mass) == 0) return {by_gender(phrase.noun->gender, "un", "une")};
  if (elides(next)) return {"de", "l'"};
  return phrase.noun->gender == Gender::feminine ? Words{"de", "la"} : Words{"du"};
}

Words determiner(const NounPhrase& phrase, const std::string& next, Polarity polarity) {
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

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

void add_noun_phrase(Words& words, const NounPhrase& phrase, Polarity polarity) {
  const Words inner = adjectives_and_noun(phrase);
  append(words, determiner(phrase, inner.front(), polarity));
  append(words, inner);
}

/// à + le = au, à + les = aux, de + le = du, de + les = des.
void add_with_preposition(Words& words, const std::string& preposition, const NounPhrase& phrase) {
  Words rest;
  add_noun_phrase(rest, phrase, Polarity::positive);
  const bool contracts = rest.front() == "le" || rest.front() == "les";
  if (contracts && preposition == "à") {
    rest.front() = rest.front() == "le" ? "au" : "aux";
  } else if (contracts && preposition == "de") {
    rest.front() = rest.front() == "le" ? "du" : "des";
  } else {
    words.push_back(preposition);
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
  Words verb = {finite};
  if (polarity == Polarity::negative) verb = {before(finite, "ne", "n'"), finite, "pas"};
  if (subject.noun != nullptr) {
    add_noun_phrase(words, subject, Polarity::positive);
  } else {
    switch (subject.pronoun) {
      case Pronoun::i:
        words.push_back(before(verb.front(), "je", "j'"));
        break;
      case Pronoun::he:
        words.emplace_back("il");
        break;
      case Pronoun::she:
        words.emplace_back("elle");
        break;
      case Pronoun::we:
        words.emplace_back("nous");
        break;
    }
  }
  append(words, verb);
}

std::string profession_form(const Noun& noun, Gender gender, Number number) {
  if (number == Number::plural)
    return gender == Gender::feminine ? noun.french_feminine_plural : noun.french_plural;
  return gender == Gender::feminine ? noun.french_feminine : noun.french;
}

/// An idiom: who has no money at all is "démuni", stripped bare.
bool is_destitute(const Clause& clause) {
  return clause.negated && clause.verb->usage.possesses && (clause.object->noun->traits & traits::money) != 0;
}

void add_verb_and_object(Words& words, const Clause& clause, Polarity polarity) {
  const Gender gender = gender_of(clause.subject);
  const Number number = number_of(clause.subject);
  if (is_destitute(clause)) {
    add_subject_and_finite(words, clause.subject, etre(clause), Polarity::positive);
    words.push_back(agreed_participle("démuni", gender, number));
    return;
  }
  const VerbGroup verb = verb_group(clause);
  add_subject_and_finite(words, clause.subject, verb.finite, polarity);
  if (!verb.participle.empty()) words.push_back(verb.participle);
  if (clause.object) add_noun_phrase(words, *clause.object, polarity);
}

}  // namespace

std::string french(const Clause& clause) {
  Words words;
  const Polarity polarity = clause.negated ? Polarity::negative : Polarity::positive;
  const Gender gender = gender_of(clause.subject);
  const Number number = number_of(clause.subject);
  if (clause.feeling != nullptr) {
    add_subject_and_finite(words, clause.subject, avoir(clause), polarity);
    words.emplace_back(clause.feeling->french);
  } else if (clause.adjective != nullptr) {
    add_subject_and_finite(words, clause.subject, etre(clause), polarity);
    words.push_back(agreed(*clause.adjective, gender, number));
  } else if (clause.profession != nullptr) {
    add_subject_and_finite(words, clause.subject, etre(clause), polarity);
    words.push_back(profession_form(*clause.profession, gender, number));  // no article: "elle est médecin"
  } else {
    add_verb_and_object(words, clause, polarity);
  }
  if (clause.relation != Relation::none) add_with_preposition(words, preposition(clause), clause.related);
  return join(words);
}

}  // namespace regard::toys::sentences
