// The page of a model whose translations keep to a shortlist.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/explore/explorer.h"
#include "apps/shortlist/shortlist.h"
#include "apps/translation/translator/translator.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::explore;
using namespace regard::tests;
using namespace regard::translation;

TEST_CASE("the page shows a search that keeps to a shortlist", "[explore]") {
  const TemporaryDirectory temporary;
  const std::string directory = temporary / "model";
  SmallTraining small;
  Training training = prepare_training(small.settings, directory, small.options());
  run_training(training);
  const Vocabularies vocabularies = TranslationModel::load(directory).vocabularies;
  std::vector<std::vector<std::int32_t>> of_source(regard::to_size(vocabularies.source.size()));
  for (std::size_t i = 4; i < of_source.size(); ++i) of_source[i] = {static_cast<std::int32_t>(15 - i)};
  Shortlist({0, 1, 2, 3}, of_source).save(directory + "/" + shortlist_file, vocabularies);

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
  Explorer listed({.directories = {directory}, .loading = {.selection = "shortlist"}});
  CHECK(listed.model()["shortlist"] == true);
  const Json reply = listed.translate(request);
  CHECK(tokens_of_tree(reply) == allowed);
  // The same translations as without a record of the search.
  Translator translator = Translator::load(directory, {.selection = "shortlist"});
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
