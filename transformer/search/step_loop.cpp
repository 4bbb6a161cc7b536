#include "transformer/search/step_loop.h"

#include <algorithm>

#include "autograd/graph.h"
#include "autograd/machine/error.h"

namespace regard::inline REGARD_PRECISION::transformer {

std::vector<std::int32_t> forbidden_after(std::span<const std::int32_t> tokens,
                                          const SearchOptions& options) {
  std::vector<std::int32_t> forbidden;
  forbidden.reserve(2);  // GCC 12 warns wrongly about the first push_back of an empty vector here
  const auto length = to_index(tokens.size());
  if (length < options.min_length) forbidden.push_back(sentence_end_id);
  if (!options.generate_unk) forbidden.push_back(unknown_id);
  if (options.no_repeat_ngram == 0 || options.no_repeat_ngram > length) return forbidden;
  // A repeated n-gram would be the last n-1 tokens and one more. Wherever these n-1 tokens occurred before,
  // the token that followed them must not follow again.
  const auto context = to_size(options.no_repeat_ngram - 1);
  const auto last = tokens.last(context);
  for (std::size_t i = 0; i + context < tokens.size(); ++i)
    if (std::ranges::equal(tokens.subspan(i, context), last)) forbidden.push_back(tokens[i + context]);
  return forbidden;
}

void penalise_repetition(std::span<Real> logits, std::span<const std::int32_t> tokens, double penalty) {
  std::vector<std::int32_t> distinct(tokens.begin(), tokens.end());
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const std::int32_t token : distinct) {
    Real& logit = logits[to_size(token)];
    logit = static_cast<Real>(logit > 0 ? logit / penalty : logit * penalty);
  }
}

std::shared_ptr<const TokenRule> rule_for(const Source& source, Index sentence,
                                          const SearchOptions& options) {
  if (!options.make_rule) return nullptr;
  return options.make_rule(
      std::span(source.ids)
          .subspan(to_size(source.offsets[to_size(sentence)]), to_size(source.length(sentence))));
}

bool Allowed::allows(std::int32_t token) const {
  return only ? token == *only : !std::ranges::binary_search(forbidden, token);
}

Allowed allowed_after(std::span<Real> logits, const Unfinished& unfinished, const SearchOptions& options,
                      const TokenRule* rule) {
  if (rule != nullptr) rule->exclude(logits);
  if (options.repetition_penalty != 1)
    penalise_repetition(logits, unfinished.tokens, options.repetition_penalty);
  Allowed allowed{.forbidden = forbidden_after(unfinished.tokens, options)};
  std::erase_if(allowed.forbidden,
                [&](std::int32_t id) { return to_size(id) >= logits.size(); });  // without <unk>
  if (rule != nullptr && !unfinished.must_end())
    allowed.only = rule->restrict(unfinished.tokens, unfinished.greatest_length - unfinished.length(),
                                  allowed.forbidden);
  std::ranges::sort(allowed.forbidden);
  return allowed;
}

namespace {

std::span<Real> row_of(const Tensor& logits, std::size_t row) {
  const std::size_t columns = to_size(logits.size(1));
  return logits.values().subspan(row * columns, columns);
}

/// True if any constraint is on. (max_length is not one of them: every search respects it.)
bool has_constraints(const SearchOptions& options) {
  return options.min_length > 0 || options.no_repeat_ngram > 0 || options.repetition_penalty != 1 ||
         !options.generate_unk || options.make_rule;
}

NextLogits constrained(const Tensor& logits, const std::vector<Unfinished>& unfinished,
                       const SearchOptions& options,
                       const std::vector<std::shared_ptr<const TokenRule>>& rules) {
  NextLogits next{logits, {}};
  if (!has_constraints(options)) return next;
  for (std::size_t row = 0; row < unfinished.size(); ++row)
    next.allowed.push_back(allowed_after(row_of(logits, row), unfinished[row], options,
                                         rules[to_size(unfinished[row].sentence)].get()));
  return next;
}

}  // namespace

std::span<const Real> NextLogits::row(std::size_t row) const { return row_of(logits, row); }

const Allowed& NextLogits::allowed_in(std::size_t row) const {
  static const Allowed all;
  return allowed.empty() ? all : allowed[row];
}

void run_steps(EncoderDecoder& model, const Source& source, std::vector<Unfinished> unfinished,
               const SearchOptions& constraints, const ChooseExtensions& choose) {
  if (model.target_vocabulary() <= sentence_end_id)
    fail("search: the target vocabulary has {} entries; it needs at least {}, up to </s>",
         model.target_vocabulary(), sentence_end_id + 1);
  const NoGrad no_grad;
  std::vector<std::shared_ptr<const TokenRule>> rules;
  for (Index sentence = 0; sentence < source.sentences(); ++sentence)
    rules.push_back(rule_for(source, sentence, constraints));
  const std::unique_ptr<DecodingState> state = model.begin(source);
  std::vector<Continuation> continuations;
  for (const Unfinished& translation : unfinished)
    continuations.push_back({translation.sentence, {sentence_begin_id}});
  while (!unfinished.empty()) {
    const Tensor logits = model.generator(state->advance(continuations));
    const std::vector<Extension> extensions =
        choose(constrained(logits, unfinished, constraints, rules), unfinished);
    std::vector<Unfinished> extended;
    continuations.clear();
    for (const Extension& extension : extensions) {
      extended.push_back(unfinished[extension.parent]);
      extended.back().tokens.push_back(extension.token);
      extended.back().log_probability = extension.log_probability;
      continuations.push_back({to_index(extension.parent), {extension.token}});
    }
    unfinished = std::move(extended);
  }
}

Hypothesis finished(const Unfinished& unfinished, double log_probability, const SearchOptions& options) {
  return {unfinished.tokens, log_probability,
          log_probability / length_penalty(options, unfinished.length() + 1)};
}

}  // namespace regard::REGARD_PRECISION::transformer
