#include "apps/more_measures/chrf.h"

#include <optional>

#include "apps/translation/files/utf8.h"
#include "apps/translation/files/version.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

std::u32string characters(const std::string& sentence, const ChrfOptions& options) {
  std::u32string text = decode_utf8(sentence);
  if (options.lowercase) text = lowercase(text);
  std::erase_if(text, is_blank);
  return text;
}

ChrfCounts chrf_counts(std::u32string_view hypothesis, std::u32string_view reference) {
  ChrfCounts counts;
  for (std::size_t n = 1; n <= counts.matches.size(); ++n) {
    counts.reference[n - 1] = ngram_count(reference.size(), n);
    if (counts.reference[n - 1] == 0) break;
    counts.hypothesis[n - 1] = ngram_count(hypothesis.size(), n);
    counts.matches[n - 1] = ngram_matches(hypothesis, reference, n);
  }
  return counts;
}

}  // namespace

ChrfCounts& ChrfCounts::operator+=(const ChrfCounts& other) {
  for (std::size_t i = 0; i < matches.size(); ++i) {
    matches[i] += other.matches[i];
    hypothesis[i] += other.hypothesis[i];
    reference[i] += other.reference[i];
  }
  return *this;
}

std::vector<ChrfCounts> chrf_counts(const std::vector<std::string>& hypotheses,
                                    const std::vector<std::string>& references, const ChrfOptions& options) {
  return chrf_counts_of_several(hypotheses, {references}, options);
}

std::vector<ChrfCounts> chrf_counts_of_several(const std::vector<std::string>& hypotheses,
                                               const References& references, const ChrfOptions& options) {
  check_references(hypotheses, references, "chrF");
  std::vector<ChrfCounts> counts;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::u32string hypothesis = characters(hypotheses[i], options);
    std::optional<ChrfCounts> best;
    for (const std::vector<std::string>& lines : references) {
      const ChrfCounts its = chrf_counts(hypothesis, characters(lines[i], options));
      if (!best || chrf(its) > chrf(*best)) best = its;
    }
    counts.push_back(*best);
  }
  return counts;
}

double chrf(const ChrfCounts& counts) {
  constexpr double beta_squared = 4;
  double precision = 0, recall = 0, orders = 0;
  for (std::size_t i = 0; i < counts.matches.size(); ++i) {
    if (counts.hypothesis[i] == 0 || counts.reference[i] == 0) continue;
    const auto matches = static_cast<double>(counts.matches[i]);
    precision += matches / static_cast<double>(counts.hypothesis[i]);
    recall += matches / static_cast<double>(counts.reference[i]);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  // In sacreBLEU's order, so that the same reference is the best one where two are as good but for rounding.
  return 100 * ((1 + beta_squared) * precision * recall / (beta_squared * precision + recall));
}

double corpus_chrf(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                   const ChrfOptions& options) {
  ChrfCounts sum;
  for (const ChrfCounts& of_sentence : chrf_counts(hypotheses, references, options)) sum += of_sentence;
  return chrf(sum);
}

std::string signature(const ChrfOptions& options, std::size_t references) {
  return fmt::format("nrefs:{}|case:{}|eff:yes|nc:6|nw:0|space:no|version:regard-{}", references,
                     options.lowercase ? "lc" : "mixed", exact_version());
}

}  // namespace regard::translation
