#include <string_view>

#include "apps/toys/sentences/lexicon.h"
#include "apps/toys/sentences/meaning.h"

// Particles belong to their noun (학생은); the copula stands alone (학생 이다). Style: plain declarative,
// -다.

namespace regard::toys::sentences {
namespace {

using Words = std::vector<std::string>;

/// The last code point of a word that ends in three bytes of UTF-8, as Hangul syllables do.
unsigned last_syllable(const std::string& word) {
  const auto byte = [&](std::size_t from_end) {
    return static_cast<unsigned>(static_cast<unsigned char>(word[word.size() - from_end]));
  };
  return (byte(3) & 0x0fu) << 12 | (byte(2) & 0x3fu) << 6 | (byte(1) & 0x3fu);
}

/// Hangul syllables stand in Unicode in the order (initial, vowel, final), with 28 finals, the first of them
/// none: U+AC00 = 가, U+AC01 = 각, …, U+AC1C = 개.
bool ends_in_consonant(const std::string& word) { return (last_syllable(word) - 0xac00u) % 28 != 0; }

/// Some particles have two forms. Which one depends on how the word before ends.
std::string with_particle(const std::string& word, const char* after_consonant, const char* after_vowel) {
  return word + (ends_in_consonant(word) ? after_consonant : after_vowel);
}

std::string topic(const std::string& word) { return with_particle(word, "은", "는"); }
std::string subject(const std::string& word) { return with_particle(word, "이", "가"); }
std::string object(const std::string& word) { return with_particle(word, "을", "를"); }
std::string companion(const std::string& word) { return with_particle(word, "과", "와"); }

/// Korean need not mark a plural. Here people have 들, and so do animals, unless a whole kind of them is
/// meant: "she likes cats". Things have none.
bool is_marked_plural(const NounPhrase& phrase) {
  const bool person = (phrase.noun->traits & traits::person) != 0;
  const bool animal = (phrase.noun->traits & traits::animal) != 0;
  return phrase.number == Number::plural && (person || (animal && phrase.determiner != Determiner::generic));
}

/// The words of a noun phrase; the last still lacks its particle. Korean has no articles.
Words bare_noun_phrase(const NounPhrase& phrase) {
  if (phrase.noun == nullptr) {
    constexpr std::array<const char*, 4> pronouns = {"나", "그", "그녀", "우리"};
    return {pronouns[static_cast<std::size_t>(phrase.pronoun)]};
  }
  Words words;
  switch (phrase.determiner) {
    case Determiner::demonstrative:
      words.emplace_back("이");
      break;
    case Determiner::my:
      words.emplace_back("내");
      break;
    case Determiner::his:
      words.emplace_back("그의");
      break;
    case Determiner::her:
      words.emplace_back("그녀의");
      break;
    case Determiner::our:
      words.emplace_back("우리");
      break;
    case Determiner::definite:
    case Determiner::indefinite:
    case Determiner::generic:
      break;
  }
  if (phrase.adjective != nullptr) words.emplace_back(phrase.adjective->korean_modifier);
  if (phrase.colour != nullptr) words.emplace_back(phrase.colour->korean_modifier);
  words.push_back(phrase.noun->korean + std::string(is_marked_plural(phrase) ? "들" : ""));
  return words;
}

void add(Words& words, const NounPhrase& phrase, std::string (*particle)(const std::string&)) {
  Words more = bare_noun_phrase(phrase);
  more.back() = particle(more.back());
  words.insert(words.end(), more.begin(), more.end());
}

/// What is spoken of is known (은/는); what is new to the listener comes with 이/가.
void add_subject(Words& words, const NounPhrase& phrase) {
  const bool is_new = phrase.noun != nullptr && phrase.determiner == Determiner::indefinite;
  add(words, phrase, is_new ? subject : topic);
}

void add_related(Words& words, const Clause& clause) {
  switch (clause.relation) {
    case Relation::place:
    case Relation::origin:
      add(words, clause.related, [](const std::string& word) { return word + "에서"; });
      break;
    case Relation::goal:
      add(words, clause.related, [](const std::string& word) { return word + "에"; });
      break;
    case Relation::recipient:
      add(words, clause.related, [](const std::string& word) { return word + "에게"; });
      break;
    case Relation::companion:
      add(words, clause.related, companion);
      break;
    case Relation::none:
      break;
  }
}

/// Adjectives conjugate like verbs, but for the present of the negation: 작지 않다, 먹지 않는다.
void add_predicate(Words& words, const Clause& clause, const char* present, const char* past,
                   const char* stem, const char* negation) {
  const bool is_past = clause.tense == Tense::past;
  if (!clause.negated) {
    words.emplace_back(is_past ? past : present);
    return;
  }
  words.emplace_back(stem);
  words.emplace_back(is_past ? "않았다" : negation);
}

void add_verb(Words& words, const Clause& clause) {
  const KoreanVerb& verb = clause.verb->korean;
  if (clause.negated && verb.negative_present != nullptr) {
    words.emplace_back(clause.tense == Tense::past ? verb.negative_past : verb.negative_present);
  } else {
    add_predicate(words, clause, verb.present, verb.past, verb.negative_stem, "않는다");
  }
}

void add_copula(Words& words, const Clause& clause) {
  const std::string noun = clause.profession->korean;
  const bool past = clause.tense == Tense::past;
  if (clause.negated) {
    words.push_back(subject(noun));
    words.emplace_back(past ? "아니었다" : "아니다");
    return;
  }
  words.push_back(noun);
  words.emplace_back(!past ? "이다" : ends_in_consonant(noun) ? "이었다" : "였다");
}

}  // namespace

std::string korean(const Clause& clause) {
  Words words;
  add_subject(words, clause.subject);
  if (clause.profession != nullptr) {
    add_copula(words, clause);
  } else if (const Adjective* adjective = clause.adjective) {
    add_predicate(words, clause, adjective->korean_present, adjective->korean_past, adjective->korean_stem,
                  "않다");
  } else if (const Feeling* feeling = clause.feeling) {
    if (feeling->korean_subject[0] != '\0') words.emplace_back(feeling->korean_subject);
    add_predicate(words, clause, feeling->korean_present, feeling->korean_past, feeling->korean_stem, "않다");
  } else {
    add_related(words, clause);
    if (clause.object) add(words, *clause.object, clause.verb->usage.possesses ? subject : object);
    add_verb(words, clause);
  }
  return join(words);
}

}  // namespace regard::toys::sentences
