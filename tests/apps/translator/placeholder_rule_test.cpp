// Placeholders of the source are in its translation, exactly as often, however they are cut into tokens.
#include "apps/translation/translator/placeholder_rule.h"

#include <algorithm>
#include <set>

#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "transformer/transformer.h"

using namespace regard::translation;
using regard::Index;
using regard::to_index;
using regard::to_size;
using regard::transformer::SearchOptions;

namespace {

using Ids = std::vector<std::int32_t>;

/// Tokens as those of SentencePiece: _ is a blank. A text is cut into the longest tokens, from its beginning.
class Pieces : public Tokeniser {
 public:
  std::vector<std::string> split(std::string_view text) const override {
    std::string left = "_" + std::string(text);
    std::ranges::replace(left, ' ', '_');
    std::vector<std::string> tokens;
    while (!left.empty()) {
      std::string longest = left.substr(0, 1);
      for (const std::string& token : all)
        if (left.starts_with(token) && token.size() > longest.size()) longest = token;
      left.erase(0, longest.size());
      tokens.push_back(longest);
    }
    return tokens;
  }
  std::string join(const std::vector<std::string>& tokens) const override {
    std::string text;
    for (const std::string& token : tokens) text += token;
    std::ranges::replace(text, '_', ' ');
    return text.starts_with(' ') ? text.substr(1) : text;
  }

  std::vector<std::string> all{"_a", "%", "s", "_%", "(%s", "_{0", "}", "s%s"};
};

/// An untrained model whose distributions are far from even.
struct Model {
  Pieces tokeniser;
  Vocabularies vocabularies = [this] {
    TokenCounts counts;
    counts.add(tokeniser.all);
    return Vocabularies{Vocabulary::from_counts(counts), Vocabulary::from_counts(counts)};
  }();
  regard::transformer::EncoderDecoder model;

  explicit Model(std::uint64_t seed) : model(make(seed, vocabularies)) {}
  static regard::transformer::EncoderDecoder make(std::uint64_t seed, const Vocabularies& vocabularies) {
    regard::transformer::Config config = regard::transformer::preset("toy");
    config.source_vocabulary = config.target_vocabulary = vocabularies.target.size();
    config.encoder_layers = config.decoder_layers = 1;
    regard::Random random(seed);
    auto model = make_transformer(config, random);
    for (regard::Real& value : model.generator.weight.values()) value *= 4;
    model.eval();
    return model;
  }

  Ids ids(const std::string& text) const { return vocabularies.source.ids(tokeniser.split(text)); }
  std::string text(const Ids& tokens) const { return tokeniser.join(vocabularies.target.tokens(tokens)); }
  SearchOptions options(Index beam, Index longest) const {
    SearchOptions options{.beam = beam, .n_best = beam, .patience = 0, .max_length_ratio = 0};
    options.max_length_constant = longest;
    options.make_rule = keep_placeholders(tokeniser, vocabularies);
    return options;
  }
};

Index count(const std::string& text, const std::string& part) {
  Index times = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
  return times;
}

bool keeps(const std::string& source, const std::string& translation) {
  return std::ranges::all_of(std::vector<std::string>{"%s", "{0}"}, [&](const std::string& part) {
    return count(source, part) == 0 || count(source, part) == count(translation, part);
  });
}

const std::vector<std::string> sources{"a %s",  "(%s a",   "a",     "a {0} %s",
                                       "%s %s", "{0} {0}", "a a a", "%s%s {0}"};

}  // namespace

TEST_CASE("greedy, beam and sampled translations keep the placeholders, in batches", "[placeholders]") {
  Index lost = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Model model(seed);
    std::vector<Ids> ids;
    for (const std::string& source : sources) ids.push_back(model.ids(source));
    const auto check = [&](const auto& found) {
      for (std::size_t i = 0; i < sources.size(); ++i)
        for (const auto& hypothesis : found[i]) {
          CAPTURE(seed, sources[i], model.text(hypothesis.tokens));
          CHECK(keeps(sources[i], model.text(hypothesis.tokens)));
        }
    };
    for (const Index longest : {6, 7, 12})  // 6: just enough for "%s %s {0}"
      for (const Index beam : {1, 4}) check(search_all(model.model, ids, model.options(beam, longest), 30));
    check(sample_all(model.model, ids, {.search = model.options(20, 9)}));
    // Each source token brings itself, so the lists lack tokens that a placeholder may need in another place.
    std::vector<Ids> of_source;
    for (Index id = 0; id < model.vocabularies.source.size(); ++id)
      of_source.push_back({static_cast<std::int32_t>(id)});
    const Shortlist list({}, of_source);
    check(search_all({model.model, &list}, ids, model.options(4, 9), 30));
    check(sample_all({model.model, &list}, ids, {.search = model.options(20, 9)}));
    std::vector<std::vector<regard::transformer::Hypothesis>> exact;
    for (const auto& result : exact_all({model.model, &list}, ids, {.search = model.options(4, 9)}))
      exact.push_back({result.best});
    check(exact);
    SearchOptions free = model.options(4, 9);
    free.make_rule = {};
    const auto found = search_all(model.model, ids, free);
    for (std::size_t i = 0; i < sources.size(); ++i)
      lost += !keeps(sources[i], model.text(found[i][0].tokens));
  }
  CHECK(lost > 10);  // without the rule
}

