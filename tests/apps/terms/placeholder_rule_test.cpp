// Placeholders of the source are in its translation, exactly as often, however they are cut into tokens.
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

TEST_CASE("a rule says what is missing, what is too much and what has to come", "[placeholders]") {
  const PiecesModel model(1);
  const auto rule = model.rule("a %s");
  REQUIRE(rule != nullptr);
  const auto refused = [&](const Texts& tokens) {
    std::set<std::string> result;
    for (Index id = special::unknown; id < model.vocabularies.target.size(); ++id)
      if (!rule->allows(model.vocabularies.target.ids(tokens), static_cast<std::int32_t>(id)))
        result.insert(model.vocabularies.target.token(id));
    return result;
  };
  using Set = std::set<std::string>;
  CHECK(refused({"_a"}) == Set{"<unk>"});
  CHECK(refused({"_a", "_%"}) == Set{"<unk>", "%", "s%s"});  // "%%" is another one, "%s%s" has two
  CHECK(refused({"(%s"}) == Set{"<unk>", "(%s", "s%s"});     // one is there, in another token
  CHECK(refused({"_%", "s", "%"}) == Set{"<unk>", "%", "(%s", "s%s", "s"});
  CHECK(refused({"_{0"}) == Set{"<unk>", "}"});
  // What is wrong in a prefix does not forbid everything after it.
  CHECK(refused({"_{0", "}", "_a"}) == Set{"<unk>"});
  const auto missing = [&](const Texts& tokens) {
    return model.vocabularies.target.tokens(rule->before_end(model.vocabularies.target.ids(tokens)));
  };
  CHECK(missing({"_a"}) == Texts{"_%", "s"});
  CHECK(missing({"_a", "%"}) == Texts{"_%", "s"});
  CHECK(missing({"_a", "%", "s"}).empty());
  CHECK(missing({"(%s"}).empty());
  CHECK(model.vocabularies.target.tokens(model.rule("%s {0} %s")->before_end(model.ids("%s"))) ==
        Texts{"_{0", "}", "_%", "s"});
}

TEST_CASE("a placeholder that begins with another one", "[placeholders]") {
  const PiecesModel model(1, {"_a", "_", "%1", "$", "s", "0", "_%1"});
  const Texts patterns{"%10"};
  const auto allows = [&](const std::string& source, const Texts& tokens, const std::string& next) {
    return model.rule(source, patterns)->allows(model.vocabularies.target.ids(tokens), model.id(next));
  };
  const auto ends = [&](const std::string& source, const Texts& tokens) {
    return model.rule(source, patterns)->allows(model.vocabularies.target.ids(tokens), special::end);
  };
  const auto missing = [&](const std::string& source, const Texts& tokens) {
    return model.text(model.rule(source, patterns)->before_end(model.vocabularies.target.ids(tokens)));
  };
  CHECK_FALSE(allows("a %1", {"_%1"}, "0"));
  CHECK_FALSE(allows("%10 %1", {"_%1", "0", "_%1"}, "0"));
  CHECK(allows("%10 %1", {"_%1"}, "0"));
  CHECK(missing("%10 %1", {"_%1"}) == "%10");
  CHECK(missing("%1 %10", {"_%1", "0"}) == "%1");
  // %1 can only be the beginning of %1$s, which has to go on.
  CHECK(allows("a %1$s", {"_a"}, "_%1"));
  CHECK(allows("a %1$s", {"_%1"}, "$"));
  CHECK(allows("a %1$s", {"_%1", "$"}, "s"));
  CHECK_FALSE(allows("a %1$s", {"_%1"}, "_a"));
  CHECK_FALSE(allows("a %1$s", {"_%1", "$"}, "_a"));
  CHECK_FALSE(ends("a %1$s", {"_%1"}));
  CHECK(ends("a %1$s", {"_a"}));
  CHECK(missing("a %1$s", {"_%1"}) == "$s");
  CHECK(missing("a %1$s", {"_a"}) == "%1$s");
  // Both are in the source; the shorter one is there until the longer one is.
  CHECK(ends("%1 %1$s", {"_%1"}));
  CHECK(missing("%1 %1$s", {"_%1"}) == "%1$s");
  CHECK(missing("%1 %1$s", {"_%1", "$", "s"}) == "%1");
  // Also when there is just enough room.
  const Texts some{"%1 a %10", "a %1$s", "%1 %1$s %10", "%10 %10 a"};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    PiecesModel random(seed, model.tokeniser.all);
    for (const Index longest : {6, 10}) {
      const SearchOptions options = random.options(4, longest, patterns);
      CAPTURE(longest);
      check_kept_placeholders(random, some, search_all(random.model, random.ids(some), options));
    }
  }
}

