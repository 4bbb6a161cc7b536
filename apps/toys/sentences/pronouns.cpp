#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "apps/toys/sentences/grammar.h"
#include "apps/toys/sentences/meaning.h"
#include "apps/toys/toy.h"

// "the poet didn't sell my big clock and we danced because it was heavy": a person, a thing, and a pronoun
// for one of them. In French, "it" is il or elle, as the thing is masculine or feminine.

namespace regard::toys::sentences { namespace {

/// Masculine nouns, and feminine ones. A gender is drawn before a noun, so that both come equally often.
using ByGender = std::array<std::vector<const Noun*>, 2>;

bool has_both(const ByGender& nouns) { return !nouns[0].empty() && !nouns[1].empty(); }

/// The things that have one trait of each of the two sets.
ByGender things(unsigned one, unsigned other) {
  ByGender found;
  for (const Noun& noun : nouns())
    if (noun.is(traits::thing) && noun.is(one) && noun.is(other))
      found[static_cast<std::size_t>(noun.gender)].push_back(&noun);
  return found;
}

/// What is said of the thing, and of "it". Wherever it can be said of a thing, it can be said of masculine
/// and of feminine ones. So the noun alone tells its gender, and no other word of the sentence helps to guess
/// it.
struct Scene {
  const Verb* verb = nullptr;            ///< "the poet sold the clock", "I gave the clock to the poet"
  const Adjective* adjective = nullptr;  ///< without a verb: "the clock was big and the poet danced"
  const Adjective* predicate = nullptr;  ///< "it was heavy"
  ByGender things = {};
};

constexpr std::array<Determiner, 4> pronoun_determiners = {Determiner::definite, Determiner::demonstrative,
                                                           Determiner::my, Determiner::our};

std::vector<Determiner> determiners_of(const Noun& noun) {
  std::vector<Determiner> found;
  for (const Determiner determiner : pronoun_determiners)
    if (fits(noun, determiner, Number::singular)) found.push_back(determiner);
  return found;
}

/// True for adjectives that every thing can have. Only these stand before the noun: others would tell what
/// kind of noun follows.
bool is_of_all_things(const Adjective& adjective) { return (adjective.applies_to & traits::thing) != 0; }

/// The adjectives that may stand before a noun. Those of all persons are said of "he" and "she".
std::vector<const Adjective*> adjectives_before(const Noun& noun) {
  std::vector<const Adjective*> found;
  for (const Adjective& adjective : adjectives()) {
    const bool allowed =
        noun.is(traits::thing) ? is_of_all_things(adjective) : adjective.applies_to != traits::person;
    if (allowed && noun.is(adjective.applies_to)) found.push_back(&adjective);
  }
  return found;
}

/// The noun with a determiner and, half of the time, an adjective.
NounPhrase random_phrase(const Noun& noun, SplitMix64& random) {
  NounPhrase phrase{.noun = &noun, .determiner = random.pick(determiners_of(noun))};
  if (random.below(2) == 0) phrase.adjective = random.pick(adjectives_before(noun));
  return phrase;
}

bool is_intransitive(const Verb& verb) {
  return verb.usage.objects == 0 && verb.usage.complement == Relation::none;
}

template <class Condition>
std::size_t position(const Tokens& words, const Condition& condition) {
  return static_cast<std::size_t>(std::ranges::find_if(words, condition) - words.begin());
}

/// The clauses in both languages. The alignment ends with a possible link from the antecedent to the pronoun
/// that is the subject of clause `about`.
SentencePair translated_with_link(const std::vector<Clause>& clauses, const std::vector<std::string>& links,
                                  std::size_t about) {
  std::vector<std::string> french_links;  // "because" stands before il and elle alone
  for (const std::string& link : links)
    french_links.push_back(link == "and" ? "et" : link == "because" ? "parce qu'" : "");
  const Tokens source = joined(clauses, english, links), target = joined(clauses, french, french_links);
  const std::string& noun = clauses[about].subject.antecedent->english[0];
  const std::size_t antecedent = position(source, [&](const Token& word) { return word.text == noun; });
  const std::size_t pronoun = position(target, [&](const Token& word) {
    return word.clause == about && word.parts == in_slot(Slot::subject, parts::noun);
  });
  return {join(source), join(target),
          fmt::format("{} {}?{}", gold_alignment(source, target, LinkKind::sure), antecedent, pronoun)};
}

class PronounGrammar {
 public:
  PronounGrammar();
  SentencePair sample(SplitMix64& random) const;

 private:
  Clause short_clause(const NounPhrase& subject, Tense tense, SplitMix64& random) const;
  std::vector<Clause> scene_clauses(const Scene& scene, const NounPhrase& thing, const NounPhrase& person,
                                    Tense tense, SplitMix64& random) const;

