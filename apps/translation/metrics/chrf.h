#pragma once

#include <array>
#include <string>
#include <vector>

#include "autograd/index.h"

namespace regard::translation {

struct ChrfOptions {
  bool lowercase = false;  ///< compares both texts in lower case
};

/// All that chrF needs to know of a sentence. That of a corpus is the sum over its sentences. [n - 1] is
/// about the n-grams of characters, blanks left out.
struct ChrfCounts {
  std::array<Index, 6> matches{};     ///< in both
  std::array<Index, 6> hypothesis{};  ///< of the hypothesis; 0 where the reference is too short for any
  std::array<Index, 6> reference{};   ///< of the reference

  ChrfCounts& operator+=(const ChrfCounts& other);
};

/// The counts of each sentence. Throws Error unless there are as many hypotheses as references, and for text
/// that is not UTF-8.
std::vector<ChrfCounts> chrf_counts(const std::vector<std::string>& hypotheses,
                                    const std::vector<std::string>& references,
                                    const ChrfOptions& options = {});

/// chrF2 (Popović 2015, equation 1, with beta = 2) of summed counts, 0..100:
///
///   chrF = (1 + beta^2) P R / (beta^2 P + R)
///
/// P is the mean over n of matches_n / hypothesis_n and R that of matches_n / reference_n, for those n from 1
/// to 6 of which both texts have n-grams (eff:yes in sacreBLEU).
double chrf(const ChrfCounts& counts);

/// What has to be said with a score, in sacreBLEU's words. The version is regard's.
std::string signature(const ChrfOptions& options);

}  // namespace regard::translation
