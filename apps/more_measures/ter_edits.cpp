// The edits of TER: a distance with a trace, and a greedy search for shifts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "apps/more_measures/ter.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

using Word = std::uint32_t;  // numbers, so that words are compared fast
using Words = std::vector<Word>;

enum class Edit : std::uint8_t { none, same, replace, remove, insert };

struct Cell {
  Index cost = 1'000'000'000;
  Edit edit = Edit::none;
};

/// Which words of the hypothesis a reference stands for, and which are wrong.
struct Alignment {
  Index edits = 0;
  std::vector<Index> position;  ///< for each reference word, that of its hypothesis word or of the one before
  std::vector<bool> hypothesis_wrong, reference_wrong;
};

/// Levenshtein distances of hypotheses of one length to a reference. Only cells within `beam` of the diagonal
/// count, as in Tercom, but for the last row.
class EditDistance {
 public:
  EditDistance(const Words& reference, std::size_t hypothesis_words)
      : reference_(reference),
        columns_(reference.size() + 1),
        ratio_(hypothesis_words == 0
                   ? 1
                   : static_cast<double>(reference.size()) / static_cast<double>(hypothesis_words)),
        table_((hypothesis_words + 1) * columns_) {
    for (std::size_t j = 0; j < columns_; ++j) cell(0, j) = {to_index(j), Edit::insert};
  }

  /// The rows of the words that this hypothesis has in common with the last one are not computed again.
  Index edits(const Words& hypothesis) {
    std::size_t row = 0;
    while (row < last_.size() && hypothesis[row] == last_[row]) ++row;
    for (; row < hypothesis.size(); ++row) fill(row + 1, hypothesis[row], row + 1 == hypothesis.size());
    last_ = hypothesis;
    return cell(hypothesis.size(), columns_ - 1).cost;
  }

  Alignment align(const Words& hypothesis) {
    Alignment result{.edits = edits(hypothesis),
                     .position = std::vector<Index>(reference_.size()),
                     .hypothesis_wrong = std::vector<bool>(hypothesis.size()),
                     .reference_wrong = std::vector<bool>(reference_.size())};
    for (std::size_t i = hypothesis.size(), j = reference_.size(); i > 0 || j > 0;) {
      const Edit edit = cell(i, j).edit;
      const bool wrong = edit != Edit::same;
      if (edit != Edit::remove) {
        result.position[j - 1] = to_index(i) - 1;
        result.reference_wrong[j - 1] = wrong;
      }
      if (edit != Edit::insert) result.hypothesis_wrong[i - 1] = wrong;
      if (edit != Edit::remove) --j;
      if (edit != Edit::insert) --i;
    }
    return result;
  }

 private:
  Cell& cell(std::size_t row, std::size_t column) { return table_[row * columns_ + column]; }

  void fill(std::size_t i, Word word, bool is_last) {
    constexpr double usual_beam = 25;
    const double beam = usual_beam < ratio_ / 2 ? std::ceil(ratio_ / 2 + usual_beam) : usual_beam;
    const double diagonal = std::floor(static_cast<double>(i) * ratio_);
    const auto begin = static_cast<std::size_t>(std::max(0.0, diagonal - beam));
    const auto end = is_last ? columns_ : std::min(columns_, static_cast<std::size_t>(diagonal + beam));
    std::fill_n(&cell(i, 0), columns_, Cell());
    for (std::size_t j = begin; j < end; ++j) {
      Cell& best = cell(i, j);
      const auto offer = [&best](Index cost, Edit edit) {
        if (cost < best.cost) best = {cost, edit};
      };
      // Where two cost the same, the first one counts.
      if (j > 0) {
        const bool same = word == reference_[j - 1];
        offer(cell(i - 1, j - 1).cost + !same, same ? Edit::same : Edit::replace);
      }
      offer(cell(i - 1, j).cost + 1, Edit::remove);
      if (j > 0) offer(cell(i, j - 1).cost + 1, Edit::insert);
    }
  }

  const Words& reference_;
  std::size_t columns_;
  double ratio_;
  std::vector<Cell> table_;
  Words last_;
};

