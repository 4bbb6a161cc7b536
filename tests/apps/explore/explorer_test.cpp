// The models that the page shows and compares.
#include "apps/explore/explorer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/translation/shortlist/shortlist.h"
#include "apps/translation/translator/translator.h"
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

TEST_CASE("the page shows a search that keeps to a shortlist", "[explore]") {
  const TemporaryDirectory temporary;
  const std::string directory = trained(temporary, "model", false);
  const ModelDirectory files(directory);
  const Vocabularies vocabularies = TranslationModel::load(directory).vocabularies;
  std::vector<std::vector<std::int32_t>> of_source(regard::to_size(vocabularies.source.size()));
  for (std::size_t i = 4; i < of_source.size(); ++i) of_source[i] = {static_cast<std::int32_t>(15 - i)};
  Shortlist({0, 1, 2, 3}, of_source).save(files.shortlist(), vocabularies);

  const Json request{{"source", "w1 w6"}, {"search", {{"beam", 4}, {"n_best", 4}}}};
  std::set<std::string> allowed{"<unk>", "</s>"};
  for (const char* const word : {"w1", "w6"})
    allowed.insert(vocabularies.target.token(15 - vocabularies.source.id(word)));
  const auto tokens_of_tree = [](const Json& reply) {
    std::set<std::string> tokens;
    for (const Json& step : reply["search_tree"]["steps"])
      for (const Json& node : step["hypotheses"]) tokens.insert(node["token"].get<std::string>());
    return tokens;
  };
  Explorer listed({.directories = {directory}, .loading = {.shortlist = true}});
  CHECK(listed.model()["shortlist"] == true);
  const Json reply = listed.translate(request);
  CHECK(tokens_of_tree(reply) == allowed);
  // The same translations as without a record of the search.
  Translator translator = Translator::load(directory, {.shortlist = true});
  regard::transformer::SearchOptions options = translator.decoding();
  options.beam = options.n_best = 4;
  const auto expected = translator.translate({"w1 w6"}, options).front().n_best;
  REQUIRE(reply["hypotheses"].size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(reply["hypotheses"][i]["text"] == expected[i].text);
    CHECK(reply["hypotheses"][i]["score"] == *expected[i].score);
  }
  CHECK_ERROR(listed.translate({{"source", "w1"}, {"search", {{"beam", 5}}}}),
              "search.beam is 5, but the shortlist of a sentence may have only 4 tokens");

  Explorer whole({.directories = {directory}});
  CHECK(whole.model()["shortlist"] == false);
  const std::set<std::string> all = tokens_of_tree(whole.translate(request));
  CHECK_FALSE(std::ranges::includes(allowed, all));
}
