#pragma once

#include <array>
#include <string>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "autograd/machine/real.h"

namespace regard::translation {

struct ChrfOptions {
  bool lowercase = false;  ///< compares both texts in lower case
  bool words = false;      ///< chrF++: counts 1- and 2-grams of words, too
};

/// The counts of a sentence that chrF needs. The counts of a corpus are the sum over its sentences. Entries
/// 0 to 5 of an array count 1- to 6-grams of characters, without blanks. The last two count 1- and 2-grams of
/// words; they are 0 for chrF.
struct ChrfCounts {
  std::array<Index, 8> matches{};     ///< n-grams of the hypothesis that are in the reference
  std::array<Index, 8> hypothesis{};  ///< n-grams of the hypothesis; 0 if the reference is shorter than n
  std::array<Index, 8> reference{};   ///< n-grams of the reference

  ChrfCounts& operator+=(const ChrfCounts& other);
};

/// Returns the counts of each sentence. With several references, they are those with the reference for which
/// the sentence has the highest chrF (of several, the first one). Throws Error unless each reference has as
/// many lines as there are hypotheses, and for text that is not UTF-8.
std::vector<ChrfCounts> chrf_counts(const std::vector<std::string>& hypotheses, const References& references,
                                    const ChrfOptions& options = {});

/// chrF2 (Popović 2015, equation 1, with beta = 2) or chrF2++ (Popović 2017) of summed counts, 0..100:
///
///   chrF = (1 + beta^2) P R / (beta^2 P + R)
///
/// P is the mean over n of matches_n / hypothesis_n, and R is the mean over n of matches_n / reference_n. The
/// means use every entry of the counts for which both texts have n-grams (eff:yes in sacreBLEU).
double chrf(const ChrfCounts& counts);

/// Returns the signature that should be reported with a score, in sacreBLEU's form. The version is regard's.
std::string signature(const ChrfOptions& options, std::size_t references = 1);

}  // namespace regard::translation
