#include "transformer/search/search.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "autograd/checked_cast.h"
#include "autograd/graph.h"
#include "autograd/ops/softmax.h"
#include "transformer/decoding.h"
#include "transformer/search/constraints.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

/// A partial translation.
struct Live {
  std::vector<std::int32_t> tokens;
  double log_probability = 0;
};

/// One more token after a live hypothesis.
struct Candidate {
  std::size_t parent;
  std::int32_t token;
  double log_probability;

  /// Ties go to the earlier hypothesis, then to the smaller id: the same search every time.
  bool better_than(const Candidate& other) const {
    if (log_probability != other.log_probability) return log_probability > other.log_probability;
    return parent != other.parent ? parent < other.parent : token < other.token;
  }
};

/// What must not come after each live hypothesis; empty if there are no constraints.
using Forbidden = std::vector<std::vector<std::int32_t>>;

/// The most probable tokens after each live hypothesis, one row each. <pad> and <s> never come.
class NextTokens {
 public:
  NextTokens(const Tensor& logits, Index beam, Forbidden forbidden)
      : logits_(logits),
        forbidden_(std::move(forbidden)),
        largest_(largest_logits(logits, beam + 2 + most_forbidden())) {}

  struct Token {
    std::int32_t id;
    double log_probability;
  };
  /// At least `beam` of them, if as many may come; the best first. Only </s> where nothing may.
  std::vector<Token> best(Index row) const {
    std::vector<Token> tokens;
    for (Index i = row * largest_.count; i < (row + 1) * largest_.count; ++i) {
      const auto at = to_size(i);
      const std::int32_t id = largest_.positions[at];
      if (id != padding_id && id != sentence_begin_id && !is_forbidden(id, row))
        tokens.push_back({id, log_probability(largest_.logits[at], row)});
    }
    if (tokens.empty()) tokens.push_back({sentence_end_id, of_end(row)});
    return tokens;
  }
  /// The log-probability of </s>.
  double of_end(Index row) const {
    return log_probability(logits_.data()[row * logits_.size(1) + sentence_end_id], row);
  }

 private:
  /// So many more candidates are needed that enough of them are allowed.
  Index most_forbidden() const {
    std::size_t most = 0;
    for (const std::vector<std::int32_t>& of_row : forbidden_) most = std::max(most, of_row.size());
    return to_index(most);
  }
  bool is_forbidden(std::int32_t id, Index row) const {
    if (forbidden_.empty()) return false;
    const std::vector<std::int32_t>& of_row = forbidden_[to_size(row)];
    return std::ranges::find(of_row, id) != of_row.end();
  }
  double log_probability(Real logit, Index row) const {
    return static_cast<double>(logit) - static_cast<double>(largest_.log_sum_exp[to_size(row)]);
  }

  Tensor logits_;
  Forbidden forbidden_;  ///< before largest_, which is made with it
  LargestLogits largest_;
};

std::span<Real> row_of(const Tensor& logits, std::size_t row) {
  const auto columns = to_size(logits.size(1));
  return logits.values().subspan(row * columns, columns);
}

/// The search of one sentence.
class Sentence {
 public:
  Sentence(const SearchOptions& options, Index source_length)
      : options_(options), max_length_(greatest_length(options, source_length)), live_(1) {}

  const std::vector<Live>& live() const { return live_; }
  bool done() const { return live_.empty(); }

  /// Extends each live hypothesis; rows first_row .. are the tokens after each of them. Returns the parents
  /// of the new live hypotheses. The `beam` best extensions are taken: those with </s> are finished, the
  /// others live on.
  std::vector<std::size_t> extend(const NextTokens& tokens, Index first_row) {
    std::vector<Live> next;
    std::vector<std::size_t> parents;
    for (const Candidate& candidate : best_candidates(tokens, first_row)) {
      const Live& parent = live_[candidate.parent];
      if (candidate.token == sentence_end_id) {
        finish(parent.tokens, candidate.log_probability);
        continue;
      }
      next.push_back({parent.tokens, candidate.log_probability});
      next.back().tokens.push_back(candidate.token);
      parents.push_back(candidate.parent);
    }
    live_ = std::move(next);
    if (done_searching()) {
      live_.clear();
      parents.clear();
    }
    return parents;
  }

  std::vector<Hypothesis> best() const {
    const auto count = std::min(finished_.size(), to_size(options_.n_best));
    return {finished_.begin(), finished_.begin() + static_cast<std::ptrdiff_t>(count)};
  }

