#include "apps/toys/sentences/grammar.h"

#include <algorithm>
#include <utility>

namespace regard::toys::sentences {
namespace {

using Family = NounPhrases::Family;

/// Returns one of the items, each as likely as its weight says.
template <class T>
const T& sample_weighted(const std::vector<T>& items, SplitMix64& random) {
  std::uint64_t total = 0;
  for (const T& item : items) total += item.weight;
  std::uint64_t ticket = random.below(total);
  std::size_t i = 0;
  while (ticket >= items[i].weight) ticket -= items[i++].weight;
  return items[i];
}

/// The noun with each of the determiners, in both numbers.
Family plain_phrases(const Noun& noun, const std::vector<Determiner>& determiners) {
  Family family;
  for (const Determiner determiner : determiners)
    for (const Number number : {Number::singular, Number::plural})
      if (fits(noun, determiner, number))
        family.push_back({.noun = &noun, .number = number, .determiner = determiner});
  return family;
}

/// The phrases with each adjective that goes with the noun and with the phrase.
template <class Fits>
Family with(const Adjective* NounPhrase::*slot, const Family& phrases, const Fits& goes_with) {
  Family family;
  for (NounPhrase phrase : phrases) {
    for (const Adjective& adjective : adjectives()) {
      if (!phrase.noun->is(adjective.applies_to) || phrase.noun->is(traits::collective)) continue;
      if (!goes_with(phrase, adjective)) continue;
      phrase.*slot = &adjective;
      family.push_back(phrase);
    }
  }
  return family;
}

Family with_one(const Family& plain) {
  return with(&NounPhrase::adjective, plain, [](const NounPhrase&, const Adjective&) { return true; });
}

/// One adjective that precedes its noun in French, and a colour, which follows it.
Family with_two(const Family& plain) {
  return with(&NounPhrase::colour, with_one(plain), [](const NounPhrase& phrase, const Adjective& second) {
    return phrase.adjective->place == Adjective::Place::before && second.is_colour;
  });
}

/// Which noun phrases are wanted.
struct Wanted {
  unsigned nouns;        ///< traits, of which a noun has one
  unsigned determiners;  ///< the kinds that are allowed
  int adjectives = 0;    ///< at most so many
  /// A subject is feminine as often as masculine: English shows nothing of the agreement of verbs and
  /// adjectives, so it has to be seen often.
  bool subject = false;
  bool pronouns = false;  ///< half of the phrases are pronouns
};

void add_families(NounPhrases& phrases, std::uint64_t weight, std::vector<Family> families, bool subject) {
  std::erase_if(families, [](const Family& family) { return family.empty(); });
  const auto middle = std::stable_partition(families.begin(), families.end(),
                                            [](const Family& family) { return family.front().feminine(); });
  if (!subject || middle == families.begin() || middle == families.end()) {
    phrases.add(2 * weight, std::move(families));
  } else {
    phrases.add(weight, {families.begin(), middle});
    phrases.add(weight, {middle, families.end()});
  }
}

NounPhrases noun_phrases(const Wanted& wanted) {
  struct Kind {
    unsigned kind;
    std::uint64_t weight;
    std::vector<Determiner> members;
  };
  static const Kind kinds[] = {
      {determiners::definite, 4, {Determiner::definite}},
      {determiners::indefinite, 5, {Determiner::indefinite}},
      {determiners::possessive, 3, {Determiner::my, Determiner::his, Determiner::her, Determiner::our}},
      {determiners::demonstrative, 2, {Determiner::demonstrative}},
      {determiners::generic, 4, {Determiner::generic}},
  };
  NounPhrases phrases;
  std::uint64_t total = 0;
  for (const Kind& kind : kinds) {
    if ((kind.kind & wanted.determiners) == 0) continue;
    std::vector<Family> plain, one, two;
    for (const Noun& noun : nouns()) {
      if (!noun.is(wanted.nouns)) continue;
      plain.push_back(plain_phrases(noun, kind.members));
      if (wanted.adjectives > 0) one.push_back(with_one(plain.back()));
      if (wanted.adjectives > 1) two.push_back(with_two(plain.back()));
    }
    add_families(phrases, 5 * kind.weight, std::move(plain), wanted.subject);
    add_families(phrases, 3 * kind.weight, std::move(one), wanted.subject);
    add_families(phrases, 1 * kind.weight, std::move(two), wanted.subject);
    total += 16 * kind.weight;
  }
  std::vector<Family> pronouns;
  for (const Pronoun pronoun : {Pronoun::i, Pronoun::he, Pronoun::she, Pronoun::we})
    if (wanted.pronouns) pronouns.push_back({{.pronoun = pronoun}});
  phrases.add(total, std::move(pronouns));
  return phrases;
}

using determiners::definite;
using determiners::indefinite;
using determiners::possessive;
using determiners::specific;

/// Subjects that are persons or animals.
NounPhrases living_subjects(unsigned nouns, unsigned allowed) {
  return noun_phrases(
      {.nouns = nouns, .determiners = allowed, .adjectives = 1, .subject = true, .pronouns = true});
}

std::vector<Frame::Phrase> related_phrases(const Usage& usage) {
  const auto places = [](unsigned kinds) { return noun_phrases({.nouns = kinds, .determiners = definite}); };
  const auto people = [] {
    return noun_phrases({.nouns = traits::person, .determiners = definite | possessive});
  };
  if (usage.complement == Relation::recipient) return {{Relation::recipient, 1, people()}};
  if (usage.complement != Relation::none) return {{usage.complement, 1, places(traits::site)}};
  std::vector<Frame::Phrase> list = {{Relation::none, 2, {}}};
  if (usage.places != 0) list.push_back({Relation::place, 3, places(usage.places)});
  if (usage.takes_companion) list.push_back({Relation::companion, 6, people()});
  return list;
}

Frame verb_frame(const Verb& verb) {
  const Usage& usage = verb.usage;
  // With 있다 two phrases in 이/가 would not tell who has what: the owner must be a topic.
  Frame frame{.weight = usage.weight,
              .predicate = {.verb = &verb},
              .subjects = living_subjects(usage.subjects, usage.possesses ? specific : specific | indefinite),
              .related = related_phrases(usage)};
  if (usage.objects != 0)
    frame.objects = noun_phrases({.nouns = usage.objects, .determiners = usage.determiners, .adjectives = 2});
  return frame;
}

}  // namespace

bool fits(const Noun& noun, Determiner determiner, Number number) {
  const bool owned = determiner >= Determiner::my;
  if (owned ? noun.is(traits::unowned) : noun.is(traits::kin)) return false;
  const bool plural = number == Number::plural;
  if (noun.is(traits::collective)) return plural && determiner == Determiner::definite;
  if (plural && noun.english[number].empty()) return false;
  // "she likes cats", "she likes bread".
  if (determiner == Determiner::generic) return plural || noun.is(traits::mass);
  // "these books" would need a plural that things do not have in our Korean.
  if (determiner == Determiner::demonstrative && plural) return noun.is(traits::animate);
  return true;
}

void NounPhrases::add(std::uint64_t weight, std::vector<Family> families) {
  std::erase_if(families, [](const Family& family) { return family.empty(); });
  if (!families.empty()) groups.push_back({weight, std::move(families)});
}

const NounPhrase& NounPhrases::sample(SplitMix64& random) const {
  return random.pick(random.pick(sample_weighted(groups, random).families));
}

// An indefinite subject is not negated: "a cat doesn't sleep" leaves open whether any cat does.
Clause Frame::sample(SplitMix64& random) const {
  Clause clause = predicate;
  clause.subject = subjects.sample(random);
  clause.tense = random.below(2) == 0 ? Tense::present : Tense::past;
  clause.negated = clause.subject.determiner != Determiner::indefinite && random.below(5) < 2;
  if (objects) clause.object = objects->sample(random);
  const Phrase& phrase = sample_weighted(related, random);
  clause.relation = phrase.relation;
  if (phrase.relation != Relation::none) clause.related = phrase.phrases.sample(random);
  return clause;
}

Grammar::Grammar() {
  for (const Verb& verb : verbs()) frames_.push_back(verb_frame(verb));
  for (const Noun& noun : nouns())
    if (noun.is(traits::profession))
      frames_.push_back({2, {.profession = &noun}, living_subjects(traits::layman, specific)});
  for (const Adjective& adjective : adjectives()) {
    if (adjective.korean[0].empty()) continue;
    const bool of_people =
        (adjective.applies_to & (traits::person | traits::adult | traits::profession)) != 0;
    frames_.push_back({2,
                       {.adjective = &adjective},
                       noun_phrases({.nouns = adjective.applies_to,
                                     .determiners = specific,
                                     .subject = true,
                                     .pronouns = of_people})});
  }
  for (const Feeling& feeling : feelings())
    frames_.push_back({2, {.feeling = &feeling}, living_subjects(traits::animate, specific)});
}

Clause Grammar::sample(SplitMix64& random) const { return sample_weighted(frames_, random).sample(random); }

}  // namespace regard::toys::sentences
