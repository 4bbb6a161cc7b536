#include "apps/translation/metrics/bleu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "apps/translation/files/version.h"
#include "apps/translation/metrics/bleu_tokenisers.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

using Ngrams = std::vector<std::u32string_view>;

/// Returns the n-grams of a sentence in sorted order, so that equal n-grams are neighbours.
Ngrams sorted_ngrams(std::u32string_view symbols, std::size_t n) {
  Ngrams ngrams;
  for (std::size_t begin = 0; begin + n <= symbols.size(); ++begin)
    ngrams.push_back(symbols.substr(begin, n));
  std::sort(ngrams.begin(), ngrams.end());
  return ngrams;
}

// If an n-gram occurs k times in one and m times in the other, the intersection contains it min(k, m) times,
// and the union max(k, m) times.
Index common(const Ngrams& one, const Ngrams& other) {
  Ngrams both;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(both));
  return to_index(both.size());
}

BleuCounts count(std::u32string_view hypothesis, const std::vector<std::u32string>& references) {
  BleuCounts counts{.hypothesis_length = to_index(hypothesis.size())};
  const auto distance = [&](const std::u32string& reference) {
    const Index difference = to_index(reference.size()) - to_index(hypothesis.size());
    return std::pair(std::abs(difference), reference.size());
  };
  const auto nearest = std::min_element(references.begin(), references.end(),
                                        [&](const std::u32string& one, const std::u32string& other) {
                                          return distance(one) < distance(other);
                                        });
  counts.reference_length = to_index(nearest->size());
  for (std::size_t n = 1; n <= counts.totals.size(); ++n) {
    Ngrams all;
    for (const std::u32string& reference : references) {
      const Ngrams more = sorted_ngrams(reference, n);
      Ngrams merged;
      std::set_union(all.begin(), all.end(), more.begin(), more.end(), std::back_inserter(merged));
      all = std::move(merged);
    }
    counts.totals[n - 1] = ngram_count(hypothesis.size(), n);
    counts.matches[n - 1] = common(sorted_ngrams(hypothesis, n), all);
  }
  return counts;
}

double brevity_penalty(const BleuCounts& counts) {
  if (counts.hypothesis_length >= counts.reference_length) return 1;
  if (counts.hypothesis_length == 0) return 0;
  return std::exp(1 - static_cast<double>(counts.reference_length) /
                          static_cast<double>(counts.hypothesis_length));
}

}  // namespace

void check_references(const std::vector<std::string>& hypotheses, const References& references,
                      const char* measure) {
  if (references.empty()) fail("{}: there is no reference", measure);
  for (const std::vector<std::string>& lines : references)
    if (hypotheses.size() != lines.size())
      fail("{}: {} hypotheses, but {} references", measure, hypotheses.size(), lines.size());
}

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    matches[i] += other.matches[i];
    totals[i] += other.totals[i];
  }
  return *this;
}

std::vector<BleuCounts> bleu_counts(const std::vector<std::string>& hypotheses,
                                    const std::vector<std::string>& references, const BleuOptions& options) {
  return bleu_counts_of_several(hypotheses, {references}, options);
}

std::vector<BleuCounts> bleu_counts_of_several(const std::vector<std::string>& hypotheses,
                                               const References& references, const BleuOptions& options) {
  check_references(hypotheses, references, "BLEU");
  std::vector<BleuCounts> counts;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    Numbering numbering;
    const std::u32string hypothesis = numbering.numbers(words_for_bleu(hypotheses[i], options));
    std::vector<std::u32string> its_references;
    for (const std::vector<std::string>& lines : references)
      its_references.push_back(numbering.numbers(words_for_bleu(lines[i], options)));
    counts.push_back(count(hypothesis, its_references));
  }
  return counts;
}

Bleu bleu(const BleuCounts& counts) {
  Bleu result{.brevity_penalty = brevity_penalty(counts),
              .hypothesis_length = counts.hypothesis_length,
              .reference_length = counts.reference_length};
  if (std::ranges::all_of(counts.matches, [](Index matches) { return matches == 0; })) return result;
  double log_precisions = 0, smoothing = 1;
  for (std::size_t i = 0; i < counts.totals.size(); ++i) {
    if (counts.totals[i] == 0) return result;  // all sentences are too short
    auto matches = static_cast<double>(counts.matches[i]);
    if (counts.matches[i] == 0) matches = 1 / (smoothing *= 2);
    const double precision = matches / static_cast<double>(counts.totals[i]);
    result.precisions[i] = 100 * precision;
    log_precisions += std::log(precision);
  }
  result.score = 100 * result.brevity_penalty * std::exp(log_precisions / 4);
  return result;
}

Bleu corpus_bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                 const BleuOptions& options) {
  BleuCounts sum;
  for (const BleuCounts& counts : bleu_counts(hypotheses, references, options)) sum += counts;
  return bleu(sum);
}

std::string signature(const BleuOptions& options, std::size_t references) {
  const std::string tokeniser = name_of(bleu_tokenisers, options.tokeniser);
  return fmt::format("nrefs:{}|case:{}|eff:no|tok:{}|smooth:exp|version:regard-{}", references,
                     options.lowercase ? "lc" : "mixed", options.cut_by.empty() ? tokeniser : options.cut_by,
                     exact_version());
}

std::u32string Numbering::numbers(const std::vector<std::string>& words) {
  std::u32string result;
  for (const std::string& word : words)
    result += numbers_.try_emplace(word, static_cast<char32_t>(numbers_.size())).first->second;
  return result;
}

Index ngram_count(std::size_t length, std::size_t n) { return length < n ? 0 : to_index(length - n + 1); }

Index ngram_matches(std::u32string_view hypothesis, std::u32string_view reference, std::size_t n) {
  return common(sorted_ngrams(hypothesis, n), sorted_ngrams(reference, n));
}

}  // namespace regard::translation
