#include "apps/toys/sentences/grammar.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "apps/toys/sentences/lexicon.h"

namespace regard::toys::sentences {
namespace {

using Family = NounPhrases::Family;

/// One of the items, each as likely as its weight says.
template <class T>
const T& draw_weighted(const std::vector<T>& items, Random& random) {
  std::uint64_t total = 0;
  for (const T& item : items) total += item.weight;
  std::uint64_t ticket = random.below(total);
  std::size_t i = 0;
  while (ticket >= items[i].weight) ticket -= items[i++].weight;
  return items[i];
}

// How many adjectives a noun may have at most.
enum class Adjectives { none, one, two };

enum class Role { subject, thing_subject, other };

bool goes_with(const Adjective& adjective, const Noun& noun) {
  return (adjective.applies_to & noun.traits) != 0 && (noun.traits & traits::collective) == 0;
}

/// The phrases with each adjective that fits.
Family with_one(const Family& plain) {
  Family family;
  for (NounPhrase phrase : plain) {
    for (const Adjective& adjective : adjectives()) {
      phrase.adjective = &adjective;
      if (goes_with(adjective, *phrase.noun)) family.push_back(phrase);
    }
  }
  return family;
}

/// The phrases with two adjectives: one that precedes its noun in French, and a colour, which follows it.
Family with_two(const Family& plain) {
  Family family;
  for (NounPhrase phrase : with_one(plain)) {
    if (phrase.adjective->place != Adjective::Place::before) continue;
    for (const Adjective& colour : adjectives()) {
      phrase.colour = &colour;
      if (colour.is_colour && goes_with(colour, *phrase.noun)) family.push_back(phrase);
    }
  }
  return family;
}

bool fits(const Noun& noun, Determiner determiner, Number number) {
  const bool owned = determiner == Determiner::my || determiner == Determiner::his ||
                     determiner == Determiner::her || determiner == Determiner::our;
  if ((noun.traits & traits::kin) != 0 && !owned) return false;
  if ((noun.traits & traits::unowned) != 0 && owned) return false;
  const bool plural = number == Number::plural;
  if ((noun.traits & traits::collective) != 0) return plural && determiner == Determiner::definite;
  if (plural && noun.english_plural == nullptr) return false;
  const bool mass = (noun.traits & traits::mass) != 0;
  // "she likes cats", "she likes bread".
  if (determiner == Determiner::generic) return plural || mass;
  // "these books" would need a plural that things do not have in our Korean.
  if (determiner == Determiner::demonstrative && plural) return (noun.traits & traits::animate) != 0;
  return true;
}

/// The noun with each of the determiners, in both numbers.
Family plain_phrases(const Noun& noun, const std::vector<Determiner>& determiners) {
  Family family;
  for (const Determiner determiner : determiners) {
    for (const Number number : {Number::singular, Number::plural}) {
      if (!fits(noun, determiner, number)) continue;
      NounPhrase phrase;
      phrase.noun = &noun;
      phrase.determiner = determiner;
      phrase.number = number;
      family.push_back(phrase);
    }
  }
  return family;
}

std::vector<Family> pronouns() {
  std::vector<Family> families;
  for (const Pronoun pronoun : {Pronoun::i, Pronoun::he, Pronoun::she, Pronoun::we}) {
    NounPhrase phrase;
    phrase.pronoun = pronoun;
    families.push_back({phrase});
  }
  return families;
}

struct DeterminerGroup {
  unsigned kind;
  std::uint64_t weight;
  std::vector<Determiner> members;
};

/// Adds families of nouns. A subject is feminine as often as masculine: English shows nothing of the
/// agreement of verbs and adjectives, so it has to be seen often.
void add_families(NounPhrases& phrases, std::uint64_t weight, std::vector<Family> families, Role role) {
  std::erase_if(families, [](const Family& family) { return family.empty(); });
  const auto is_feminine = [](const Family& family) {
    return family.front().noun->gender == Gender::feminine;
  };
  const auto middle = std::stable_partition(families.begin(), families.end(), is_feminine);
  if (role == Role::other || middle == families.begin() || middle == families.end()) {
    phrases.add(2 * weight, std::move(families));
  } else {
    phrases.add(weight, {families.begin(), middle});
    phrases.add(weight, {middle, families.end()});
  }
}

/// The phrases of nouns with one of the wanted traits, and with determiners of the allowed kinds. As
/// subjects, half of the phrases are pronouns, unless only things are wanted.
NounPhrases noun_phrases(unsigned wanted, unsigned allowed, Adjectives most, Role role) {
  static const DeterminerGroup groups[] = {
      {determiners::definite, 4, {Determiner::definite}},
      {determiners::indefinite, 5, {Determiner::indefinite}},
      {determiners::possessive, 3, {Determiner::my, Determiner::his, Determiner::her, Determiner::our}},
      {determiners::demonstrative, 2, {Determiner::demonstrative}},
      {determiners::generic, 4, {Determiner::generic}},
  };
  NounPhrases phrases;
  std::uint64_t total = 0;
  for (const DeterminerGroup& group : groups) {
    if ((group.kind & allowed) == 0) continue;
    std::vector<Family> plain, one, two;
    for (const Noun& noun : nouns()) {
      if ((noun.traits & wanted) == 0) continue;
      plain.push_back(plain_phrases(noun, group.members));
      if (most != Adjectives::none) one.push_back(with_one(plain.back()));
      if (most == Adjectives::two) two.push_back(with_two(plain.back()));
    }
    add_families(phrases, 5 * group.weight, std::move(plain), role);
    add_families(phrases, 3 * group.weight, std::move(one), role);
    add_families(phrases, 1 * group.weight, std::move(two), role);
    total += 16 * group.weight;
  }
  if (role == Role::subject) phrases.add(total, pronouns());
  return phrases;
}

using determiners::definite;
using determiners::indefinite;
using determiners::possessive;
using determiners::specific;

NounPhrases subjects(unsigned wanted, unsigned allowed, Adjectives most) {
  return noun_phrases(wanted, allowed, most, Role::subject);
}

NounPhrases places(unsigned kinds) { return noun_phrases(kinds, definite, Adjectives::none, Role::other); }

NounPhrases people() {
  return noun_phrases(traits::person, definite | possessive, Adjectives::none, Role::other);
}

std::vector<Frame::Phrase> related_phrases(const Verb& verb) {
  switch (verb.usage.complement) {
    case Relation::goal:
    case Relation::origin:
      return {{verb.usage.complement, 1, places(traits::site)}};
    case Relation::recipient:
      return {{Relation::recipient, 1, people()}};
    default:
      break;
  }
  std::vector<Frame::Phrase> list;
  list.push_back({Relation::none, 2, {}});
  if (verb.usage.places != 0) list.push_back({Relation::place, 3, places(verb.usage.places)});
  if (verb.usage.takes_companion) list.push_back({Relation::companion, 6, people()});
  return list;
}

Frame verb_frame(const Verb& verb) {
  Frame frame;
  frame.weight = verb.usage.weight;
  frame.predicate.verb = &verb;
  // With 있다 two phrases in 이/가 would not tell who has what: the owner must be a topic.
  const unsigned allowed = verb.usage.possesses ? specific : specific | indefinite;
  frame.subjects = subjects(verb.usage.subjects, allowed, Adjectives::one);
  if (verb.usage.objects != 0) {
    frame.objects = noun_phrases(verb.usage.objects, verb.usage.determiners, Adjectives::two, Role::other);
  }
  frame.related = related_phrases(verb);
  return frame;
}

Frame be_frame(std::uint64_t weight, NounPhrases subjects) {
  Frame frame;
  frame.weight = weight;
  frame.subjects = std::move(subjects);
  frame.related.push_back({Relation::none, 1, {}});
  return frame;
}

}  // namespace

void NounPhrases::add(std::uint64_t weight, std::vector<Family> families) {
  // What a noun cannot do leaves an empty family: there is no "my man".
  std::erase_if(families, [](const Family& family) { return family.empty(); });
  if (!families.empty()) groups_.push_back({weight, std::move(families)});
}

const NounPhrase& NounPhrases::draw(Random& random) const {
  return random.pick(random.pick(draw_weighted(groups_, random).families));
}

std::uint64_t NounPhrases::size() const {
  std::uint64_t count = 0;
  for (const Group& group : groups_)
    for (const Family& family : group.families) count += family.size();
  return count;
}

std::uint64_t NounPhrases::indefinite() const {
  const auto is_indefinite = [](const NounPhrase& phrase) {
    return phrase.determiner == Determiner::indefinite;
  };
  std::uint64_t count = 0;
  for (const Group& group : groups_)
    for (const Family& family : group.families) {
      count += static_cast<std::uint64_t>(std::count_if(family.begin(), family.end(), is_indefinite));
    }
  return count;
}

// An indefinite subject is not negated: "a cat doesn't sleep" leaves open whether any cat does.
Clause Frame::draw(Random& random) const {
  Clause clause = predicate;
  clause.subject = subjects.draw(random);
  clause.tense = random.below(2) == 0 ? Tense::present : Tense::past;
  clause.negated = clause.subject.determiner != Determiner::indefinite && random.below(5) < 2;
  if (objects) clause.object = objects->draw(random);
  const Phrase& phrase = draw_weighted(related, random);
  clause.relation = phrase.relation;
  if (phrase.relation != Relation::none) clause.related = phrase.phrases.draw(random);
  return clause;
}

std::uint64_t Frame::size() const {
  const std::uint64_t tenses = 2;
  const std::uint64_t subjects_and_polarities = 2 * subjects.size() - subjects.indefinite();
  std::uint64_t ends = 0;
  for (const Phrase& phrase : related) ends += phrase.relation == Relation::none ? 1 : phrase.phrases.size();
  return tenses * subjects_and_polarities * (objects ? objects->size() : 1) * ends;
}

Grammar::Grammar() {
  for (const Verb& verb : verbs()) frames_.push_back(verb_frame(verb));
  for (const Noun& noun : nouns()) {
    if ((noun.traits & traits::profession) == 0) continue;
    frames_.push_back(be_frame(2, subjects(traits::layman, specific, Adjectives::one)));
    frames_.back().predicate.profession = &noun;
  }
  for (const Adjective& adjective : adjectives()) {
    if (adjective.korean_present == nullptr) continue;
    const bool of_people =
        (adjective.applies_to & (traits::person | traits::adult | traits::profession)) != 0;
    frames_.push_back(be_frame(2, noun_phrases(adjective.applies_to, specific, Adjectives::none,
                                               of_people ? Role::subject : Role::thing_subject)));
    frames_.back().predicate.adjective = &adjective;
  }
  for (const Feeling& feeling : feelings()) {
    frames_.push_back(be_frame(2, subjects(traits::animate, specific, Adjectives::one)));
    frames_.back().predicate.feeling = &feeling;
  }
}

Clause Grammar::draw(Random& random) const { return draw_weighted(frames_, random).draw(random); }

std::uint64_t Grammar::size() const {
  return std::accumulate(frames_.begin(), frames_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Frame& frame) { return sum + frame.size(); });
}

}  // namespace regard::toys::sentences
