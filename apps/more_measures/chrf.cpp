#include "apps/more_measures/chrf.h"

#include <cctype>
#include <optional>
#include <tuple>

#include "apps/translation/files/utf8.h"
#include "apps/translation/files/version.h"
#include "apps/translation/metrics/bleu_tokenisers.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

constexpr std::size_t character_orders = 6, word_orders = 2;

/// A sentence as symbols (bleu.h).
struct Symbols {
  std::u32string characters;  ///< without blanks
  std::u32string words;       ///< a number for each word; none for chrF
};

/// chrF++ makes one mark of ASCII punctuation a word of its own: the last character of a word, or else the
/// first one.
std::vector<std::string> without_punctuation(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    std::size_t cut = 0;
    if (std::ispunct(static_cast<unsigned char>(word.back())))
      cut = word.size() - 1;
    else if (std::ispunct(static_cast<unsigned char>(word.front())))
      cut = 1;
    if (cut > 0) result.push_back(word.substr(0, cut));
    result.push_back(word.substr(cut));
  }
  return result;
}

Symbols symbols(const std::string& sentence, const ChrfOptions& options, Numbering& numbering) {
  std::u32string text = decode_utf8(sentence);
  if (options.lowercase) text = lowercase(text);
  std::erase_if(text, is_blank);
  if (!options.words) return {text, {}};
  const std::vector<std::string> words = words_for_bleu(
      sentence, {.tokeniser = BleuTokeniser::none, .lowercase = options.lowercase, .cut_by = {}});
  return {text, numbering.numbers(without_punctuation(words))};
}

/// Counts the n-grams of 1 to `orders` symbols. Their entries begin at `first`.
void count(std::u32string_view hypothesis, std::u32string_view reference, std::size_t first,
           std::size_t orders, ChrfCounts& counts) {
  for (std::size_t n = 1; n <= orders; ++n) {
    const std::size_t entry = first + n - 1;
    counts.reference[entry] = ngram_count(reference.size(), n);
    if (counts.reference[entry] == 0) break;
    counts.hypothesis[entry] = ngram_count(hypothesis.size(), n);
    counts.matches[entry] = ngram_matches(hypothesis, reference, n);
  }
}

ChrfCounts chrf_counts(const Symbols& hypothesis, const Symbols& reference) {
  ChrfCounts counts;
  static_assert(std::tuple_size_v<decltype(counts.matches)> == character_orders + word_orders);
  count(hypothesis.characters, reference.characters, 0, character_orders, counts);
  count(hypothesis.words, reference.words, character_orders, word_orders, counts);
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

std::vector<ChrfCounts> chrf_counts(const std::vector<std::string>& hypotheses, const References& references,
                                    const ChrfOptions& options) {
  check_references(hypotheses, references, "chrF");
  std::vector<ChrfCounts> counts;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    Numbering numbering;
    const Symbols hypothesis = symbols(hypotheses[i], options, numbering);
    std::optional<ChrfCounts> best;
    for (const std::vector<std::string>& lines : references) {
      const ChrfCounts its = chrf_counts(hypothesis, symbols(lines[i], options, numbering));
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

std::string signature(const ChrfOptions& options, std::size_t references) {
  return fmt::format("nrefs:{}|case:{}|eff:yes|nc:{}|nw:{}|space:no|version:regard-{}", references,
                     options.lowercase ? "lc" : "mixed", character_orders, options.words ? word_orders : 0,
                     exact_version());
}

}  // namespace regard::translation