 private:
  std::vector<Candidate> best_candidates(const NextTokens& tokens, Index first_row) const {
    std::vector<Candidate> candidates;
    for (std::size_t parent = 0; parent < live_.size(); ++parent) {
      const Index row = first_row + to_index(parent);
      const double so_far = live_[parent].log_probability;
      if (to_index(live_[parent].tokens.size()) == max_length_)
        candidates.push_back({parent, sentence_end_id, so_far + tokens.of_end(row)});
      else
        for (const auto& [token, log_probability] : tokens.best(row))
          candidates.push_back({parent, token, so_far + log_probability});
    }
    const auto beam = std::min(candidates.size(), to_size(options_.beam));
    std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(beam),
                              [](const Candidate& a, const Candidate& b) { return a.better_than(b); });
    candidates.resize(beam);
    return candidates;
  }

  void finish(const std::vector<std::int32_t>& tokens, double log_probability) {
    const auto length = to_index(tokens.size()) + 1;
    ++finished_count_;
    finished_.push_back({tokens, log_probability, log_probability / length_penalty(options_, length)});
    std::ranges::stable_sort(finished_, std::greater<>(), &Hypothesis::score);
    if (finished_.size() > to_size(options_.n_best)) finished_.pop_back();
  }

  bool done_searching() const {
    if (live_.empty()) return true;
    if (finished_.size() < to_size(options_.n_best)) return false;
    return nothing_left_to_win() || (out_of_patience() && none_is_ahead());
  }

  /// No live hypothesis can still beat the worst of the n best: its log-probability only falls, and the
  /// length at which dividing helps most is the longest (with alpha < 0, the shortest).
  bool nothing_left_to_win() const {
    return none_beats_at(options_.alpha > 0 ? max_length_ + 1 : next_length());
  }

  /// Enough translations are finished.
  bool out_of_patience() const {
    return options_.patience > 0 &&
           static_cast<double>(finished_count_) >= options_.patience * static_cast<double>(options_.beam);
  }

  /// None would be among the n best if it ended here, and at no cost.
  bool none_is_ahead() const { return none_beats_at(next_length()); }

  Index next_length() const { return to_index(live_.front().tokens.size()) + 1; }

  bool none_beats_at(Index length) const {
    const double penalty = length_penalty(options_, length);
    return std::ranges::all_of(live_, [&](const Live& hypothesis) {
      return hypothesis.log_probability / penalty <= finished_.back().score;
    });
  }

  SearchOptions options_;
  Index max_length_;
  std::vector<Live> live_;
  Index finished_count_ = 0;
  std::vector<Hypothesis> finished_;  ///< at most n_best, best first
};

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(Transformer& model, const PackedSequences& source,
                                                 const SearchOptions& options) {
  const Span span("beam_search", Span::Kind::other);  // its own time: choosing candidates
  check_target_vocabulary(model.config().target_vocabulary);
  check(options);
  const NoGrad no_grad;
  IncrementalDecoder decoder(model, source);
  std::vector<Sentence> sentences;
  std::vector<Continuation> continuations;
  for (Index i = 0; i < source.sentences(); ++i) {
    const auto n = to_size(i);
    sentences.emplace_back(options, source.offsets[n + 1] - source.offsets[n] - 1);
    continuations.push_back({i, {sentence_begin_id}});
  }
  while (!continuations.empty()) {
    const Tensor logits = model.project(decoder.advance(continuations));
    Forbidden forbidden;
    if (has_constraints(options))
      for (const Sentence& sentence : sentences)
        for (const Live& hypothesis : sentence.live())
          forbidden.push_back(constrain(row_of(logits, forbidden.size()), hypothesis.tokens, options));
    const NextTokens tokens(logits, options.beam, std::move(forbidden));
    continuations.clear();
    Index row = 0;  // the live hypotheses of all sentences, one after another
    for (Sentence& sentence : sentences) {
      if (sentence.done()) continue;
      const Index first = row;
      row += to_index(sentence.live().size());
      const std::vector<std::size_t> parents = sentence.extend(tokens, first);
      for (std::size_t i = 0; i < parents.size(); ++i)
        continuations.push_back({first + to_index(parents[i]), {sentence.live()[i].tokens.back()}});
    }
  }
  std::vector<std::vector<Hypothesis>> result;
  for (const Sentence& sentence : sentences) result.push_back(sentence.best());
  return result;
}

std::vector<Hypothesis> greedy_search(Transformer& model, const PackedSequences& source,
                                      const SearchOptions& options) {
  const Span span("greedy_search", Span::Kind::other);
  check_target_vocabulary(model.config().target_vocabulary);
  SearchOptions one = options;
  one.beam = one.n_best = 1;
  check(one);
  const NoGrad no_grad;
  IncrementalDecoder decoder(model, source);
  std::vector<Hypothesis> result(to_size(source.sentences()));
  std::vector<std::size_t> live;  // sentences that have not ended
  std::vector<Continuation> continuations;
  for (std::size_t i = 0; i < result.size(); ++i) {
    live.push_back(i);
    continuations.push_back({to_index(i), {sentence_begin_id}});
  }
  while (!continuations.empty()) {
    const Tensor logits = model.project(decoder.advance(continuations));
    Forbidden forbidden;
    if (has_constraints(options))
      for (const std::size_t sentence : live)
        forbidden.push_back(constrain(row_of(logits, forbidden.size()), result[sentence].tokens, options));
    const NextTokens tokens(logits, 1, std::move(forbidden));
    std::vector<std::size_t> still_live;
    continuations.clear();
    for (std::size_t row = 0; row < live.size(); ++row) {
      Hypothesis& hypothesis = result[live[row]];
      const auto in_batch = to_index(row);
      const Index source_length = source.offsets[live[row] + 1] - source.offsets[live[row]] - 1;
      const bool may_go_on = to_index(hypothesis.tokens.size()) < greatest_length(options, source_length);
      const auto [best, log_probability] = may_go_on
                                               ? tokens.best(in_batch).front()
                                               : NextTokens::Token{sentence_end_id, tokens.of_end(in_batch)};
      hypothesis.log_probability += log_probability;
      if (best == sentence_end_id) {
        const auto length = to_index(hypothesis.tokens.size()) + 1;
        hypothesis.score = hypothesis.log_probability / length_penalty(options, length);
        continue;
      }
      hypothesis.tokens.push_back(best);
      still_live.push_back(live[row]);
      continuations.push_back({in_batch, {best}});
    }
    live = std::move(still_live);
  }
  return result;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
