// The models that the page shows and compares.
#include "apps/explore/explorer.h"

#include <nlohmann/json.hpp>

#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::explore;
using namespace regard::tests;
using regard::Random;
using namespace regard::translation;

namespace {

/// Makes regard's model under another name.
regard::transformer::EncoderDecoder make_own(Settings settings, const Vocabularies& vocabularies,
                                             Random random) {
  settings.model.own = "";
  return make_model(settings, vocabularies, random);
}

/// Trains in a new directory; with `own`, a model of one's own.
std::string trained(const TemporaryDirectory& temporary, const std::string& name, bool own) {
  SmallTraining small;
  TrainingOptions options = small.options();
  if (own) {
    small.settings.model.own = "mine";
    options.make_model = make_own;
  }
  Training training = prepare_training(small.settings, temporary / name, options);
  run_training(training);
  return temporary / name;
}

}  // namespace

TEST_CASE("a model of one's own is compared with one of regard's", "[explore]") {
  const TemporaryDirectory temporary;
  const std::string mine = trained(temporary, "mine", true), regards = trained(temporary, "regards", false);
  const auto text = [](Explorer& explorer, const Json& request) {
    return explorer.translate(request)["hypotheses"][0]["text"];
  };
  for (const auto& [first, second] : {std::pair{mine, regards}, {regards, mine}}) {
    Explorer explorer({.directories = {first, second}, .loading = {.make_model = make_own}});
    CHECK(explorer.model()["own"] == (first == mine ? "mine" : ""));
    CHECK(explorer.model()["others"] == Json({second}));
    // Both have the same weights, because both were trained alike.
    CHECK(text(explorer, {{"source", "w1 w2"}}) == text(explorer, {{"source", "w1 w2"}, {"model", second}}));
  }
  Explorer without({.directories = {regards, mine}});
  CHECK_ERROR(without.translate({{"source", "w1"}, {"model", mine}}), mine + ": the model is \"mine\"");
  CHECK_ERROR(Explorer({.directories = {mine}}), mine + ": the model is \"mine\"");
}
