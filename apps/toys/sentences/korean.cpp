#include "apps/toys/sentences/meaning.h"

// Particles belong to their noun (학생은); the copula stands alone (학생 이다). Style: plain declarative,
// -다.

namespace regard::toys::sentences {
namespace {

/// Hangul syllables stand in Unicode in the order (initial, vowel, final), with 28 finals, the first of them
/// none: U+AC00 = 가, U+AC01 = 각, …, U+AC1C = 개. In UTF-8 a syllable has three bytes.
bool ends_in_consonant(const std::string& word) {
  const auto byte = [&](std::size_t from_end) {
    return static_cast<unsigned>(static_cast<unsigned char>(word[word.size() - from_end]));
  };
  const unsigned syllable = (byte(3) & 0x0fu) << 12 | (byte(2) & 0x3fu) << 6 | (byte(1) & 0x3fu);
  return (syllable - 0xac00u) % 28 != 0;
}

/// Some particles have two forms: after a consonant, and after a vowel.
std::string with_particle(const std::string& word, const Forms& particle) {
  return word + particle[!ends_in_consonant(word) && !particle[1].empty()];
}

const Forms& subject_particle() {
  static const Forms forms = "이 가";
  return forms;
}

/// Korean need not mark a plural. Here people have 들, and so do animals, unless a whole kind of them is
/// meant: "she likes cats". Things have none.
bool is_marked_plural(const NounPhrase& phrase) {
  const bool of_a_kind = phrase.noun->is(traits::animal) && phrase.determiner == Determiner::generic;
  return phrase.plural() && phrase.noun->is(traits::animate) && !of_a_kind;
}

/// The words of a noun phrase; the last still lacks its particle. Korean has no articles.
Tokens bare_noun_phrase(const NounPhrase& phrase) {
  static const Forms pronouns = "나 그 그녀 우리 그것", determiners = "_ 이 _ _ 내 그의 그녀의 우리";
  if (phrase.noun == nullptr) return {{pronouns[phrase.pronoun], parts::noun}};
  Tokens words;
  add(words, determiners[phrase.determiner], parts::determiner);
  if (phrase.adjective != nullptr) add(words, phrase.adjective->korean_modifier[0], parts::adjective);
  if (phrase.colour != nullptr) add(words, phrase.colour->korean_modifier[0], parts::colour);
  add(words, phrase.noun->korean[0], parts::noun);
  if (is_marked_plural(phrase)) words.back().text += "들";
  return words;
}

/// Adds a noun phrase with its particle. A particle of place, goal, … says the relation.
void add_phrase(Tokens& words, Slot slot, const NounPhrase& phrase, const Forms& particle) {
  Tokens more = in_slot(slot, bare_noun_phrase(phrase));
  more.back().text = with_particle(more.back().text, particle);
  if (slot == Slot::related) more.back().parts |= parts::relation;
  append(words, more);
}

/// Adds the forms "present past stem", or "present past negative-present negative-past", of a verb or an
/// adjective, and the negation of the stem. 모른다 says verb and negation in one word, 자지 않는다 in two.
void add_predicate(Tokens& words, const Clause& clause, const Forms& forms, const char* not_in_present,
                   unsigned part) {
  const bool past = clause.tense == Tense::past;
  if (!clause.negated) return add(words, forms[past], part);
  const std::string regular = forms[2] + " " + (past ? "않았다" : not_in_present);
  const std::size_t before = words.size();
  add(words, forms[3].empty() ? regular : forms[past ? 3 : 2], part);
  words.back().parts = words.size() == before + 1 ? part | parts::negation : parts::negation;
}

/// Adjectives conjugate like verbs, except in the present of the negation: 작지 않다, 먹지 않는다. An
/// adjective also says "is".
void add_adjective(Tokens& words, const Clause& clause, const Forms& forms) {
  add_predicate(words, clause, forms, "않다", parts::verb | parts::complement);
}

void add_copula(Tokens& words, const Clause& clause) {
  const std::string& noun = clause.profession->korean[0];
  const bool past = clause.tense == Tense::past;
  if (clause.negated) {
    add(words, with_particle(noun, subject_particle()), parts::complement);
    add(words, past ? "아니었다" : "아니다", parts::verb | parts::negation);
  } else {
    add(words, noun, parts::complement);
    add(words, !past ? "이다" : ends_in_consonant(noun) ? "이었다" : "였다", parts::verb);
  }
}

void add_verb(Tokens& words, const Clause& clause) {
  static const Forms object = "을 를", relations[] = {"", "에서", "에", "에서", "에게", "과 와"};
  if (clause.relation != Relation::none)
    add_phrase(words, Slot::related, clause.related, relations[static_cast<std::size_t>(clause.relation)]);
  if (clause.object)
    add_phrase(words, Slot::object, *clause.object,
               clause.verb->usage.possesses ? subject_particle() : object);
  add_predicate(words, clause, clause.verb->korean, "않는다", parts::verb);
}

}  // namespace

Tokens korean(const Clause& clause) {
  static const Forms topic = "은 는";
  // What is spoken of is known (은/는); what is new to the listener comes with 이/가.
  const bool is_new = clause.subject.noun != nullptr && clause.subject.determiner == Determiner::indefinite;
  Tokens words;
  add_phrase(words, Slot::subject, clause.subject, is_new ? subject_particle() : topic);
  if (clause.profession != nullptr) {
    add_copula(words, clause);
  } else if (clause.adjective != nullptr) {
    add_adjective(words, clause, clause.adjective->korean);
  } else if (clause.feeling != nullptr) {
    add(words, clause.feeling->korean_subject[0], parts::complement);
    add_adjective(words, clause, clause.feeling->korean);
  } else {
    add_verb(words, clause);
  }
  return words;
}

}  // namespace regard::toys::sentences
