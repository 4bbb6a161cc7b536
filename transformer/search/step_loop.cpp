#include "transformer/search/step_loop.h"

#include <algorithm>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "transformer/embeddings.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

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
    if (std::equal(last.begin(), last.end(), tokens.data() + i)) forbidden.push_back(tokens[i + context]);
  return forbidden;
}

void penalise_repetition(std::span<Real> logits, std::span<const std::int32_t> tokens, double penalty) {
  std::vector<std::int32_t> distinct(tokens.begin(), tokens.end());
  std::sort(distinct.begin(), distinct.end());
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

Unfinished Unfinished::extended(const Extension& extension) const {
  Unfinished result = *this;
  result.tokens.push_back(extension.token);
  result.log_probability = extension.log_probability;
  result.rank = extension.rank;
  if (due.empty())
    result.due = extension.due;
  else
    result.due.erase(result.due.begin());
  return result;
}

bool Allowed::allows(std::int32_t token) const {
  return token != padding_id && token != sentence_begin_id && logits[to_size(token)] > never_predicted &&
         !std::binary_search(forbidden.begin(), forbidden.end(), token) &&
         (rule == nullptr || rule->allows(unfinished.tokens, token));
}

std::vector<std::int32_t> Allowed::before_end() const {
  if (rule == nullptr) return {};
  std::vector<std::int32_t> tokens = rule->before_end(unfinished.tokens);
  tokens.resize(std::min(tokens.size(), to_size(unfinished.room())));
  return tokens;
}

Extension Allowed::extension(std::size_t row, std::int32_t token, double log_sum_exp) const {
  const auto log_probability = [&](std::int32_t next) {
    return unfinished.log_probability + (static_cast<double>(logits[to_size(next)]) - log_sum_exp);
  };
  Extension result{row, token, log_probability(token), log_probability(token)};
  if (!unfinished.due.empty()) {
    result.rank = unfinished.rank;
  } else if (token == sentence_end_id) {
    result.due = before_end();
    if (result.due.empty()) return result;
    result.token = result.due.front();
    result.log_probability = log_probability(result.token);
    result.due.erase(result.due.begin());
    result.due.push_back(sentence_end_id);
  }
  return result;
}

Allowed allowed_after(std::span<Real> logits, const Unfinished& unfinished, const SearchOptions& options,
                      const TokenRule* rule) {
  if (rule != nullptr) rule->exclude(logits);
  if (options.repetition_penalty != 1)
    penalise_repetition(logits, unfinished.tokens, options.repetition_penalty);
  Allowed allowed{logits, unfinished, rule};
  if (!unfinished.due.empty()) {
    allowed.only = unfinished.due.front();
    return allowed;
  }
  allowed.forbidden = forbidden_after(unfinished.tokens, options);
  std::erase_if(allowed.forbidden,
                [&](std::int32_t id) { return to_size(id) >= logits.size(); });  // without <unk>
  std::sort(allowed.forbidden.begin(), allowed.forbidden.end());
  if (unfinished.room() <= (rule == nullptr ? 0 : rule->need(unfinished.tokens)))
    allowed.only = sentence_end_id;
  return allowed;
}

namespace {

std::span<Real> row_of(const Tensor& logits, std::size_t row) {
  const std::size_t columns = to_size(logits.size(1));
  return logits.values().subspan(row * columns, columns);
}

NextLogits constrained(const Tensor& logits, const std::vector<Unfinished>& unfinished,
                       const SearchOptions& options,
                       const std::vector<std::shared_ptr<const TokenRule>>& rules) {
  NextLogits next{logits, {}};
  for (std::size_t row = 0; row < unfinished.size(); ++row)
    next.allowed.push_back(allowed_after(row_of(logits, row), unfinished[row], options,
                                         rules[to_size(unfinished[row].sentence)].get()));
  return next;
}

}  // namespace

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
      extended.push_back(unfinished[extension.parent].extended(extension));
      continuations.push_back({to_index(extension.parent), {extension.token}});
    }
    unfinished = std::move(extended);
  }
}

Hypothesis finished(const Unfinished& unfinished, double log_probability, const SearchOptions& options) {
  return {unfinished.tokens, log_probability,
          log_probability / length_penalty(options, unfinished.length() + 1)};
}

}}}  // namespace regard::REGARD_PRECISION::transformer
