// Samples with placeholders that have to come.
#include "apps/sampling/sampled_translations.h"
#include "tests/apps/terms/placeholder_model.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::transformer::SamplingOptions;

namespace {
using Ids = std::vector<std::int32_t>;
}  // namespace

TEST_CASE("samples keep the placeholders of their source, also when there is just enough room",
          "[placeholders]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    PiecesModel model(seed);
    const std::vector<Ids> ids = model.ids(sources_with_placeholders);
    const SamplingOptions options{.search = model.options(20, 9)};
    check_kept_placeholders(model, sources_with_placeholders, sample_all(model.model, ids, options));
    // One placeholder begins with another one.
    PiecesModel begun(seed, {"_a", "_", "%1", "$", "s", "0", "_%1"});
    const std::vector<std::string> some{"%1 a %10", "a %1$s", "%1 %1$s %10", "%10 %10 a"};
    for (const Index longest : {6, 10})
      check_kept_placeholders(
          begun, some,
          sample_all(begun.model, begun.ids(some), {.search = begun.options(4, longest, {"%10"})}));
  }
}
