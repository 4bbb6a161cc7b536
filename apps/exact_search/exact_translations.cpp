#include "apps/exact_search/exact_translations.h"

#include "apps/translation/processes/sharing.h"
#include "apps/translation/translator/hypothesis_json.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExactResult, best, complete, expansions)

}}}  // namespace regard::REGARD_PRECISION::transformer

namespace regard::translation {

using transformer::ExactOptions;
using transformer::ExactResult;

std::vector<ExactResult> exact_all(const Searched& with,
                                   const std::vector<std::vector<std::int32_t>>& sources,
                                   const ExactOptions& options, Processes& processes) {
  return compute_all(
      sources.size(),
      [&](std::size_t i) {
        const transformer::PackedSequences sentence = transformer::pack_sources({&sources[i], 1});
        ExactResult result;
        result.best = search_with(with, sentence, options.search, {},
                                  [&](auto& model, const transformer::SearchOptions& search,
                                      const auto&) -> Hypotheses {
                                    ExactOptions exact = options;
                                    exact.search = search;
                                    result = exact_search(model, sentence, exact).front();
                                    return {{result.best}};
                                  })
                          .front()
                          .front();
        return result;
      },
      processes);
}

}  // namespace regard::translation
