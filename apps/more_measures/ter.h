#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "autograd/machine/real.h"

// TER of translations, with sacreBLEU's numbers and signature.

namespace regard::translation {

/// The names and the defaults are sacreBLEU's.
struct TerOptions {
  bool normalized = false;      ///< separates punctuation, as Tercom does
  bool no_punct = false;        ///< leaves out . , ? : ; ! " ( )
  bool asian_support = false;   ///< with normalized: each Chinese character is a word; no_punct: more marks
  bool case_sensitive = false;  ///< false: compares in lower case
};

/// The counts of a sentence that TER needs. Those of a corpus are the sum over its sentences.
struct TerCounts {
  Index edits = 0;              ///< the fewest that turn the hypothesis into one of its references
  double reference_length = 0;  ///< in words, the mean over the references

  TerCounts& operator+=(const TerCounts& other);  ///< adds the counts of other sentences
};

/// The words that TER compares.
std::vector<std::string> words_for_ter(std::string_view sentence, const TerOptions& options);

/// The number of edits that turn a hypothesis into a reference: words that are inserted, deleted or replaced,
/// and shifts of several words that stand together (Snover et al. 2006, "A Study of Translation Edit Rate
/// with Targeted Human Annotation", section 3). As there, a greedy search finds the shifts: the shift that
/// saves most comes first, until none saves an edit. What makes the number definite is that of Tercom and
/// sacreBLEU: a shift moves at most 10 words, over at most 50; at most 1,000 shifts of a sentence are tried.
Index translation_edits(const std::vector<std::string>& hypothesis,
                        const std::vector<std::string>& reference);

/// Returns the counts of each sentence. Throws Error unless there are as many hypotheses as lines of each
/// reference, and for text that is not UTF-8.
std::vector<TerCounts> ter_counts(const std::vector<std::string>& hypotheses, const References& references,
                                  const TerOptions& options = {});

/// TER = 100 edits / reference_length of summed counts (Snover et al. 2006, equation 1); 0 is best. With no
/// word in the references it is 0 if there are no edits, otherwise 100.
double ter(const TerCounts& counts);

/// Returns the signature that should be reported with a score, in sacreBLEU's form. The version is regard's.
std::string signature(const TerOptions& options, std::size_t references);

}  // namespace regard::translation
