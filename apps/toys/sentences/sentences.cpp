#include "apps/toys/sentences/grammar.h"
#include "apps/toys/sentences/lexicon.h"
#include "apps/toys/toy.h"

namespace regard::toys {
namespace {

/// English into French or Korean, half and half: one model learns both.
class Sentences : public Toy {
 public:
  ToyDescription description() const override {
    return {"sentences",
            "English -> French and Korean: \">>fr<< I am a student\" -> \"je suis étudiant\"; "
            "\">>ko<< I am a student\" -> \"나는 학생 이다\"",
            "word",
            {20000, 500, 500}};
  }

  std::uint64_t distinct_sources() const override { return 2 * grammar_.size(); }

  SentencePair draw(Random& random) const override {
    const sentences::Clause clause = grammar_.draw(random);
    const std::string source = english(clause);
    if (random.below(2) == 0) return {sentences::to_french + source, french(clause)};
    return {sentences::to_korean + source, korean(clause)};
  }

  std::vector<SentencePair> always_in_training() const override { return sentences::fixed_pairs(); }

 private:
  sentences::Grammar grammar_;
};

}  // namespace

std::unique_ptr<Toy> make_sentences() { return std::make_unique<Sentences>(); }

}  // namespace regard::toys