/// Moves `length` words from `start` before the word that was at `target`. A target inside the words counts
/// in the text without them.
Words shifted(const Words& words, std::size_t start, std::size_t length, std::size_t target) {
  Words rest = words;
  const auto from = [](auto& of, std::size_t i) { return of.begin() + static_cast<std::ptrdiff_t>(i); };
  rest.erase(from(rest, start), from(rest, start + length));
  const std::size_t place = target < start ? target : target > start + length ? target - length : target;
  rest.insert(from(rest, std::min(place, rest.size())), from(words, start), from(words, start + length));
  return rest;
}

/// The search for shifts of one hypothesis.
class Shifts {
 public:
  Shifts(Words hypothesis, const Words& reference)
      : words_(std::move(hypothesis)), reference_(reference), distance_(reference, words_.size()) {}

  Index edits() {
    Index shifts = 0;
    while (shift_once()) ++shifts;
    return shifts + distance_.edits(words_);
  }

 private:
  /// The best comes first: the most edits saved, then the longest, from the earliest place, to the earliest.
  using Rank = std::tuple<Index, Index, Index, Index>;
  static constexpr Index most_tried = 1000;

  /// Makes the shift that saves most edits. False if none saves any, or if too many were tried.
  bool shift_once() {
    const Alignment now = distance_.align(words_);
    std::optional<Rank> best;
    Words best_words;
    for_each_match([&](std::size_t start, std::size_t goal, std::size_t length) {
      if (!is_wrong(now.hypothesis_wrong, start, length) || !is_wrong(now.reference_wrong, goal, length))
        return true;
      const Index aligned = now.position[goal];
      if (aligned >= to_index(start) && aligned < to_index(start + length)) return true;
      Index before = -1;
      for (Index at = to_index(goal) - 1; at < to_index(goal + length); ++at) {
        const Index target = at < 0 ? 0 : now.position[to_size(at)] + 1;
        if (target == before) continue;
        before = target;
        Words candidate = shifted(words_, start, length, to_size(target));
        const Rank rank(now.edits - distance_.edits(candidate), to_index(length), -to_index(start), -target);
        ++tried_;
        if (best && rank <= *best) continue;
        best = rank;
        best_words = std::move(candidate);
      }
      return tried_ < most_tried;
    });
    if (tried_ >= most_tried || !best || std::get<0>(*best) <= 0) return false;
    words_ = std::move(best_words);
    return true;
  }

  static bool is_wrong(const std::vector<bool>& wrong, std::size_t begin, std::size_t length) {
    const auto first = wrong.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::find(first, first + static_cast<std::ptrdiff_t>(length), true) !=
           first + static_cast<std::ptrdiff_t>(length);
  }

  /// Calls visit(start, goal, length) for words of both texts that are equal, until it returns false.
  template <class Visit>
  void for_each_match(const Visit& visit) const {
    constexpr std::size_t longest = 10, farthest = 50;
    for (std::size_t start = 0; start < words_.size(); ++start)
      for (std::size_t goal = 0; goal < reference_.size(); ++goal) {
        if (std::max(start, goal) - std::min(start, goal) > farthest) continue;
        for (std::size_t length = 1;
             length <= longest && start + length <= words_.size() && goal + length <= reference_.size() &&
             words_[start + length - 1] == reference_[goal + length - 1];
             ++length)
          if (!visit(start, goal, length)) return;
      }
  }

  Words words_;
  const Words& reference_;
  EditDistance distance_;
  Index tried_ = 0;
};

}  // namespace

Index translation_edits(const std::vector<std::string>& hypothesis,
                        const std::vector<std::string>& reference) {
  if (reference.empty()) return to_index(hypothesis.size());
  std::unordered_map<std::string, Word> numbers;
  const auto numbered = [&numbers](const std::vector<std::string>& words) {
    Words result;
    for (const std::string& word : words)
      result.push_back(numbers.try_emplace(word, static_cast<Word>(numbers.size())).first->second);
    return result;
  };
  const Words its_reference = numbered(reference);
  return Shifts(numbered(hypothesis), its_reference).edits();
}

}  // namespace regard::translation
