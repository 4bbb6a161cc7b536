// Samples with placeholders that have to come, and with a shortlist.
#include "apps/sampling/sampled_translations.h"
#include "tests/apps/terms/shortlist/own_tokens.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;

TEST_CASE("samples with a shortlist keep the placeholders of their source", "[placeholders]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    PiecesModel model(seed);
    const Shortlist list = own_tokens(model);
    check_kept_placeholders(model, sources_with_placeholders,
                            sample_all({model.model, &list}, model.ids(sources_with_placeholders),
                                       {.search = model.options(20, 9)}));
  }
}
