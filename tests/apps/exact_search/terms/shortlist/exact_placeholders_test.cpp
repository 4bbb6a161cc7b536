// Exact search with a shortlist and with placeholders that have to come.
#include "apps/exact_search/exact_translations.h"
#include "tests/apps/terms/shortlist/own_tokens.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;

TEST_CASE("exact search keeps the placeholders of a source", "[placeholders]") {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    CAPTURE(seed);
    PiecesModel model(seed);
    const Shortlist list = own_tokens(model);
    std::vector<std::vector<regard::transformer::Hypothesis>> found;
    for (const auto& result : exact_all({model.model, &list}, model.ids(sources_with_placeholders),
                                        {.search = model.options(4, 9)}))
      found.push_back({result.best});
    check_kept_placeholders(model, sources_with_placeholders, found);
  }
}
