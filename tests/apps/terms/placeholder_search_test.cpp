// Searches that keep placeholders: what they find, lose and leave alone.
#include <algorithm>
#include <set>

#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/error.h"
#include "tests/apps/terms/placeholder_model.h"
#include "tests/catch.h"
#include "transformer/transformer.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_index;
using regard::to_size;
using regard::transformer::Hypothesis;
using regard::transformer::SearchOptions;

namespace {
using Ids = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;
}  // namespace

TEST_CASE("greedy and beam search keep the placeholders, in batches", "[placeholders]") {
  Index lost = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    CAPTURE(seed);
    PiecesModel model(seed);
    const std::vector<Ids> ids = model.ids(sources_with_placeholders);
    const auto check = [&](const std::vector<std::vector<Hypothesis>>& found) {
      check_kept_placeholders(model, sources_with_placeholders, found);
    };
    for (const Index longest : {6, 7, 12})  // 6: just enough for "%s %s {0}"
      for (const Index beam : {1, 4}) check(search_all(model.model, ids, model.options(beam, longest), 30));
    SearchOptions free = model.options(4, 9);
    free.make_rule = {};
    const auto found = search_all(model.model, ids, free);
    for (std::size_t i = 0; i < sources_with_placeholders.size(); ++i)
      lost += !keeps_placeholders(sources_with_placeholders[i], model.text(found[i][0].tokens));
  }
  CHECK(lost > 10);  // without the rule
}

TEST_CASE("a sentence without placeholders has no rule and the same bits", "[placeholders]") {
  PiecesModel model(3);
  CHECK(model.rule("a 7 s") == nullptr);
  const std::vector<Ids> ids = model.ids(sources_with_placeholders);
  for (const Index beam : {1, 4}) {
    const SearchOptions options = model.options(beam, 9);
    SearchOptions free = options;
    free.make_rule = {};
    const auto with = search_all(model.model, ids, options), without = search_all(model.model, ids, free);
    for (std::size_t i = 0; i < sources_with_placeholders.size(); ++i) {
      if (!placeholders_of(sources_with_placeholders[i]).empty()) continue;
      for (std::size_t n = 0; n < with[i].size(); ++n) {
        CHECK(with[i][n].tokens == without[i][n].tokens);
        CHECK(with[i][n].score == without[i][n].score);
      }
    }
  }
}

TEST_CASE("of all translations with the placeholders, the search loses none that fits easily",
          "[placeholders]") {
  PiecesModel model(5);
  const std::string source = "a %s";
  const Index longest = 4;
  std::set<Ids> found;
  const auto list = search_all(model.model, {model.ids(source)}, model.options(4000, longest)).front();
  for (const auto& hypothesis : list) found.insert(hypothesis.tokens);
  CHECK(found.size() == list.size());
  // Everything of up to four tokens; <unk> is written like a tag.
  std::vector<Ids> all{{}};
  Index expected = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Ids tokens = all[i];
    if (to_index(tokens.size()) < longest)
      for (std::int32_t token = special::unknown; token < model.vocabularies.target.size(); ++token) {
        all.push_back(tokens);
        all.back().push_back(token);
      }
    const bool kept = keeps_placeholders(source, model.text(tokens));
    CAPTURE(model.text(tokens));
    if (found.contains(tokens)) CHECK(kept);
    // "%s" needs two tokens, so it comes after two tokens without it.
    const Ids begin(tokens.begin(), tokens.begin() + std::min<std::ptrdiff_t>(2, std::ssize(tokens)));
    if (!kept || placeholders_of(model.text(begin)).empty()) continue;
    ++expected;
    CHECK(found.contains(tokens));
  }
  CHECK(expected > 100);
}
