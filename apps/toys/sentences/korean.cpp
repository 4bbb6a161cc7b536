#include <array>
#include <string>
#include <string_view>

#include "apps/toys/sentences/lexicon.h"
#include "apps/toys/sentences/meaning.h"

// Particles belong to their noun (학생은); the copula stands alone (학생 이다). Style: plain declarative,
// -다.

namespace regard::toys::sentences {
namespace {

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

/// Adds the words of a text. Some nouns and verbs of the lexicon are two words.
void add_words(Words& words, std::string_view text, unsigned part) {
  for (std::size_t blank = text.find(' '); blank != text.npos; blank = text.find(' ')) {
    words.push_back({std::string(text.substr(0, blank)), part});
    text.remove_prefix(blank + 1);
  }
  words.push_back({std::string(text), part});
}

/// The determiner of a noun. Korean has no articles.
const char* determiner(const NounPhrase& phrase) {
  switch (phrase.determiner) {
    case Determiner::demonstrative:
      return "이";
    case Determiner::my:
      return "내";
    case Determiner::his:
      return "그의";
    case Determiner::her:
      return "그녀의";
    case Determiner::our:
      return "우리";
    case Determiner::definite:
    case Determiner::indefinite:
    case Determiner::generic:
      break;
  }
  return "";
}

/// The words of a noun phrase; the last still lacks its particle.
Words bare_noun_phrase(const NounPhrase& phrase) {
  if (phrase.noun == nullptr) {
    constexpr std::array<const char*, 4> pronouns = {"나", "그", "그녀", "우리"};
    return {{pronouns[static_cast<std::size_t>(phrase.pronoun)], parts::noun}};
  }
  Words words;
  if (const std::string first = determiner(phrase); !first.empty())
    words.push_back({first, parts::determiner});
  if (phrase.adjective != nullptr) words.push_back({phrase.adjective->korean_modifier, parts::adjective});
  if (phrase.colour != nullptr) words.push_back({phrase.colour->korean_modifier, parts::colour});
  add_words(words, phrase.noun->korean, parts::noun);
  if (is_marked_plural(phrase)) words.back().text += "들";
  return words;
}

/// Adds a noun phrase with its particle. A particle of place, goal, … says the relation.
void add(Words& words, Slot slot, const NounPhrase& phrase, std::string (*particle)(const std::string&)) {
  Words more = in_slot(slot, bare_noun_phrase(phrase));
  more.back().text = particle(more.back().text);
  if (slot == Slot::related) more.back().parts |= parts::relation;
  append(words, more);
}

/// What is spoken of is known (은/는); what is new to the listener comes with 이/가.
void add_subject(Words& words, const NounPhrase& phrase) {
  const bool is_new = phrase.noun != nullptr && phrase.determiner == Determiner::indefinite;
  add(words, Slot::subject, phrase, is_new ? subject : topic);
}

void add_related(Words& words, const Clause& clause) {
  switch (clause.relation) {
    case Relation::place:
    case Relation::origin:
      add(words, Slot::related, clause.related, [](const std::string& word) { return word + "에서"; });
      break;
    case Relation::goal:
      add(words, Slot::related, clause.related, [](const std::string& word) { return word + "에"; });
      break;
    case Relation::recipient:
      add(words, Slot::related, clause.related, [](const std::string& word) { return word + "에게"; });
      break;
    case Relation::companion:
      add(words, Slot::related, clause.related, companion);
      break;
    case Relation::none:
      break;
  }
}

/// The forms of a predicate, and the parts that they express.
struct Forms {
  const char* present;
  const char* past;
  const char* stem;      ///< before the word of the negation
  const char* negation;  ///< in the present
  unsigned parts;
};

/// Adjectives conjugate like verbs, except in the present of the negation: 작지 않다, 먹지 않는다. An
/// adjective also says "is".
Forms adjective_forms(const char* present, const char* past, const char* stem) {
  return {present, past, stem, "않다", parts::verb | parts::complement};
}

void add_predicate(Words& words, const Clause& clause, const Forms& forms) {
  const bool is_past = clause.tense == Tense::past;
  if (!clause.negated) {
    add_words(words, is_past ? forms.past : forms.present, forms.parts);
    return;
  }
  words.push_back({forms.stem, forms.parts});
  words.push_back({is_past ? "않았다" : forms.negation, parts::negation});
}

void add_verb(Words& words, const Clause& clause) {
  const KoreanVerb& verb = clause.verb->korean;
  if (clause.negated && verb.negative_present != nullptr) {
    // 모른다 says verb and negation in one word, 보지 못한다 in two.
    const std::size_t before = words.size();
    add_words(words, clause.tense == Tense::past ? verb.negative_past : verb.negative_present, parts::verb);
    const bool one_word = words.size() == before + 1;
    words.back().parts = one_word ? parts::verb | parts::negation : parts::negation;
  } else {
    add_predicate(words, clause, {verb.present, verb.past, verb.negative_stem, "않는다", parts::verb});
  }
}

void add_copula(Words& words, const Clause& clause) {
  const std::string noun = clause.profession->korean;
  const bool past = clause.tense == Tense::past;
  if (clause.negated) {
    words.push_back({subject(noun), parts::complement});
    words.push_back({past ? "아니었다" : "아니다", parts::verb | parts::negation});
    return;
  }
  words.push_back({noun, parts::complement});
  words.push_back({!past ? "이다" : ends_in_consonant(noun) ? "이었다" : "였다", parts::verb});
}

}  // namespace

Words korean(const Clause& clause) {
  Words words;
  add_subject(words, clause.subject);
  if (clause.profession != nullptr) {
    add_copula(words, clause);
  } else if (const Adjective* adjective = clause.adjective) {
    add_predicate(words, clause,
                  adjective_forms(adjective->korean_present, adjective->korean_past, adjective->korean_stem));
  } else if (const Feeling* feeling = clause.feeling) {
    if (feeling->korean_subject[0] != '\0') words.push_back({feeling->korean_subject, parts::complement});
    add_predicate(words, clause,
                  adjective_forms(feeling->korean_present, feeling->korean_past, feeling->korean_stem));
  } else {
    add_related(words, clause);
    if (clause.object)
      add(words, Slot::object, *clause.object, clause.verb->usage.possesses ? subject : object);
    add_verb(words, clause);
  }
  return words;
}

}  // namespace regard::toys::sentences
