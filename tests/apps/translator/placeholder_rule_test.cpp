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
using regard::transformer::Hypothesis;
using regard::transformer::SearchOptions;

namespace {

using Ids = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;

/// Tokens as those of SentencePiece: _ is a blank. A text is cut into the longest tokens, from its beginning.
class Pieces : public Tokeniser {
 public:
  explicit Pieces(Texts tokens) : all(std::move(tokens)) {}
  Texts split(std::string_view text) const override {
    std::string left = "_" + std::string(text);
    std::ranges::replace(left, ' ', '_');
    Texts tokens;
    while (!left.empty()) {
      std::string longest = left.substr(0, 1);
      for (const std::string& token : all)
        if (left.starts_with(token) && token.size() > longest.size()) longest = token;
      left.erase(0, longest.size());
      tokens.push_back(longest);
    }
    return tokens;
  }
  std::string join(const Texts& tokens) const override {
    std::string text;
    for (const std::string& token : tokens) text += token;
    std::ranges::replace(text, '_', ' ');
    return text.starts_with(' ') ? text.substr(1) : text;
  }

  Texts all;
};

const Texts printf_pieces{"_a", "%", "s", "_%", "(%s", "_{0", "}", "s%s"};

/// An untrained model whose distributions are far from even.
struct Model {
  Pieces tokeniser;
  Vocabularies vocabularies = [this] {
    TokenCounts counts;
    counts.add(tokeniser.all);
    return Vocabularies{Vocabulary::from_counts(counts), Vocabulary::from_counts(counts)};
  }();
  regard::transformer::EncoderDecoder model;

  explicit Model(std::uint64_t seed, Texts pieces = printf_pieces)
      : tokeniser(std::move(pieces)), model(make(seed, vocabularies)) {}
  static regard::transformer::EncoderDecoder make(std::uint64_t seed, const Vocabularies& vocabularies) {
    regard::transformer::Config config = regard::transformer::preset("toy");
    config.source_vocabulary = config.target_vocabulary = vocabularies.target.size();
    config.encoder_layers = config.decoder_layers = 1;
    config.shared_embeddings = regard::transformer::SharedEmbeddings::none;
    config.generator_bias = true;
    regard::Random random(seed);
    auto model = make_transformer(config, random);
    for (regard::Real& value : model.generator.weight.values()) value *= 4;
    model.eval();
    return model;
  }

  std::int32_t id(const std::string& token) const { return vocabularies.target.id(token); }
  Ids ids(const std::string& text) const { return vocabularies.source.ids(tokeniser.split(text)); }
  std::vector<Ids> ids(const Texts& texts) const {
    std::vector<Ids> all;
    for (const std::string& text : texts) all.push_back(ids(text));
    return all;
  }
  std::string text(const Ids& tokens) const { return tokeniser.join(vocabularies.target.tokens(tokens)); }
  SearchOptions options(Index beam, Index longest, const Texts& patterns = {}) const {
    SearchOptions options{.beam = beam, .n_best = beam, .patience = 0, .max_length_ratio = 0};
    options.max_length_constant = longest;
    options.make_rule = keep_placeholders(tokeniser, vocabularies, patterns);
    return options;
  }
  std::shared_ptr<const regard::transformer::TokenRule> rule(const std::string& source,
                                                             const Texts& patterns = {}) const {
    return keep_placeholders(tokeniser, vocabularies, patterns)(regard::transformer::with_end(ids(source)));
  }
};

/// The parts of a text that are placeholders in these tests, found without regular expressions. Braces may
/// have some more of the characters that come here.
Texts parts(const std::string& text) {
  const Texts all{"%1$s", "%10", "%1", "%%", "%s", "{1}", "<unk>", "<b>", "</b>"};
  Texts found;
  for (std::size_t at = 0; at < text.size();) {
    const auto part =
        std::ranges::find_if(all, [&](const auto& some) { return text.substr(at).starts_with(some); });
    const std::size_t close = text[at] == '{' ? text.find_first_not_of("0s%", at + 1) : text.npos;
    if (part != all.end())
      found.push_back(*part);
    else if (close != text.npos && text[close] == '}')
      found.push_back(text.substr(at, close + 1 - at));
    else
      found.push_back(text.substr(at, 1));
    at += found.back().size();
    if (found.back().size() == 1) found.pop_back();
  }
  return found;
}

bool keeps(const std::string& source, const std::string& translation) {
  Texts here = parts(source), there = parts(translation);
  std::ranges::sort(here);
  std::ranges::sort(there);
  return here.empty() || here == there;
}

const Texts sources{"a %s", "(%s a", "a", "a {0} %s", "%s %s", "{0} {0}", "a a a", "%s%s {0}"};

}  // namespace

