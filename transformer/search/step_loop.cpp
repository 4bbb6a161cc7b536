#include "transformer/search/step_loop.h"

#include "autograd/graph.h"
#include "transformer/search/constraints.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

std::span<Real> row_of(const Tensor& logits, std::size_t row) {
  const std::size_t columns = to_size(logits.size(1));
  return logits.values().subspan(row * columns, columns);
}

NextLogits constrained(const Tensor& logits, const std::vector<Unfinished>& unfinished,
                       const SearchOptions& options) {
  NextLogits next{logits, {}};
  if (!has_constraints(options)) return next;
  for (std::size_t row = 0; row < unfinished.size(); ++row)
    next.forbidden.push_back(constrain(row_of(logits, row), unfinished[row].tokens, options));
  return next;
}

}  // namespace

std::span<const Real> NextLogits::row(std::size_t row) const { return row_of(logits, row); }

std::span<const std::int32_t> NextLogits::forbidden_in(std::size_t row) const {
  if (forbidden.empty()) return {};
  return forbidden[row];
}

void run_steps(EncoderDecoder& model, const Source& source, std::vector<Unfinished> unfinished,
               const SearchOptions& constraints, const ChooseExtensions& choose) {
  check_target_vocabulary(model.target_vocabulary());
  const NoGrad no_grad;
  const std::unique_ptr<DecodingState> state = model.begin(source);
  std::vector<Continuation> continuations;
  for (const Unfinished& translation : unfinished)
    continuations.push_back({translation.sentence, {sentence_begin_id}});
  while (!unfinished.empty()) {
    const Tensor logits = model.project(state->advance(continuations));
    const std::vector<Extension> extensions =
        choose(constrained(logits, unfinished, constraints), unfinished);
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

}}}  // namespace regard::REGARD_PRECISION::transformer
