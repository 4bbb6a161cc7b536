#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/toys/sentences/meaning.h"

namespace regard::tests {

inline std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Reads an English sentence of the toy grammar back into its meaning, so that tests can be written as
/// sentences. It uses only the lexicon and shares no rule with the renderer.
class EnglishReader {
 public:
  explicit EnglishReader(const std::string& sentence) : words_(words_of(sentence)) {}

  toys::sentences::Clause read() {
    read_phrase(clause_.subject);
    if (is_one_of(word(), {"am", "is", "are", "was", "were"})) {
      read_be();
    } else {
      read_verb();
    }
    if (position_ != words_.size()) throw std::runtime_error("cannot read \"" + word() + "\"");
    return clause_;
  }

 private:
  using Words = std::vector<std::string>;

  static bool is_one_of(const std::string& word, const Words& list) {
    return std::find(list.begin(), list.end(), word) != list.end();
  }

  std::string word() const { return position_ < words_.size() ? words_[position_] : ""; }

  bool take(const Words& list) {
    const bool found = is_one_of(word(), list);
    if (found) ++position_;
    return found;
  }

  void read_phrase(toys::sentences::NounPhrase& phrase) {
    using namespace toys::sentences;
    const Words pronouns = {"I", "he", "she", "we"};
    const auto pronoun = std::find(pronouns.begin(), pronouns.end(), word());
    if (pronoun != pronouns.end()) {
      phrase.pronoun = static_cast<Pronoun>(pronoun - pronouns.begin());
      ++position_;
      return;
    }
    phrase.determiner = take({"the"})                      ? Determiner::definite
                        : take({"this", "these"})          ? Determiner::demonstrative
                        : take({"a", "an", "some", "any"}) ? Determiner::indefinite
                        : take({"my"})                     ? Determiner::my
                        : take({"his"})                    ? Determiner::his
                        : take({"her"})                    ? Determiner::her
                        : take({"our"})                    ? Determiner::our
                                                           : Determiner::generic;
    Words before;
    while (phrase.noun == nullptr) {
      if (position_ == words_.size()) throw std::runtime_error("no noun");
      for (const Noun& noun : nouns()) {
        const bool plural = word() == noun.english[1];
        if (!plural && word() != noun.english[0]) continue;
        phrase.noun = &noun;
        phrase.number = plural ? Number::plural : Number::singular;
      }
      if (phrase.noun == nullptr) before.push_back(word());
      ++position_;
    }
    if (!before.empty()) phrase.adjective = adjective_for(before.at(0), *phrase.noun);
    if (before.size() > 1) phrase.colour = adjective_for(before.at(1), *phrase.noun);
  }

  static const toys::sentences::Adjective* adjective_for(const std::string& word,
                                                         const toys::sentences::Noun& noun) {
    for (const auto& adjective : toys::sentences::adjectives()) {
      if (word == adjective.english[0] && noun.is(adjective.applies_to)) return &adjective;
    }
    throw std::runtime_error("no adjective \"" + word + "\" for " + noun.english[0]);
  }

  void read_be() {
    using namespace toys::sentences;
    clause_.tense = take({"was", "were"}) ? Tense::past : Tense::present;
    take({"am", "is", "are"});
    clause_.negated = take({"not"});
    take({"a", "an"});
    for (const Noun& noun : nouns())
      if (word() == noun.english[0] || word() == noun.english[1]) clause_.profession = &noun;
    for (const Feeling& feeling : feelings())
      if (word() == feeling.english[0]) clause_.feeling = &feeling;
    for (const Adjective& adjective : adjectives()) {
      const bool fits = clause_.subject.noun == nullptr || clause_.subject.noun->is(adjective.applies_to);
      if (word() == adjective.english[0] && fits) clause_.adjective = &adjective;
    }
    ++position_;
  }

  void read_verb() {
    using namespace toys::sentences;
    const bool did = word() == "didn't";
    clause_.negated = take({"don't", "doesn't", "didn't"});
    for (const Verb& verb : verbs()) {
      if (!is_one_of(word(), {verb.english[0], verb.english[1], verb.english[2]})) continue;
      clause_.verb = &verb;
      clause_.tense = did || word() == verb.english[2] ? Tense::past : Tense::present;
    }
    if (clause_.verb == nullptr) throw std::runtime_error("no verb \"" + word() + "\"");
    ++position_;
    take({"for"});
    if (!word().empty() && !is_one_of(word(), {"in", "at", "to", "from", "with"})) {
      clause_.object.emplace();
      read_phrase(*clause_.object);
    }
    if (word().empty()) return;
    const Relation complement = clause_.verb->usage.complement;
    clause_.relation = take({"in"})                                   ? Relation::place
                       : take({"from"})                               ? Relation::origin
                       : take({"with"})                               ? Relation::companion
                       : take({"to"})                                 ? complement
                       : take({"at"}) && complement == Relation::goal ? Relation::goal
                                                                      : Relation::place;
    read_phrase(clause_.related);
  }

  Words words_;
  std::size_t position_ = 0;
  toys::sentences::Clause clause_;
};

inline toys::sentences::Clause read_english(const std::string& sentence) {
  return EnglishReader(sentence).read();
}

}  // namespace regard::tests
