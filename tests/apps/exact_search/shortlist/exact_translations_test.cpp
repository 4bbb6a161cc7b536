// Exact search with a shortlist.
#include "apps/exact_search/exact_translations.h"

#include <cmath>
#include <limits>

#include "tests/apps/shortlist/list_model.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::Tensor;
using regard::to_index;
using regard::transformer::SearchOptions;

namespace {
using Ids = std::vector<std::int32_t>;
}  // namespace

TEST_CASE("an exact search finds the best sequence of the list's tokens", "[shortlist]") {
  const Shortlist list = neighbours();
  const regard::NoGrad no_grad;
  constexpr Index longest = 3;
  ListModel model;
  for (const Ids& source : {Ids{5, 9}, Ids{11}, Ids{4, 4, 7}}) {
    const Ids allowed = list.tokens(source);
    // log p of all sequences, each with the model's logits of the allowed tokens alone.
    const auto log_probability = [&](const Ids& tokens) {
      const std::vector<Ids> one_source{source}, one_target{tokens};
      const regard::transformer::Batch batch = regard::transformer::make_batch(one_source, one_target);
      const Tensor logits = model.whole.logits(batch);
      double sum = 0;
      for (std::size_t row = 0; row < batch.target_output.size(); ++row) {
        double normaliser = 0;
        for (const std::int32_t token : allowed)
          normaliser += std::exp(double{logits.at({to_index(row), token})});
        sum += double{logits.at({to_index(row), batch.target_output[row]})} - std::log(normaliser);
      }
      return sum;
    };
    double best = -std::numeric_limits<double>::infinity();
    Ids best_tokens;
    std::vector<Ids> sequences{{}};
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const Ids tokens = sequences[i];
      if (const double found = log_probability(tokens); found > best) best = found, best_tokens = tokens;
      if (to_index(tokens.size()) < longest)
        for (const std::int32_t token : allowed)
          if (token >= special::unknown) {
            sequences.push_back(tokens);
            sequences.back().push_back(token);
          }
    }
    const SearchOptions options{.beam = 5, .alpha = 0, .patience = 0, .max_length = longest};
    const auto exact = exact_all({model.whole, &list}, {source}, {.search = options}).front();
    CHECK(exact.complete);
    CHECK(exact.best.tokens == best_tokens);
    CHECK(std::abs(exact.best.log_probability - best) < 1e-4);
    // The whole vocabulary gives these tokens a smaller probability.
    ParallelCorpus pair;
    pair.source = {source};
    pair.target = {best_tokens};
    const auto whole = score_all(model.whole, pair).front();
    CHECK(whole.log_probability < best - 0.01);
  }
}
