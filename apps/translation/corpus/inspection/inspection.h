#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/corpus/inspection/shifts.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// What can be wrong with a pair of a corpus. Each is a bit in CorpusReport::findings.
enum class Finding : unsigned {
  not_utf8,
  tabs,
  empty,
  long_line,
  duplicates,
  repeated_sources,
  identical,
  ratio,
  placeholders,
  markup,
  numbers,
  script,
  language,
  control,
  overlap,
  shift,
  count
};
inline constexpr std::size_t finding_count = static_cast<std::size_t>(Finding::count);

struct FindingName {
  const char* name;     ///< for options, such as "duplicates"
  const char* meaning;  ///< a clause about the pair
};
/// The names, in the order of Finding.
extern const std::array<FindingName, finding_count> finding_names;

struct InspectionSettings {
  Index most_words = 100;                      ///< a side with more words is a long_line
  double ratio = 3;                            ///< the factor of Finding::ratio
  std::vector<std::string> placeholders = {};  ///< patterns beside regard's own (text/fixed_parts.h)
};

/// The lines of both sides. They need not be UTF-8.
struct CorpusLines {
  std::span<const std::string_view> source, target;
};

struct SideReport {
  Index words = 0, median_words = 0, most_words = 0;
  Index words_95 = 0;      ///< 95 % of the lines have at most as many
  std::size_t script = 0;  ///< that of most lines (scripts.h)
  std::vector<bool> usual_scripts =
      {};  ///< for each script: at least a fifth of the lines with letters have it
};

struct CorpusReport {
  Index pairs = 0;
  SideReport source, target;
  double ratio = 1;                     ///< the median of (target characters + 10) / (source characters + 10)
  std::vector<std::uint32_t> findings;  ///< for each pair, a bit for each Finding
  std::array<Index, finding_count> counts{};
  std::vector<Shift> shifts;
  Index validation_pairs = 0;  ///< all, and those of which a side is in the corpus
  Index validation_overlap = 0;

  bool has(std::size_t pair, Finding finding) const { return has(pair, static_cast<std::size_t>(finding)); }
  bool has(std::size_t pair, std::size_t finding) const { return findings[pair] >> finding & 1; }
};

/// Looks at all pairs once, in parallel. The report does not depend on the number of threads. Both sides have
/// the same number of lines. A line that is not UTF-8 has no other finding. `validation` may be empty. Throws
/// Error for a wrong pattern.
CorpusReport inspect(const CorpusLines& corpus, const CorpusLines& validation = {},
                     const InspectionSettings& settings = {});

}  // namespace regard::translation
