#include "apps/more_measures/chrf.h"

#include "apps/translation/files/utf8.h"
#include "apps/translation/files/version.h"
#include "apps/translation/metrics/bleu.h"
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
  if (hypotheses.size() != references.size())
    fail("chrF: {} hypotheses, but {} references", hypotheses.size(), references.size());
  std::vector<ChrfCounts> counts;
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    counts.push_back(chrf_counts(characters(hypotheses[i], options), characters(references[i], options)));
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
  return 100 * (1 + beta_squared) * precision * recall / (beta_squared * precision + recall);
}

double corpus_chrf(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                   const ChrfOptions& options) {
  ChrfCounts sum;
  for (const ChrfCounts& of_sentence : chrf_counts(hypotheses, references, options)) sum += of_sentence;
  return chrf(sum);
}

std::string signature(const ChrfOptions& options) {
  return fmt::format("nrefs:1|case:{}|eff:yes|nc:6|nw:0|space:no|version:regard-{}",
                     options.lowercase ? "lc" : "mixed", exact_version());
}

}  // namespace regard::translation
