#include "apps/inspection/trigrams.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include "apps/inspection/characters.h"
#include "apps/translation/files/utf8.h"

namespace regard::translation {

namespace {

constexpr std::uint8_t blank = 0, rare = 1;

/// Calls visit(place) for each trigram of a line; before its first symbol there is a blank.
template <class Visit>
void visit_trigrams(const Symbols& line, const Visit& visit) {
  std::size_t place = 0;
  for (const std::uint8_t symbol : line) {
    place = (place * symbol_count + symbol) % (symbol_count * symbol_count * symbol_count);
    visit(place);
  }
}

}  // namespace

Alphabet::Alphabet(const std::vector<std::string_view>& lines) {
  std::vector<std::size_t> seen(128);
  for (const std::string_view line : lines)
    visit_all(line, [&](char32_t c) {
      if (c >= seen.size()) seen.resize(c + std::size_t{1});
      ++seen[c];
    });
  std::unordered_map<char32_t, std::size_t> letters;
  for (char32_t c = 0; c < seen.size(); ++c)
    if (seen[c] > 0 && is_letter(c)) letters[lowercase(c)] += seen[c];
  std::vector<std::pair<std::size_t, char32_t>> ranked;
  for (const auto& [letter, count] : letters) ranked.emplace_back(count, letter);
  std::ranges::sort(ranked, std::greater());
  std::unordered_map<char32_t, std::uint8_t> symbols;
  for (std::size_t i = 0; i < std::min(ranked.size(), symbol_count - 2); ++i)
    symbols[ranked[i].second] = static_cast<std::uint8_t>(i + 2);
  symbols_.resize(seen.size(), blank);
  for (char32_t c = 0; c < seen.size(); ++c)
    if (seen[c] > 0 && is_letter(c)) symbols_[c] = std::max(symbols[lowercase(c)], rare);
}

void Alphabet::read(std::string_view line, Symbols& symbols) const {
  symbols.assign(1, blank);
  const auto add = [&](std::uint8_t symbol) {
    if (symbol != blank || symbols.back() != blank) symbols.push_back(symbol);
  };
  const bool utf8 = visit_all(line, [&](char32_t c) { add(c < symbols_.size() ? symbols_[c] : blank); });
  add(blank);
  if (!utf8 || symbols.size() == 1) symbols.clear();
}

Trigrams::Trigrams() : counts_(symbol_count * symbol_count * symbol_count), bits_(counts_.size()) {}

void Trigrams::count(const Symbols& line) {
  visit_trigrams(line, [&](std::size_t place) { ++counts_[place]; });
}

// With n for counts, and each order smoothed by the one below (MacKay and Peto 1995, A Hierarchical Dirichlet
// Language Model):
//   p(c | a b) = (n(abc) + k p(c | b)) / (n(ab) + k)
//   p(c | b)   = (n(bc) + k p(c)) / (n(b) + k)
//   p(c)       = (n(c) + 1) / (n + symbol_count)
void Trigrams::learn(std::uint32_t less) {
  constexpr double k = 10;
  constexpr std::size_t n = symbol_count;
  for (std::uint32_t& count : counts_) count -= std::min(count, less);
  std::vector<double> contexts(n * n), pairs(n * n), starts(n), ends(n);
  double all = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    contexts[i / n] += counts_[i];
    pairs[i % (n * n)] += counts_[i];
    starts[i / n % n] += counts_[i];
    ends[i % n] += counts_[i];
    all += counts_[i];
  }
  std::vector<double> after(n * n);  // p(c | b)
  std::vector<float> unseen(n * n);  // the bits if n(ab) is 0
  for (std::size_t bc = 0; bc < n * n; ++bc) {
    after[bc] = (pairs[bc] + k * (ends[bc % n] + 1) / (all + n)) / (starts[bc / n] + k);
    unseen[bc] = static_cast<float>(-std::log2(after[bc]));
  }
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const double context = contexts[i / n];
    bits_[i] = context == 0
                   ? unseen[i % (n * n)]
                   : static_cast<float>(-std::log2((counts_[i] + k * after[i % (n * n)]) / (context + k)));
  }
}

double Trigrams::bits(const Symbols& line) const {
  float sum = 0;
  visit_trigrams(line, [&](std::size_t place) { sum += bits_[place]; });
  return static_cast<double>(sum);
}

}  // namespace regard::translation
