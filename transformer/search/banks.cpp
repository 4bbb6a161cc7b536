#include "transformer/search/banks.h"

#include <algorithm>
#include <tuple>

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

std::vector<Extension> share_among_banks(std::vector<Extension> candidates, const TokenRule& rule,
                                         const std::vector<Unfinished>& unfinished, Index beam) {
  struct Place {
    bool waits;
    Index round, bank;
    std::size_t candidate;
  };
  const Index banks = std::min(rule.banks(), beam);
  std::vector<Index> rounds(to_size(banks));          // the next one of each bank
  std::vector<Index> fullest(candidates.size(), -1);  // the fullest bank so far in each round
  std::vector<Place> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Unfinished& parent = unfinished[candidates[i].parent];
    const bool is_due = !parent.due.empty() || !candidates[i].due.empty();
    const Index bank = is_due ? 0 : rule.bank(parent.tokens, candidates[i].token) * banks / rule.banks();
    const Index round = rounds[to_size(bank)]++;
    Index& before = fullest[to_size(round)];
    places.push_back({before > bank, round, bank, i});
    before = std::max(before, bank);
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tuple(a.waits, a.round, -a.bank) < std::tuple(b.waits, b.round, -b.bank);
  });
  std::sort(places.begin(), places.begin() + std::min(beam, to_index(places.size())),
            [](const Place& a, const Place& b) { return a.candidate < b.candidate; });
  std::vector<Extension> result;
  for (const Place& place : places) result.push_back(std::move(candidates[place.candidate]));
  return result;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