TEST_CASE("missing placeholders come in place of </s>, in the order of the source", "[placeholders]") {
  const Texts pieces{"_a", "_b", "_<b>", "_</b>", "_{0}", "_{1}"};
  PiecesModel model(4, pieces);
  for (const char* const part : {"_<b>", "_</b>", "_{0}", "_{1}"})
    model.model.generator.bias.data()[model.id(part)] = -30;
  const std::string source = "a {0} <b> b </b> {1}";
  for (const Index beam : {1, 4}) {
    SearchOptions options = model.options(beam, 30);
    options.n_best = 1;
    options.alpha = 0;
    SearchOptions free = options;
    free.make_rule = {};
    const auto end = [&](const Hypothesis& hypothesis) { return model.text(hypothesis.tokens); };
    const Hypothesis with = search_all(model.model, {model.ids(source)}, options).front().front();
    const Hypothesis without = search_all(model.model, {model.ids(source)}, free).front().front();
    CHECK(to_index(without.tokens.size()) < 20);
    CHECK(placeholders_of(end(without)).empty());
    if (beam == 1) CHECK(end(with) == end(without) + (end(without).empty() ? "" : " ") + "{0} <b> </b> {1}");
    CHECK(end(with).ends_with("{0} <b> </b> {1}"));
    // The score is the one that the model gives to this translation.
    ParallelCorpus pair;
    pair.source = {model.ids(source)};
    pair.target = {with.tokens};
    CHECK(score_all(model.model, pair).front().log_probability == Approx(with.log_probability).epsilon(1e-4));
  }
}

TEST_CASE("placeholders compose with other constraints", "[placeholders]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    PiecesModel model(seed);
    const std::vector<Ids> ids = model.ids(sources_with_placeholders);
    SearchOptions options = model.options(3, 12);
    options.no_repeat_ngram = 2;
    options.min_length = 4;
    options.max_length = 10;
    options.generate_unk = false;
    const regard::transformer::Prefix prefix = model.vocabularies.target.ids({"_a", "_%"});
    for (const auto& begin : {regard::transformer::Prefix{}, prefix}) {
      const auto found = search_all(model.model, ids, options, 30, one_process(), begin);
      for (std::size_t i = 0; i < sources_with_placeholders.size(); ++i)
        for (const Hypothesis& hypothesis : found[i]) {
          CAPTURE(seed, sources_with_placeholders[i], model.text(hypothesis.tokens));
          CHECK(keeps_placeholders(sources_with_placeholders[i], model.text(hypothesis.tokens)));
          CHECK(hypothesis.tokens.size() >= 4);
          CHECK(hypothesis.tokens.size() <= 10);
          CHECK(std::ranges::equal(std::span(hypothesis.tokens).first(begin.size()), begin));
        }
    }
  }
}

TEST_CASE("a pattern of the user, and a placeholder that the vocabulary cannot write", "[placeholders]") {
  const PiecesModel model(1);
  const auto missing = [&](const std::string& source, const Texts& patterns) {
    const auto rule = model.rule(source, patterns);
    return rule == nullptr ? Ids{} : rule->before_end({});
  };
  CHECK(missing("a", {}).empty());
  CHECK(missing("a", {"a+"}) == model.vocabularies.target.ids({"_a"}));
  CHECK(missing("%d", {}).empty());  // d is no token
  CHECK_ERROR(model.keep({"("}), "not a regular expression");
}
