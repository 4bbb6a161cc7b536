#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/inspection/shifts.h"
#include "apps/translation/corpus/corpus.h"
#include "autograd/machine/real.h"

namespace regard::translation {

struct PairFacts;  // inspection.cpp

/// What can be wrong with a pair of a corpus.
struct Finding {
  const char* name;     ///< for options, such as "duplicates"
  const char* meaning;  ///< a clause about the pair, with the places {words}, {ratio}, {median}, {identical}
  bool (*found)(const PairFacts& pair);  ///< true if a pair has it
  /// What a side should be; nothing if it is right. Null if nobody knows.
  std::optional<std::string> (*repair)(std::string_view side) = nullptr;
};
/// All findings. Finding i is bit i in CorpusReport::findings.
extern const std::vector<Finding> findings;

/// Returns the place in `findings` of the one with this name; the number of findings if there is none.
std::size_t finding_named(std::string_view name);

struct InspectionSettings {
  Index most_words = 100;                      ///< a side with more words has the finding `long`
  double ratio = 3;                            ///< the factor of the finding `ratio`
  Index identical_words = 4;                   ///< the fewest words of a side for the finding `identical`
  std::vector<std::string> placeholders = {};  ///< patterns beside regard's own (terms/fixed_parts.h)
};

struct SideReport {
  Index words = 0, median_words = 0, most_words = 0;
  Index words_95 = 0;      ///< 95 % of the lines have at most as many
  std::size_t script = 0;  ///< that of most lines (line_facts.h)
  /// For each script: at least a fifth of the lines with letters have it.
  std::vector<bool> usual_scripts = {};
};

struct CorpusReport {
  Index pairs = 0;
  SideReport source, target;
  double ratio = 1;                     ///< the median of (target characters + 10) / (source characters + 10)
  std::vector<std::uint32_t> findings;  ///< for each pair, a bit for each finding
  std::vector<Index> counts;            ///< for each finding, the number of pairs that have it
  std::vector<Shift> shifts;
  Index validation_pairs = 0;  ///< all, and those of which a side is in the corpus
  Index validation_overlap = 0;

  bool has(std::size_t pair, std::size_t finding) const { return findings[pair] >> finding & 1; }
};

/// Looks at all pairs, in parallel. The report does not depend on the number of threads. Both sides have the
/// same number of lines, which need not be UTF-8. A pair with a line that is not UTF-8 has no other finding.
/// `validation` may be empty. Throws Error for a wrong pattern.
CorpusReport inspect(const ParallelText& corpus, const ParallelText& validation = {},
                     const InspectionSettings& settings = {});

}  // namespace regard::translation
