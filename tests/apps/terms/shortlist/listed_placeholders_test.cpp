// Placeholders that have to come, with a shortlist.
#include "apps/translation/translator/in_batches.h"
#include "tests/apps/terms/shortlist/own_tokens.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;

TEST_CASE("a search with a shortlist keeps the placeholders", "[placeholders]") {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    CAPTURE(seed);
    PiecesModel model(seed);
    const Shortlist list = own_tokens(model);
    check_kept_placeholders(
        model, sources_with_placeholders,
        search_all({model.model, &list}, model.ids(sources_with_placeholders), model.options(4, 9), 30));
  }
}
