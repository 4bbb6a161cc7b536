#pragma once

#include <optional>

#include "apps/translation/corpus/alignments.h"
#include "autograd/real.h"

namespace regard::translation {

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
