#include "transformer/search/search.h"

#include <algorithm>
#include <functional>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "transformer/search/step_loop.h"

namespace regard::inline REGARD_PRECISION::transformer {

namespace {

/// The better candidate first. Ties go to the earlier hypothesis, then to the smaller id: the same search
/// every time.
bool better(const Extension& a, const Extension& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
}

/// The most probable tokens after each unfinished translation. <pad> and <s> never come.
class NextTokens {
 public:
  NextTokens(const NextLogits& next, Index beam)
      : next_(next), largest_(largest_logits(next.logits, beam + 2 + most_forbidden())) {}

  struct Token {
    std::int32_t id;
    double log_probability;
  };
  /// At least `beam` tokens, if as many are allowed, best first. Only </s> if no token is allowed.
  std::vector<Token> best(std::size_t row) const {
    const Allowed& allowed = next_.allowed_in(row);
    if (allowed.only) return {{*allowed.only, log_probability_of(*allowed.only, row)}};
    std::vector<Token> tokens;
    const std::size_t count = to_size(largest_.count);
    for (std::size_t i = row * count; i < (row + 1) * count; ++i) {
      const std::int32_t id = largest_.positions[i];
      if (id != padding_id && id != sentence_begin_id && allowed.allows(id))
        tokens.push_back({id, log_probability(largest_.logits[i], row)});
    }
    if (tokens.empty()) tokens.push_back({sentence_end_id, log_probability_of(sentence_end_id, row)});
    return tokens;
  }
  double log_probability_of(std::int32_t token, std::size_t row) const {
    return log_probability(next_.row(row)[to_size(token)], row);
  }

 private:
  /// This many more tokens are looked at, so that `beam` of them are allowed.
  Index most_forbidden() const {
    std::size_t most = 0;
    for (const Allowed& of_row : next_.allowed) most = std::max(most, of_row.forbidden.size());
    return to_index(most);
  }
  double log_probability(Real logit, std::size_t row) const {
    return static_cast<double>(logit) - static_cast<double>(largest_.log_sum_exp[row]);
  }

  const NextLogits& next_;
  LargestLogits largest_;
};

/// The search of one sentence.
class SentenceSearch {
 public:
  /// `tree` receives the record of the search unless it is null.
  SentenceSearch(const SearchOptions& options, Prefix prefix, SearchTree* tree)
      : options_(options), prefix_(std::move(prefix)), tree_(tree) {}

  /// Extends the unfinished translations of this sentence, rows first .. last (the last excluded). The `beam`
  /// best extensions are taken: those with </s> are finished, the others are returned. Returns none when the
  /// search has ended.
  std::vector<Extension> extend(const NextTokens& tokens, const std::vector<Unfinished>& unfinished,
                                std::size_t first, std::size_t last) {
    std::vector<Extension> live = best_candidates(tokens, unfinished, first, last);
    if (tree_ != nullptr) record(live, first);
    live.resize(std::min(live.size(), to_size(options_.beam)));
    std::erase_if(live, [&](const Extension& candidate) {
      if (candidate.token != sentence_end_id) return false;
      add_finished(finished(unfinished[candidate.parent], candidate.log_probability, options_));
      return true;
    });
    const Index length = unfinished[first].length() + 1;  // of the live hypotheses, with their new token
    const Index with_end = 1;                             // lengths of scores count </s>
    if (ends(live, length + with_end, unfinished[first].greatest_length + with_end)) live.clear();
    return live;
  }

  const std::vector<Hypothesis>& best() const { return best_; }

 private:
  /// The `beam` best candidates, best first, and as many after them if the search is recorded.
  std::vector<Extension> best_candidates(const NextTokens& tokens, const std::vector<Unfinished>& unfinished,
                                         std::size_t first, std::size_t last) const {
    std::vector<Extension> candidates;
    for (std::size_t row = first; row < last; ++row) {
      const double so_far = unfinished[row].log_probability;
      const std::size_t length = unfinished[row].tokens.size();
      const auto only = [&](std::int32_t token) {
        candidates.push_back({row, token, so_far + tokens.log_probability_of(token, row)});
      };
      if (length < prefix_.size())
        only(prefix_[length]);
      else if (unfinished[row].must_end())
        only(sentence_end_id);
      else
        for (const auto& [token, log_probability] : tokens.best(row))
          candidates.push_back({row, token, so_far + log_probability});
    }
    const Index wanted = tree_ == nullptr ? options_.beam : 2 * options_.beam;
    const auto count = std::min(to_index(candidates.size()), wanted);
    std::ranges::partial_sort(candidates, candidates.begin() + count, better);
    candidates.resize(to_size(count));
    return candidates;
  }

  /// Adds a step to the tree. The parents of the candidates are rows from `first` on, which are the
  /// hypotheses that lived on in the step before, in this order.
  void record(const std::vector<Extension>& candidates, std::size_t first) {
    std::vector<Index> alive;
    std::vector<SearchNode>& step = tree_->emplace_back();
    for (const Extension& candidate : candidates) {
      const Index parent = alive_.empty() ? -1 : alive_[candidate.parent - first];
      const bool kept = to_index(step.size()) < options_.beam;
      const bool ends = candidate.token == sentence_end_id;
      const auto state = !kept  ? SearchNode::State::pruned
                         : ends ? SearchNode::State::ended
                                : SearchNode::State::alive;
      if (state == SearchNode::State::alive) alive.push_back(next_id_);
      step.push_back({next_id_++, parent, candidate.token, candidate.log_probability, state});
    }
    alive_ = std::move(alive);
  }

