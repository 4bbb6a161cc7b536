#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/corpus/alignments.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// A gold alignment (Och and Ney 2003, section 4.1): S, the links that are sure, and P, the links that are
/// possible. S is a subset of P. Both are sorted and contain no link twice.
struct GoldAlignment {
  Alignment sure, possible;
};

/// Reads a line of a gold file: sure links "i-j" and possible links "i?j" or "ipj" between blanks; none for
/// an empty line. Throws Error, with the name of the line, for a text that is no link.
GoldAlignment parse_gold(std::string_view text, const std::string& name);

/// Reads a gold file, one sentence pair per line; it may be compressed with gzip. Throws Error that names the
/// file, and the line if a text in it is no link.
std::vector<GoldAlignment> read_gold(const std::string& path);

/// Throws Error, with the name of the line, for a link that is beyond one of the sentences.
void check_positions(const GoldAlignment& gold, Index source_tokens, Index target_tokens,
                     const std::string& name);

/// The numbers of links from which the alignment error rate is computed. Those of a corpus are the sums over
/// its sentence pairs.
struct AlignmentCounts {
  Index links = 0;              ///< |A|, the links to evaluate
  Index sure = 0;               ///< |S|
  Index links_in_sure = 0;      ///< |A ∩ S|
  Index links_in_possible = 0;  ///< |A ∩ P|

  AlignmentCounts& operator+=(const AlignmentCounts& other);
};

/// Compares the alignment A of a sentence pair with its gold alignment. A must not contain a link twice.
AlignmentCounts alignment_counts(const Alignment& alignment, const GoldAlignment& gold);

/// The quality of alignments (Och and Ney 2003, section 4.1):
///
///   AER       = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)
///   precision = |A ∩ P| / |A|
///   recall    = |A ∩ S| / |S|
///
/// A fraction whose divisor is 0 has no value. The AER is 0 if A has all sure links and otherwise only
/// possible links. Without sure links it is 1 - precision.
struct AlignmentQuality {
  std::optional<double> error_rate, precision, recall;
};
AlignmentQuality alignment_quality(const AlignmentCounts& counts);

}  // namespace regard::translation
