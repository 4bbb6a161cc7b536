#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "autograd/machine/real.h"

// BLEU of translations, with sacreBLEU's numbers and signature.

namespace regard::translation {

/// How BLEU cuts sentences into words: sacreBLEU's 13a, none, intl, char and zh (bleu_tokenisers.h).
enum class BleuTokeniser { mteval_13a, none, intl, character, chinese };

struct BleuOptions {
  BleuTokeniser tokeniser = BleuTokeniser::mteval_13a;
  bool lowercase = false;  ///< compares both texts in lower case
  /// The tokeniser of sacreBLEU that has cut both texts before, for the signature; "" for none.
  std::string cut_by = {};
};

/// One or several correct translations: references[k][i] is number k of sentence i.
using References = std::vector<std::vector<std::string>>;

/// Throws Error unless there is a reference, and each has as many lines as the hypotheses. `measure` is for
/// the message.
void check_references(const std::vector<std::string>& hypotheses, const References& references,
                      const char* measure);

/// The counts of a sentence that BLEU needs. The counts of a corpus are the sum over its sentences, so parts
/// and samples of a corpus need no new counting. Entry n - 1 of an array counts n-grams.
struct BleuCounts {
  /// In words. Of several references, the one whose length is closest to the hypothesis' counts (of two, the
  /// shorter one).
  Index hypothesis_length = 0, reference_length = 0;
  std::array<Index, 4> matches{};  ///< n-grams of the hypothesis that are in the reference
  std::array<Index, 4> totals{};   ///< all n-grams of the hypothesis

  BleuCounts& operator+=(const BleuCounts& other);  ///< adds the counts of other sentences
};

/// Returns the counts of each sentence. Throws Error unless there are as many hypotheses as references, and
/// for text that is not UTF-8.
std::vector<BleuCounts> bleu_counts(const std::vector<std::string>& hypotheses,
                                    const std::vector<std::string>& references,
                                    const BleuOptions& options = {});

/// The same with several references. An n-gram counts at most as often as in the reference that has it most
/// often (Papineni et al. 2002, section 2.1).
std::vector<BleuCounts> bleu_counts_of_several(const std::vector<std::string>& hypotheses,
                                               const References& references, const BleuOptions& options = {});

struct Bleu {
  double score = 0;                                   ///< 0..100
  std::array<double, 4> precisions{};                 ///< of 1-grams to 4-grams, in percent
  double brevity_penalty = 0;                         ///< 0..1
  Index hypothesis_length = 0, reference_length = 0;  ///< in words
};

/// BLEU (Papineni et al. 2002, section 2.3) of summed counts, with c words in the hypotheses and r in the
/// references:
///
///   BLEU = BP exp(1/4 sum_{n=1..4} log p_n),   BP = min(1, e^(1 - r/c)),   p_n = matches_n / totals_n
///
/// A p_n without a match is 1 / (2^k totals_n) instead of 0 if it is the k-th of them (mteval's smoothing,
/// method 3 of Chen and Cherry 2014, "exp" in sacreBLEU). BLEU is 0 if no n-gram matches or if there are no
/// 4-grams.
Bleu bleu(const BleuCounts& counts);

/// BLEU of translations with one reference each: the sentences' counts are summed first.
Bleu corpus_bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                 const BleuOptions& options = {});

/// Returns the signature that should be reported with a score, so that others can compare their scores (Post
/// 2018). It has sacreBLEU's form: nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:regard-0.1.0-3fd5b08.
/// The version is regard's.
std::string signature(const BleuOptions& options, std::size_t references = 1);

// A sentence is a sequence of symbols: its characters, or one number per word. An n-gram is a sequence of n
// neighbouring symbols.

/// Gives words numbers, the same number for the same word.
class Numbering {
 public:
  std::u32string numbers(const std::vector<std::string>& words);

 private:
  std::unordered_map<std::string, char32_t> numbers_;
};

/// Returns the number of n-grams in a sentence of `length` symbols. An n-gram that occurs twice counts twice.
Index ngram_count(std::size_t length, std::size_t n);

/// Returns the number of n-grams of a hypothesis that are in its reference. An n-gram counts at most as often
/// as it occurs in the reference, so "the the the" matches "the cat" once (the clipped counts of Papineni et
/// al. 2002, section 2.1).
Index ngram_matches(std::u32string_view hypothesis, std::u32string_view reference, std::size_t n);

}  // namespace regard::translation