TEST_CASE("greedy, beam and sampled translations keep the placeholders, in batches", "[placeholders]") {
  Index lost = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Model model(seed);
    const std::vector<Ids> ids = model.ids(sources);
    const auto check = [&](const std::vector<std::vector<Hypothesis>>& found) {
      for (std::size_t i = 0; i < sources.size(); ++i)
        for (const Hypothesis& hypothesis : found[i]) {
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
    std::vector<std::vector<Hypothesis>> exact;
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

TEST_CASE("a sentence without placeholders has no rule and the same bits", "[placeholders]") {
  Model model(3);
  CHECK(model.rule("a 7 s") == nullptr);
  const std::vector<Ids> ids = model.ids(sources);
  for (const Index beam : {1, 4}) {
    const SearchOptions options = model.options(beam, 9);
    SearchOptions free = options;
    free.make_rule = {};
    const auto with = search_all(model.model, ids, options), without = search_all(model.model, ids, free);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (!parts(sources[i]).empty()) continue;
      for (std::size_t n = 0; n < with[i].size(); ++n) {
        CHECK(with[i][n].tokens == without[i][n].tokens);
        CHECK(with[i][n].score == without[i][n].score);
      }
    }
  }
}

TEST_CASE("of all translations with the placeholders, the search loses none that fits easily",
          "[placeholders]") {
  Model model(5);
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
    const bool kept = keeps(source, model.text(tokens));
    CAPTURE(model.text(tokens));
    if (found.contains(tokens)) CHECK(kept);
    // "%s" needs two tokens, so it comes after two tokens without it.
    const Ids begin(tokens.begin(), tokens.begin() + std::min<std::ptrdiff_t>(2, std::ssize(tokens)));
    if (!kept || parts(model.text(begin)).empty()) continue;
    ++expected;
    CHECK(found.contains(tokens));
  }
  CHECK(expected > 100);
}

TEST_CASE("a rule says what is missing, what is too much and what has to come", "[placeholders]") {
  const Model model(1);
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
  const Model model(1, {"_a", "_", "%1", "$", "s", "0", "_%1"});
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
  // Searches and samples, also when there is just enough room.
  const Texts some{"%1 a %10", "a %1$s", "%1 %1$s %10", "%10 %10 a"};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Model random(seed, model.tokeniser.all);
    for (const Index longest : {6, 10}) {
      const SearchOptions options = random.options(4, longest, patterns);
      const std::vector<Ids> ids = random.ids(some);
      for (const auto& found :
           {search_all(random.model, ids, options), sample_all(random.model, ids, {.search = options})})
        for (std::size_t i = 0; i < some.size(); ++i)
          for (const Hypothesis& hypothesis : found[i]) {
            CAPTURE(some[i], random.text(hypothesis.tokens), longest);
            CHECK(keeps(some[i], random.text(hypothesis.tokens)));
          }
    }
  }
}

TEST_CASE("missing placeholders come in place of </s>, in the order of the source", "[placeholders]") {
  const Texts pieces{"_a", "_b", "_<b>", "_</b>", "_{0}", "_{1}"};
  Model model(4, pieces);
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
    CHECK(parts(end(without)).empty());
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
    Model model(seed);
    const std::vector<Ids> ids = model.ids(sources);
    SearchOptions options = model.options(3, 12);
    options.no_repeat_ngram = 2;
    options.min_length = 4;
    options.max_length = 10;
    options.generate_unk = false;
    const regard::transformer::Prefix prefix = model.vocabularies.target.ids({"_a", "_%"});
    for (const auto& begin : {regard::transformer::Prefix{}, prefix}) {
      const auto found = search_all(model.model, ids, options, 30, one_process(), begin);
      for (std::size_t i = 0; i < sources.size(); ++i)
        for (const Hypothesis& hypothesis : found[i]) {
          CAPTURE(seed, sources[i], model.text(hypothesis.tokens));
          CHECK(keeps(sources[i], model.text(hypothesis.tokens)));
          CHECK(hypothesis.tokens.size() >= 4);
          CHECK(hypothesis.tokens.size() <= 10);
          CHECK(std::ranges::equal(std::span(hypothesis.tokens).first(begin.size()), begin));
        }
    }
  }
}

TEST_CASE("a pattern of the user, and a placeholder that the vocabulary cannot write", "[placeholders]") {
  const Model model(1);
  const auto missing = [&](const std::string& source, const Texts& patterns) {
    const auto rule = keep_placeholders(model.tokeniser, model.vocabularies,
                                        patterns)(regard::transformer::with_end(model.ids(source)));
    return rule == nullptr ? Ids{} : rule->before_end({});
  };
  CHECK(missing("a", {}).empty());
  CHECK(missing("a", {"a+"}) == model.vocabularies.target.ids({"_a"}));
  CHECK(missing("%d", {}).empty());  // d is no token
  CHECK_ERROR(keep_placeholders(model.tokeniser, model.vocabularies, {"("}), "not a regular expression");
}
