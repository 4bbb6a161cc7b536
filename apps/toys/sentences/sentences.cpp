#include "apps/toys/sentences/grammar.h"
#include "apps/toys/toy.h"

namespace regard::toys {
namespace {

/// English into French or Korean, half and half: one model learns both.
class Sentences : public Toy {
 public:
  ToyDescription description() const override {
    return {.name = "sentences",
            .summary =
                "English -> French and Korean: \">>fr<< I am a student\" -> \"je suis étudiant\"; "
                "\">>ko<< I am a student\" -> \"나는 학생 이다\"",
            .tokeniser = "word",
            .sizes = {20000, 500, 500},
            .has_alignments = true};
  }

  std::uint64_t distinct_sources() const override { return 2 * grammar_.size(); }

  // The first token names the language to translate into, as in Marian's multilingual models.
  SentencePair sample(Random& random) const override {
    const sentences::Clause clause = grammar_.sample(random);
    const bool is_french = random.below(2) == 0;
    Tokens source = {{is_french ? ">>fr<<" : ">>ko<<", sentences::parts::none}};
    append(source, english(clause));
    const Tokens target = is_french ? french(clause) : korean(clause);
    return {sentences::join(source), sentences::join(target), gold_alignment(source, target, LinkKind::sure)};
  }

  std::vector<SentencePair> always_in_training() const override { return sentences::fixed_pairs(); }

 private:
  sentences::Grammar grammar_;
};

}  // namespace

std::unique_ptr<Toy> make_sentences() { return std::make_unique<Sentences>(); }

}  // namespace regard::toys
