#include <vector>

#include "apps/toys/sentences/grammar.h"
#include "apps/toys/toy.h"
#include "autograd/machine/error.h"

namespace regard::toys {
namespace {

using sentences::Clause;

// The first token names the language to translate into, as in Marian's multilingual models.
SentencePair translated(const std::vector<Clause>& clauses, bool is_french) {
  Tokens source = {{is_french ? ">>fr<<" : ">>ko<<", sentences::parts::none}};
  const auto joined = [&](Tokens (*in_language)(const Clause&), const char* conjunction) {
    std::vector<std::string> conjunctions(clauses.size(), conjunction);
    conjunctions.front().clear();
    return sentences::joined(clauses, in_language, conjunctions);
  };
  append(source, joined(sentences::english, "and"));
  const Tokens target = is_french ? joined(sentences::french, "et") : joined(sentences::korean, "그리고");
  return {sentences::join(source), sentences::join(target), gold_alignment(source, target, LinkKind::sure)};
}

/// "this famous poet doesn't wait for his old black cat at the market"
constexpr std::size_t longest_clause = 13;

/// The grammar is made when the first sentence is drawn: every command knows the toys, and few draw from
/// them.
const sentences::Grammar& grammar() {
  static const sentences::Grammar grammar;
  return grammar;
}

/// Returns one clause, and more as long as the sentence is not longer than a random length. All lengths
/// occur: a length from 1 to `max_words` is chosen first.
std::vector<Clause> random_clauses(SplitMix64& random, std::size_t max_words) {
  const std::size_t wanted = 1 + random.below(max_words);
  std::vector<Clause> clauses;
  std::size_t words = 0;
  while (true) {
    const Clause clause = grammar().sample(random);
    words += english(clause).size() + (clauses.empty() ? 0 : 1);
    if (!clauses.empty() && words > wanted) return clauses;
    clauses.push_back(clause);
  }
}

}  // namespace

// English into French or Korean, half and half: one model learns both.
Toy sentences_toy() {
  return {.name = "sentences",
          .summary =
              "English -> French and Korean: \">>fr<< I am a student\" -> \"je suis étudiant\"; "
              "\">>ko<< I am a student\" -> \"나는 학생 이다\"",
          .tokeniser = "word",
          .sizes = {20000, 500, 500},
          .distinct_sources = countless,
          .sample =
              [](SplitMix64& random) {
                const Clause clause = grammar().sample(random);
                return translated({clause}, random.below(2) == 0);
              },
          .has_alignments = true,
          .always_in_training = sentences::fixed_pairs()};
}

// Joined clauses can be parted again, because no clause has an "and". So the source still decides the target.
Toy long_sentences(std::int64_t max_words) {
  if (max_words < static_cast<std::int64_t>(longest_clause) || max_words > 1000)
    fail("--max-words {}: give a number from {}, the words of the longest clause, to 1000", max_words,
         longest_clause);
  Toy toy = sentences_toy();
  toy.sample = [words = static_cast<std::size_t>(max_words)](SplitMix64& random) {
    const std::vector<Clause> clauses = random_clauses(random, words);
    return translated(clauses, random.below(2) == 0);
  };
  return toy;
}

}  // namespace regard::toys
