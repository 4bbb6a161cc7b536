// data.case with models of SentencePiece.
#include "apps/capitals/case_marks.h"
#include "apps/subwords/subwords.h"
#include "tests/apps/capitals/random_text.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;

namespace {

/// A tokeniser with these rules and one with marks, learnt from the same lines.
struct Pair {
  std::unique_ptr<Tokeniser> without, with;

  explicit Pair(const SubwordSettings& settings) {
    std::vector<std::string> lines, forms;
    RandomText random(3);
    for (int i = 0; i < 3000; ++i) lines.push_back(random.line());
    const CaseMarks marks(CaseMarks::Words::between_blanks);
    for (const std::string& line : lines) forms.push_back(marks.to(line));
    const auto learn = [&](const std::vector<std::string>& from) {
      return std::make_unique<SubwordTokeniser>(learn_subwords({from}, settings).bytes, "learnt");
    };
    without = learn(lines);
    with = std::make_unique<FormedTokeniser>(learn(forms), std::make_unique<CaseMarks>(marks));
  }

  /// The number of lines that do not come back in the same way.
  int different() const {
    RandomText random(4);
    int count = 0;
    for (int i = 0; i < 5000; ++i) {
      const std::string line = random.line();
      const bool same = with->join(with->split(line)) == without->join(without->split(line));
      if (!same) UNSCOPED_INFO(line);
      count += !same;
    }
    return count;
  }
};

}  // namespace

TEST_CASE("with each normalisation, a text comes back with marks as it does without", "[capitals]") {
  for (const char* normalisation : {"nmt_nfkc", "nfkc", "none"})
    for (const bool keep_blanks : {false, true}) {
      CAPTURE(normalisation, keep_blanks);
      CHECK(Pair({.size = 8000,
                  .normalisation = normalisation,
                  .keep_blanks = keep_blanks,
                  .byte_fallback = true})
                .different() == 0);
    }
}

TEST_CASE("a mark is one piece, and words with and without capitals have the same pieces", "[capitals]") {
  std::vector<std::string> lines;
  const CaseMarks marks(CaseMarks::Words::between_blanks);
  for (const char* line : {"The house", "the HOUSE is old", "A house", "OLD the is", "Is the old a house ?"})
    for (int i = 0; i < 20; ++i) lines.push_back(marks.to(line));
  const SubwordSettings settings{.size = 40};
  FormedTokeniser tokeniser(std::make_unique<SubwordTokeniser>(learn_subwords({lines}, settings).bytes, "x"),
                            std::make_unique<CaseMarks>(marks));
  const std::vector<std::string> small = tokeniser.split("the house"),
                                 capitals = tokeniser.split("The HOUSE");
  REQUIRE(small.size() == 2);
  CHECK(capitals == std::vector<std::string>{"▁⇧", small[0], "▁⇪", small[1]});
  CHECK(tokeniser.cuts_words_alone());
}

TEST_CASE("subwords that were learnt from capitals are refused", "[capitals]") {
  const CaseMarks marks(CaseMarks::Words::between_blanks);
  TokenCounts counts;
  counts.add("▁The");
  CHECK_ERROR(marks.check_given(Vocabulary::from_counts(counts), "s.model"),
              "data.case \"tokens\": s.model has no piece with the mark ⇧");
  counts.add("▁⇧");
  marks.check_given(Vocabulary::from_counts(counts), "s.model");
}