  void add_finished(Hypothesis hypothesis) {
    ++finished_count_;
    best_.push_back(std::move(hypothesis));
    std::ranges::stable_sort(best_, std::greater<>(), &Hypothesis::score);
    if (best_.size() > to_size(options_.n_best)) best_.pop_back();
  }

  /// True if no live hypothesis is worth a further step. `next_length` is the length of a live hypothesis
  /// that would end now, `longest` the greatest length, both with </s>.
  bool ends(const std::vector<Extension>& live, Index next_length, Index longest) const {
    if (live.empty()) return true;
    if (best_.size() < to_size(options_.n_best)) return false;
    // The log-probability of a live hypothesis only falls. With alpha > 0 the division helps a hypothesis
    // most if it becomes as long as possible, with alpha < 0 if it ends now.
    if (none_wins_at(live, options_.alpha > 0 ? longest : next_length)) return true;
    const bool out_of_patience =
        options_.patience > 0 &&
        static_cast<double>(finished_count_) >= options_.patience * static_cast<double>(options_.beam);
    return out_of_patience && none_wins_at(live, next_length);
  }

  /// True if no live hypothesis would be among the n best if it ended with this length and </s> had
  /// probability 1.
  bool none_wins_at(const std::vector<Extension>& live, Index length) const {
    const double penalty = length_penalty(options_, length);
    return std::ranges::all_of(live, [&](const Extension& hypothesis) {
      return hypothesis.log_probability / penalty <= best_.back().score;
    });
  }

  SearchOptions options_;
  Prefix prefix_;
  SearchTree* tree_;
  std::vector<Index> alive_;  ///< ids of the recorded hypotheses that lived on in the last step
  Index next_id_ = 0;
  Index finished_count_ = 0;
  std::vector<Hypothesis> best_;  ///< at most n_best finished translations, best first
};

void check(std::span<const Prefix> prefixes, Index sentences, Index vocabulary) {
  if (!prefixes.empty() && to_index(prefixes.size()) != sentences)
    fail("there are {} prefixes for {} sentences", prefixes.size(), sentences);
  for (const Prefix& prefix : prefixes)
    for (const std::int32_t token : prefix)
      if (token < 0 || token >= vocabulary)
        fail("a prefix has the token {}, but the target vocabulary has {} entries", token, vocabulary);
}

std::vector<std::vector<Hypothesis>> best_translations(EncoderDecoder& model, const Source& source,
                                                       const SearchOptions& options,
                                                       std::span<const Prefix> prefixes,
                                                       std::vector<SearchTree>* trees) {
  check(options);
  check(prefixes, source.sentences(), model.target_vocabulary());
  if (trees != nullptr) trees->assign(to_size(source.sentences()), {});
  std::vector<Unfinished> unfinished;
  std::vector<SentenceSearch> searches;
  for (Index i = 0; i < source.sentences(); ++i) {
    unfinished.push_back(
        {.sentence = i, .greatest_length = greatest_length(options, model.encoder().length(source, i))});
    searches.emplace_back(options, prefixes.empty() ? Prefix() : prefixes[to_size(i)],
                          trees == nullptr ? nullptr : &(*trees)[to_size(i)]);
  }
  run_steps(model, source, std::move(unfinished), options,
            [&](const NextLogits& next, const std::vector<Unfinished>& live) {
              const NextTokens tokens(next, options.beam);
              std::vector<Extension> extensions;
              for (std::size_t first = 0, last = 0; first < live.size(); first = last) {
                while (last < live.size() && live[last].sentence == live[first].sentence) ++last;
                const auto more = searches[to_size(live[first].sentence)].extend(tokens, live, first, last);
                extensions.insert(extensions.end(), more.begin(), more.end());
              }
              return extensions;
            });
  std::vector<std::vector<Hypothesis>> result;
  for (const SentenceSearch& search : searches) result.push_back(search.best());
  return result;
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(EncoderDecoder& model, const Source& source,
                                                 const SearchOptions& options,
                                                 std::span<const Prefix> prefixes,
                                                 std::vector<SearchTree>* trees) {
  const Span span("beam_search", Span::Kind::other);  // its own time: the choice of candidates
  return best_translations(model, source, options, prefixes, trees);
}

std::vector<Hypothesis> greedy_search(EncoderDecoder& model, const Source& source,
                                      const SearchOptions& options, std::span<const Prefix> prefixes) {
  const Span span("greedy_search", Span::Kind::other);
  SearchOptions one = options;
  one.beam = one.n_best = 1;
  std::vector<Hypothesis> result;
  for (const std::vector<Hypothesis>& best : best_translations(model, source, one, prefixes, nullptr))
    result.push_back(best.front());
  return result;
}

}  // namespace regard::REGARD_PRECISION::transformer