TEST_CASE("of all translations with the placeholders, the search loses none that fits easily",
          "[placeholders]") {
  Model model(5);
  const std::string source = "a %s";
  const Index longest = 4;
  std::set<Ids> found;
  const auto list = search_all(model.model, {model.ids(source)}, model.options(4000, longest)).front();
  for (const auto& hypothesis : list) found.insert(hypothesis.tokens);
  // Everything of up to four tokens; <unk> may come, too.
  std::vector<Ids> all{{}};
  Index expected = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Ids tokens = all[i];
    if (to_index(tokens.size()) < longest)
      for (std::int32_t token = special::unknown; token < model.vocabularies.target.size(); ++token) {
        all.push_back(tokens);
        all.back().push_back(token);
      }
    const bool kept = keeps(source, model.text(tokens));
    CAPTURE(model.text(tokens));
    if (found.contains(tokens)) CHECK(kept);
    // "%s" needs two tokens, so it is forced after two tokens without it.
    if (!kept || count(model.text(Ids(tokens.begin(),
                                      tokens.begin() + std::min<std::ptrdiff_t>(2, std::ssize(tokens)))),
                       "%s") == 0)
      continue;
    ++expected;
    CHECK(found.contains(tokens));
  }
  CHECK(expected > 100);
}

TEST_CASE("a rule says what is missing, what is too much and what has to come", "[placeholders]") {
  const Model model(1);
  const auto make = keep_placeholders(model.tokeniser, model.vocabularies);
  const auto source = [&](const std::string& text) { return regard::transformer::with_end(model.ids(text)); };
  Ids foreign;
  CHECK_FALSE(make(source("a 7 s"))->restrict({}, 1, foreign));  // numbers may change
  CHECK(foreign == model.vocabularies.target.ids({"(%s", "s%s"}));
  const auto rule = make(source("a %s"));
  REQUIRE(rule != nullptr);
  const auto id = [&](const char* token) { return model.vocabularies.target.id(token); };
  const auto forbidden = [&](const std::vector<std::string>& tokens) {
    Ids ids;
    CHECK_FALSE(rule->restrict(model.vocabularies.target.ids(tokens), 9, ids));
    return std::set<std::int32_t>(ids.begin(), ids.end());
  };
  using Set = std::set<std::int32_t>;
  CHECK(forbidden({"_a"}) == Set{special::end});
  CHECK(forbidden({"_a", "_%"}) == Set{special::end, id("s%s")});  // "%s%s" has two
  CHECK(forbidden({"(%s"}) == Set{id("(%s"), id("s%s")});          // one is there, in another token
  CHECK(forbidden({"_%", "s", "%"}) == Set{id("(%s"), id("s%s"), id("s")});
  const auto only = [&](const std::vector<std::string>& tokens, Index left) {
    Ids ids;
    return rule->restrict(model.vocabularies.target.ids(tokens), left, ids);
  };
  CHECK_FALSE(only({"_a"}, 3));
  CHECK(only({"_a"}, 2) == id("_%"));
  CHECK(only({"_a", "_%"}, 1) == id("s"));
  CHECK_FALSE(only({"_%", "s"}, 1));
}

TEST_CASE("a pattern of the user, and a placeholder that the vocabulary cannot write", "[placeholders]") {
  const Model model(1);
  const auto only = [&](const std::string& source, const std::vector<std::string>& patterns) {
    const auto make = keep_placeholders(model.tokeniser, model.vocabularies, patterns);
    Ids ids;
    return make(regard::transformer::with_end(model.ids(source)))->restrict({}, 1, ids);
  };
  CHECK_FALSE(only("a", {}));
  CHECK(only("a", {"a+"}) == model.vocabularies.target.id("_a"));
  CHECK_FALSE(only("%d", {}));  // d is no token
  CHECK_ERROR(keep_placeholders(model.tokeniser, model.vocabularies, {"("}), "not a regular expression");
}