  std::vector<Scene> transitive_, giving_, described_;
  ByGender people_;
  std::vector<const Verb*> intransitive_;
  std::vector<Clause> states_;  ///< of a person: "was happy", "was hungry"
};

PronounGrammar::PronounGrammar() {
  std::vector<const Adjective*> predicates;
  for (const Adjective& adjective : adjectives()) {
    if (adjective.korean[0].empty()) continue;  // only ever before a noun
    if (adjective.applies_to == traits::person) states_.push_back({.adjective = &adjective});
    if (has_both(things(adjective.applies_to, traits::thing)) && !is_of_all_things(adjective))
      predicates.push_back(&adjective);
  }
  for (const Feeling& feeling : feelings()) states_.push_back({.feeling = &feeling});
  const auto add_scene = [](std::vector<Scene>& scenes, unsigned traits, Scene scene) {
    scene.things = things(traits, scene.predicate->applies_to);
    if (has_both(scene.things)) scenes.push_back(std::move(scene));
  };
  for (const Adjective* const predicate : predicates) {
    for (const Verb& verb : verbs()) {
      if (verb.usage.complement == Relation::none && (verb.usage.determiners & determiners::definite) != 0)
        add_scene(transitive_, verb.usage.objects, {.verb = &verb, .predicate = predicate});
      if (verb.usage.complement == Relation::recipient)
        add_scene(giving_, verb.usage.objects, {.verb = &verb, .predicate = predicate});
    }
    for (const Adjective* const other : predicates)
      if (other != predicate)
        add_scene(described_, other->applies_to, {.adjective = other, .predicate = predicate});
  }
  for (const Noun& noun : nouns())
    if (noun.is(traits::person) && !noun.is(traits::collective))
      people_[static_cast<std::size_t>(noun.gender)].push_back(&noun);
  for (const Verb& verb : verbs())
    if (is_intransitive(verb)) intransitive_.push_back(&verb);
}

bool often_not(SplitMix64& random) { return random.below(4) == 0; }

NounPhrase i_or_we(SplitMix64& random) {
  return {.pronoun = random.below(2) == 0 ? Pronoun::i : Pronoun::we};
}

Clause PronounGrammar::short_clause(const NounPhrase& subject, Tense tense, SplitMix64& random) const {
  return {
      .subject = subject, .tense = tense, .negated = often_not(random), .verb = random.pick(intransitive_)};
}

std::vector<Clause> PronounGrammar::scene_clauses(const Scene& scene, const NounPhrase& thing,
                                                  const NounPhrase& person, Tense tense,
                                                  SplitMix64& random) const {
  Clause clause{
      .tense = tense, .negated = often_not(random), .verb = scene.verb, .adjective = scene.adjective};
  if (scene.verb == nullptr) {
    clause.subject = thing;
    return {clause, short_clause(person, tense, random)};
  }
  clause.object = thing;
  if (scene.verb->usage.complement == Relation::none) {
    clause.subject = person;
  } else {
    clause.subject = i_or_we(random);
    clause.relation = Relation::recipient;
    clause.related = person;
  }
  return {clause};
}

/// The person comes first in half of the sentences. The clause with the pronoun is the last one, or the first
/// one; between it and the scene stand up to two clauses without a noun.
SentencePair PronounGrammar::sample(SplitMix64& random) const {
  const std::array<const std::vector<Scene>*, 4> scenes = {&transitive_, &transitive_, &giving_, &described_};
  const Scene& scene = random.pick(*scenes[random.below(4)]);
  const NounPhrase thing = random_phrase(*random.pick(scene.things[random.below(2)]), random),
                   person = random_phrase(*random.pick(people_[random.below(2)]), random);
  const Tense tense = random.below(2) == 0 ? Tense::present : Tense::past;
  std::vector<Clause> clauses = scene_clauses(scene, thing, person, tense, random);

  const bool of_thing = random.below(3) < 2;
  Clause about = of_thing ? Clause{.adjective = scene.predicate} : random.pick(states_);
  about.subject = {.pronoun = of_thing            ? Pronoun::it
                              : person.feminine() ? Pronoun::she
                                                  : Pronoun::he,
                   .antecedent = of_thing ? thing.noun : person.noun};
  about.tense = tense;
  about.negated = often_not(random);

  const std::uint64_t place = random.below(3);  // "because" first, "because" last, "and" last
  const bool first = place == 0;
  for (std::uint64_t more = random.below(3); more > 0; --more)
    clauses.insert(first ? clauses.begin() : clauses.end(), short_clause(i_or_we(random), tense, random));
  clauses.insert(first ? clauses.begin() : clauses.end(), about);
  std::vector<std::string> links(clauses.size(), "and");
  links.front() = first ? "because" : "";
  if (first) links[1] = "";
  if (place == 1) links.back() = "because";

  return translated_with_link(clauses, links, first ? 0 : clauses.size() - 1);
}

}  // namespace
}  // namespace regard::toys::sentences

namespace regard::toys {

Toy pronouns_toy() {
  const auto grammar = std::make_shared<sentences::PronounGrammar>();
  return {
      .name = "pronouns",
      .summary =
          "English -> French, with \"it\" as il or elle: \"the poet sold the clock because it was heavy\" "
          "-> \"… parce qu' elle était lourde\"",
      .tokeniser = "word",
      .sizes = {20000, 500, 500},
      .distinct_sources = countless,
      .sample = [grammar](SplitMix64& random) { return grammar->sample(random); },
      .has_alignments = true};
}

PronounLink pronoun_link(const SentencePair& pair) {
  PronounLink link{};
  std::istringstream links(pair.alignment);
  char kind{};
  std::vector<std::pair<std::size_t, std::size_t>> sure;
  for (std::size_t source{}, target{}; links >> source >> kind >> target;) {
    if (kind == static_cast<char>(LinkKind::possible))
      link = {.pronoun = 0, .antecedent = source, .translation = target};
    else
      sure.emplace_back(source, target);
  }
  for (const auto& [source, target] : sure)
    if (target == link.translation) link.pronoun = source;
  return link;
}

}  // namespace regard::toys
