#include "apps/translation/subwords/unigram_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "apps/translation/text/utf8.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

/// The log-probability of an unknown character is this much lower than the lowest one of a piece.
/// SentencePiece has the same value.
constexpr double unknown_penalty = 10;

/// A piece that covers the text from `begin` to the position at which the lattice lists it.
struct Node {
  std::size_t begin;
  std::int32_t id;
  double score;
};

/// All pieces that fit somewhere in a text. Entry i lists the pieces that end before byte i.
using Lattice = std::vector<std::vector<Node>>;

/// Draws i with the probability exp(logarithms[i]). The probabilities must sum to 1.
std::size_t choose(const std::vector<double>& logarithms, Random& random) {
  double left = random.uniform();
  for (std::size_t i = 0; i + 1 < logarithms.size(); ++i)
    if ((left -= std::exp(logarithms[i])) < 0) return i;
  return logarithms.size() - 1;
}

double log_sum_exp(const std::vector<double>& logarithms) {
  const double largest = *std::max_element(logarithms.begin(), logarithms.end());
  double sum = 0;
  for (const double logarithm : logarithms) sum += std::exp(logarithm - largest);
  return largest + std::log(sum);
}

class UnigramSampler : public SubwordSampler {
 public:
  UnigramSampler(const SubwordPieces& pieces, double alpha, Index n_best)
      : pieces_(pieces), alpha_(alpha), n_best_(n_best) {
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t id = 0; id < pieces.entries.size(); ++id) {
      const SubwordPiece& piece = pieces.entries[id];
      if (piece.kind != SubwordPiece::Kind::normal) continue;
      ids_.emplace(piece.text, static_cast<std::int32_t>(id));
      longest_ = std::max(longest_, piece.text.size());
      lowest = std::min(lowest, piece.score);
    }
    unknown_score_ = lowest - unknown_penalty;
  }

  std::vector<std::int32_t> sample(std::string_view normalised, Random& random) const override {
    if (normalised.empty()) return {};
    const Lattice lattice = lattice_of(normalised);
    std::vector<std::int32_t> backwards =
        n_best_ < 0 ? sample_from_all(lattice, random) : sample_from_best(lattice, random);
    std::vector<std::int32_t> ids(backwards.rbegin(), backwards.rend());
    const auto both_unknown = [](std::int32_t a, std::int32_t b) {
      return a == special::unknown && b == special::unknown;
    };
    ids.erase(std::unique(ids.begin(), ids.end(), both_unknown), ids.end());
    return ids;
  }

 private:
  Lattice lattice_of(std::string_view text) const {
    Lattice lattice(text.size() + 1);
    for (std::size_t begin = 0, first = 0; begin < text.size(); begin += first) {
      first = decode_utf8(text, begin).size;
      bool character_known = false;
      for (std::size_t end = begin + first; end <= std::min(text.size(), begin + longest_);
           end += std::max<std::size_t>(decode_utf8(text, end).size, 1)) {
        const auto found = ids_.find(text.substr(begin, end - begin));
        if (found == ids_.end()) continue;
        lattice[end].push_back({.begin = begin, .id = found->second, .score = score(found->second)});
        if (end == begin + first) character_known = true;
      }
      if (!character_known)
        lattice[begin + first].push_back({.begin = begin, .id = special::unknown, .score = unknown_score_});
    }
    return lattice;
  }

  /// Forward filtering, backward sampling (Scott 2002). It draws the pieces from the last to the first. The
  /// probability of a piece is its share in the sum over all ways that lead to its end.
  std::vector<std::int32_t> sample_from_all(const Lattice& lattice, Random& random) const {
    // ways[i]: log of the sum of P^alpha over all ways from the beginning to byte i
    std::vector<double> ways(lattice.size(), 0);
    const auto through = [&](const std::vector<Node>& nodes) {
      std::vector<double> logarithms;
      for (const Node& node : nodes) logarithms.push_back(ways[node.begin] + alpha_ * node.score);
      return logarithms;
    };
    for (std::size_t end = 1; end < lattice.size(); ++end)
      if (!lattice[end].empty()) ways[end] = log_sum_exp(through(lattice[end]));
    std::vector<std::int32_t> ids;
    for (std::size_t end = lattice.size() - 1; end > 0;) {
      std::vector<double> shares = through(lattice[end]);
      for (double& share : shares) share -= ways[end];
      const Node& node = lattice[end][choose(shares, random)];
      ids.push_back(node.id);
      end = node.begin;
    }
    return ids;
  }

  /// A way from the beginning that ends with `node`.
  struct Way {
    double score = 0;
    const Node* node = nullptr;
    std::size_t rank = 0;  ///< of the way to the beginning of `node`, among the best ways to that position
  };

  /// The n best ways to each position continue the n best ways to earlier positions.
  std::vector<std::int32_t> sample_from_best(const Lattice& lattice, Random& random) const {
    std::vector<std::vector<Way>> best(lattice.size());
    best[0].push_back({});
    for (std::size_t end = 1; end < lattice.size(); ++end) {
      for (const Node& node : lattice[end])
        for (std::size_t rank = 0; rank < best[node.begin].size(); ++rank)
          best[end].push_back(
              {.score = best[node.begin][rank].score + node.score, .node = &node, .rank = rank});
      std::stable_sort(best[end].begin(), best[end].end(),
                       [](const Way& a, const Way& b) { return a.score > b.score; });
      best[end].resize(std::min(best[end].size(), to_size(n_best_)));
    }
    std::vector<double> shares;
    for (const Way& way : best.back()) shares.push_back(alpha_ * way.score);
    const double all = log_sum_exp(shares);
    for (double& share : shares) share -= all;
    std::vector<std::int32_t> ids;
    const Way* way = &best.back()[choose(shares, random)];
    for (; way->node; way = &best[way->node->begin][way->rank]) ids.push_back(way->node->id);
    return ids;
  }

  double score(std::int32_t piece) const { return pieces_.entries[to_size(piece)].score; }

  SubwordPieces pieces_;
  double alpha_;
  Index n_best_;
  TextMap<std::int32_t> ids_;
  std::size_t longest_ = 1;  ///< length of the longest piece in bytes
  double unknown_score_ = 0;
};

}  // namespace

std::unique_ptr<SubwordSampler> unigram_sampler(const SubwordPieces& pieces, double alpha, Index n_best) {
  return std::make_unique<UnigramSampler>(pieces, alpha, n_best);
}

}  // namespace regard::translation
