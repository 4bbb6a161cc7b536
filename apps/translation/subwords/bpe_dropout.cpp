#include "apps/translation/subwords/bpe_dropout.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>

#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/utf8.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

class BpeDropout : public SubwordSampler {
 public:
  BpeDropout(const SubwordPieces& pieces, double probability) : probability_(probability) {
    for (std::size_t id = 0; id < pieces.entries.size(); ++id) {
      scores_.push_back(pieces.entries[id].score);
      if (pieces.entries[id].kind == SubwordPiece::Kind::normal)
        ids_.emplace(pieces.entries[id].text, static_cast<std::int32_t>(id));
    }
    for (const auto& [text, id] : ids_) add_merges(text, id);
  }

  std::vector<std::int32_t> sample(std::string_view normalised, Random& random) const override {
    std::vector<std::int32_t> result;
    while (!normalised.empty()) {
      const std::size_t end = std::min(normalised.find(visible_blank, 1), normalised.size());
      for (const std::int32_t id : cut_word(normalised.substr(0, end), random)) {
        const bool again = id == special::unknown && !result.empty() && result.back() == special::unknown;
        if (!again) result.push_back(id);
      }
      normalised.remove_prefix(end);
    }
    return result;
  }

 private:
  static std::uint64_t pair(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
  }

  std::int32_t id(std::string_view text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? special::unknown : found->second;
  }

  /// Adds each pair of pieces that together form this text.
  void add_merges(const std::string& text, std::int32_t merged) {
    for (std::size_t cut = decode_utf8(text, 0).size; cut < text.size(); cut += decode_utf8(text, cut).size) {
      const std::int32_t left = id(std::string_view(text).substr(0, cut));
      const std::int32_t right = id(std::string_view(text).substr(cut));
      if (left != special::unknown && right != special::unknown) merges_.emplace(pair(left, right), merged);
    }
  }

  std::vector<std::int32_t> cut_word(std::string_view word, Random& random) const {
    std::vector<std::int32_t> ids;
    for (std::size_t begin = 0, size = 0; begin < word.size(); begin += size) {
      size = decode_utf8(word, begin).size;
      ids.push_back(id(word.substr(begin, size)));
    }
    while (const auto merge = best_merge(ids, random)) {
      ids[merge->position] = merge->id;
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(merge->position) + 1);
    }
    return ids;
  }

  struct Merge {
    std::size_t position;
    std::int32_t id;
  };

  /// Returns the merge with the highest score among the merges that are not skipped. If scores are equal, the
  /// leftmost merge.
  std::optional<Merge> best_merge(const std::vector<std::int32_t>& ids, Random& random) const {
    std::optional<Merge> best;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto found = merges_.find(pair(ids[i], ids[i + 1]));
      if (found == merges_.end() || random.uniform() < probability_) continue;
      if (!best || score(found->second) > score(best->id)) best = {.position = i, .id = found->second};
    }
    return best;
  }

  double score(std::int32_t piece) const { return scores_[to_size(piece)]; }

  double probability_;
  std::vector<double> scores_;
  TextMap<std::int32_t> ids_;
  std::unordered_map<std::uint64_t, std::int32_t> merges_;
};

}  // namespace

std::unique_ptr<SubwordSampler> bpe_dropout(const SubwordPieces& pieces, double probability) {
  return std::make_unique<BpeDropout>(pieces, probability);
}

}  // namespace regard::translation
