#include <memory>

#include "apps/toys/sentences/grammar.h"
#include "apps/toys/toy.h"

namespace regard::toys {
namespace {

// The first token names the language to translate into, as in Marian's multilingual models.
SentencePair translated(const sentences::Clause& clause, bool is_french) {
  Tokens source = {{is_french ? ">>fr<<" : ">>ko<<", sentences::parts::none}};
  append(source, english(clause));
  const Tokens target = is_french ? french(clause) : korean(clause);
  return {sentences::join(source), sentences::join(target), gold_alignment(source, target, LinkKind::sure)};
}

}  // namespace

// English into French or Korean, half and half: one model learns both.
Toy sentences_toy() {
  const auto grammar = std::make_shared<sentences::Grammar>();
  return {.name = "sentences",
          .summary =
              "English -> French and Korean: \">>fr<< I am a student\" -> \"je suis étudiant\"; "
              "\">>ko<< I am a student\" -> \"나는 학생 이다\"",
          .tokeniser = "word",
          .sizes = {20000, 500, 500},
          .distinct_sources = 2 * grammar->size(),
          .sample =
              [grammar](Random& random) {
                const sentences::Clause clause = grammar->sample(random);
                return translated(clause, random.below(2) == 0);
              },
          .has_alignments = true,
          .always_in_training = sentences::fixed_pairs()};
}

}  // namespace regard::toys
