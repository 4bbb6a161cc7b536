#include "apps/exact_search/exact_search.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/machine/profile.h"
#include "autograd/ops.h"
#include "transformer/search/step_loop.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

/// Hypotheses that the decoder reads at the same time. With 1, the search would be exactly that of the paper;
/// the others share the matrix products, and some of them are read before a better bound would exclude them.
constexpr Index together = 32;

/// The search of one sentence by depth first. With gamma = the log-probability of the best translation so
/// far:
///   a hypothesis y goes on with each token w for which log p(y) + log p(w | x, y) > gamma
/// A log-probability only falls from token to token. So nothing that begins with one of the other hypotheses
/// can be better, and when no hypothesis is left, the best translation is found.
class DepthFirst {
 public:
  DepthFirst(EncoderDecoder& model, const Source& sentence, const ExactOptions& options)
      : model_(model),
        options_(options),
        rule_(rule_for(sentence, 0, options.search)),
        longest_(greatest_length(options.search, model.encoder().length(sentence, 0))),
        memory_(model.encode(sentence)) {
    SearchOptions first = options.search;
    first.n_best = 1;
    first.alpha = 0;
    result_.best = beam_search(model, sentence, first).front().front();
    stack_.push_back({.sentence = 0, .greatest_length = longest_});
  }

  ExactResult run() {
    while (true) {
      std::vector<Unfinished> hypotheses = take();
      if (hypotheses.empty()) return result_;
      result_.expansions += to_index(hypotheses.size());
      const Tensor logits = next_logits(hypotheses);
      std::vector<Allowed> allowed;
      for (std::size_t row = 0; row < hypotheses.size(); ++row)
        allowed.push_back(allowed_after(row_of(logits, row), hypotheses[row], options_.search, rule_.get()));
      const LargestLogits normaliser = largest_logits(logits, 1);
      for (std::size_t row = hypotheses.size(); row-- > 0;)  // the likeliest last, so that it is taken next
        extend(allowed[row], static_cast<double>(normaliser.log_sum_exp[row]));
    }
  }

 private:
  static std::span<Real> row_of(const Tensor& logits, std::size_t row) {
    const std::size_t columns = to_size(logits.size(1));
    return logits.values().subspan(row * columns, columns);
  }

  /// Takes hypotheses from the top of the stack, as many as may be read now. Drops those that the bound
  /// excludes. If the limit of expansions leaves some, the search is not complete.
  std::vector<Unfinished> take() {
    const Index most = std::min(together, options_.most_expansions - result_.expansions);
    std::vector<Unfinished> taken;
    while (!stack_.empty()) {
      if (stack_.back().log_probability > result_.best.log_probability) {
        if (to_index(taken.size()) == most) break;
        taken.push_back(std::move(stack_.back()));
      }
      stack_.pop_back();
    }
    result_.complete = stack_.empty() || most > 0;
    return taken;
  }

  /// The logits of the token after each hypothesis, [hypotheses, vocabulary]. The decoder reads the
  /// hypotheses from their beginning, because the stack has them in any order.
  Tensor next_logits(const std::vector<Unfinished>& hypotheses) {
    std::vector<Continuation> continuations;
    std::vector<std::int32_t> last_rows;
    std::int32_t rows = 0;
    for (const Unfinished& hypothesis : hypotheses) {
      continuations.push_back({0, {sentence_begin_id}});
      std::vector<std::int32_t>& tokens = continuations.back().tokens;
      tokens.insert(tokens.end(), hypothesis.tokens.begin(), hypothesis.tokens.end());
      rows += static_cast<std::int32_t>(tokens.size());
      last_rows.push_back(rows - 1);
    }
    return model_.generator(gather(model_.decoder().begin(memory_)->advance(continuations), 0, last_rows));
  }

  /// Puts the extensions of a hypothesis that may lead to a better translation on the stack, the likeliest on
  /// top. If </s> makes the best translation so far, it is the new bound.
  void extend(const Allowed& allowed, double log_sum_exp) {
    const Unfinished& hypothesis = allowed.unfinished;
    const double& bound = result_.best.log_probability;
    std::vector<Extension> extensions;
    const auto take = [&](std::int32_t token) {
      Extension extension = allowed.extension(0, token, log_sum_exp);
      if (extension.log_probability <= bound) return;
      if (extension.token == sentence_end_id)
        result_.best = {hypothesis.tokens, extension.log_probability, extension.log_probability};
      else
        extensions.push_back(std::move(extension));
    };
    std::vector<std::int32_t> tokens(allowed.logits.size());
    std::iota(tokens.begin(), tokens.end(), 0);
    const auto allows = [&](std::int32_t token) { return allowed.allows(token); };
    if (allowed.only || std::ranges::none_of(tokens, allows)) {
      take(allowed.only.value_or(sentence_end_id));
    } else {
      for (const std::int32_t token : tokens)
        if (allowed.extension(0, token, log_sum_exp).log_probability > bound && allows(token)) take(token);
    }
    std::ranges::sort(extensions, [](const Extension& a, const Extension& b) {
      return std::pair(a.log_probability, a.token) < std::pair(b.log_probability, b.token);
    });
    for (const Extension& extension : extensions) stack_.push_back(hypothesis.extended(extension));
  }

  EncoderDecoder& model_;
  const ExactOptions& options_;
  std::shared_ptr<const TokenRule> rule_;
  Index longest_;
  Memory memory_;
  std::vector<Unfinished> stack_;
  ExactResult result_;
};

}  // namespace

void check(const ExactOptions& options) {
  check(options.search);
  if (options.most_expansions < 0 || options.most_expansions > greatest_expansions)
    fail("search: most_expansions is {}; it must be from 0 to {}", options.most_expansions,
         greatest_expansions);
}

std::vector<ExactResult> exact_search(EncoderDecoder& model, const Source& source,
                                      const ExactOptions& options) {
  const Span span("exact_search", Span::Kind::other);  // its own time: the choice of hypotheses
  check(options);
  const NoGrad no_grad;
  std::vector<ExactResult> results;
  for (Index i = 0; i < source.sentences(); ++i) {
    Source sentence;
    sentence.append(
        std::span(source.ids).subspan(to_size(source.offsets[to_size(i)]), to_size(source.length(i))));
    results.push_back(DepthFirst(model, sentence, options).run());
  }
  return results;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
