#include "transformer/search/search.h"

#include <algorithm>
#include <numeric>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "transformer/search/banks.h"
#include "transformer/search/step_loop.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

/// The better candidate first. Ties go to the earlier hypothesis, then to the smaller id: the same search
/// every time.
bool better(const Extension& a, const Extension& b) {
  if (a.rank != b.rank) return a.rank > b.rank;
  return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
}

/// The most probable tokens after each unfinished translation. <pad> and <s> never come.
class NextTokens {
 public:
  NextTokens(const NextLogits& next, Index beam)
      : next_(next), beam_(beam), largest_(largest_logits(next.logits, beam + 2 + most_forbidden())) {}

  /// The extensions of a row by the best tokens: at least `beam` of them, if the options allow as many,
  /// without those that the rule refuses. Only by </s> if no token is allowed.
  std::vector<Extension> best(std::size_t row) const {
    const Allowed& allowed = next_.allowed[row];
    const auto begin = largest_.positions.begin() + to_index(row) * largest_.count;
    std::vector<std::int32_t> tokens(begin, begin + largest_.count);
    if (allowed.only)
      tokens = {*allowed.only};
    else
      std::erase_if(tokens, [&](std::int32_t token) { return !allowed.allows(token); });
    if (tokens.empty()) tokens = {likeliest(allowed)};
    if (!allowed.only && rule_with_banks(row)) add_wanted(tokens, allowed);
    std::vector<Extension> result;
    for (const std::int32_t token : tokens)
      result.push_back(allowed.extension(row, token, static_cast<double>(largest_.log_sum_exp[row])));
    return result;
  }

  /// The rule of a row if it has banks; otherwise null.
  const TokenRule* rule_with_banks(std::size_t row) const {
    const TokenRule* const rule = next_.allowed[row].rule;
    return rule != nullptr && beam_ > 1 && rule->banks() > 1 ? rule : nullptr;
  }

 private:
  /// This many more tokens are looked at, so that `beam` of them are allowed.
  Index most_forbidden() const {
    std::size_t most = 0;
    for (const Allowed& of_row : next_.allowed) most = std::max(most, of_row.forbidden.size());
    return to_index(most);
  }

  /// Adds the tokens that the rule wants, and that are not there.
  static void add_wanted(std::vector<std::int32_t>& tokens, const Allowed& allowed) {
    for (const std::int32_t token : allowed.rule->wanted(allowed.unfinished.tokens))
      if (std::find(tokens.begin(), tokens.end(), token) == tokens.end() && allowed.allows(token))
        tokens.push_back(token);
  }

  /// The most probable of all allowed tokens; </s> if there is none.
  static std::int32_t likeliest(const Allowed& allowed) {
    std::vector<std::int32_t> tokens(allowed.logits.size());
    std::iota(tokens.begin(), tokens.end(), 0);
    std::stable_sort(tokens.begin(), tokens.end(), [&](std::int32_t a, std::int32_t b) {
      return allowed.logits[to_size(a)] > allowed.logits[to_size(b)];
    });
    const auto found =
        std::find_if(tokens.begin(), tokens.end(), [&](std::int32_t token) { return allowed.allows(token); });
    return found == tokens.end() ? sentence_end_id : *found;
  }

  const NextLogits& next_;
  Index beam_;
  LargestLogits largest_;
};

/// The search of one sentence.
class SentenceSearch {
 public:
  /// `tree` receives the record of the search unless it is null.
  SentenceSearch(const SearchOptions& options, SearchTree* tree) : options_(options), tree_(tree) {}

  /// Extends the unfinished translations of this sentence, rows first .. last (the last excluded). The `beam`
  /// best extensions are taken: those with </s> are finished, the others are returned. Returns none when the
  /// search has ended.
  std::vector<Extension> extend(const NextTokens& tokens, const std::vector<Unfinished>& unfinished,
                                std::size_t first, std::size_t last) {
    std::vector<Extension> live = best_candidates(tokens, unfinished, first, last);
    const bool has_best = tokens.rule_with_banks(first) && best_.size() >= to_size(options_.n_best);
    const auto is_over = [&](const Extension& candidate) {
      return candidate.token == sentence_end_id || (has_best && !candidate.due.empty());
    };
    if (tree_ != nullptr) record(live, first, is_over);
    live.resize(std::min(live.size(), to_size(options_.beam)));
    std::erase_if(live, [&](const Extension& candidate) {
      if (!is_over(candidate)) return false;
      if (candidate.token == sentence_end_id)
        add_finished(finished(unfinished[candidate.parent], candidate.log_probability, options_));
      else
        ++finished_count_;  // a bank has a translation with all terms in their places
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
    for (std::size_t row = first; row < last; ++row)
      for (Extension& best : tokens.best(row)) candidates.push_back(std::move(best));
    const Index wanted = tree_ == nullptr ? options_.beam : 2 * options_.beam;
    const auto count = std::min(to_index(candidates.size()), wanted);
    const TokenRule* const rule = tokens.rule_with_banks(first);
    if (rule) {
      std::sort(candidates.begin(), candidates.end(), better);
      candidates = share_among_banks(std::move(candidates), *rule, unfinished, options_.beam);
    } else {
      std::partial_sort(candidates.begin(), candidates.begin() + count, candidates.end(), better);
    }
    candidates.resize(to_size(count));
    return candidates;
  }

  /// Adds a step to the tree. The parents of the candidates are rows from `first` on, which are the
  /// hypotheses that lived on in the step before, in this order.
  template <class IsOver>
  void record(const std::vector<Extension>& candidates, std::size_t first, const IsOver& is_over) {
    std::vector<Index> alive;
    std::vector<SearchNode>& step = tree_->emplace_back();
    for (const Extension& candidate : candidates) {
      const Index parent = alive_.empty() ? -1 : alive_[candidate.parent - first];
      const bool kept = to_index(step.size()) < options_.beam;
      const bool ends = is_over(candidate);
      const auto state = !kept  ? SearchNode::State::pruned
                         : ends ? SearchNode::State::ended
                                : SearchNode::State::alive;
      if (state == SearchNode::State::alive) alive.push_back(next_id_);
      step.push_back({next_id_++, parent, candidate.token, candidate.log_probability, state});
    }
    alive_ = std::move(alive);
  }

  void add_finished(Hypothesis hypothesis) {
    // A hypothesis may have chosen the same tokens that came instead of </s> in another one.
    if (std::any_of(best_.begin(), best_.end(),
                    [&](const Hypothesis& other) { return other.tokens == hypothesis.tokens; }))
      return;
    ++finished_count_;
    best_.push_back(std::move(hypothesis));
    std::stable_sort(best_.begin(), best_.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
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
    return std::all_of(live.begin(), live.end(), [&](const Extension& hypothesis) {
      return hypothesis.log_probability / penalty <= best_.back().score;
    });
  }

  SearchOptions options_;
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
    unfinished.push_back({.sentence = i,
                          .greatest_length = greatest_length(options, model.encoder().length(source, i)),
                          .due = prefixes.empty() ? Prefix() : prefixes[to_size(i)]});
    searches.emplace_back(options, trees == nullptr ? nullptr : &(*trees)[to_size(i)]);
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

}}}  // namespace regard::REGARD_PRECISION::transformer
