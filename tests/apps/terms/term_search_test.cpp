// Searches with a glossary: which terms a translation has to have, and that it has them.
#include <algorithm>
#include <random>

#include "apps/translation/text/text_form.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/error.h"
#include "tests/apps/terms/placeholder_model.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"
#include "transformer/terms/required_terms.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::transformer::SearchOptions;
using Texts = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

namespace {

const Texts pieces{"_a", "_b", "_dog", "_do", "g", "_Dog", "_dogs", "gs", "_cat", "_c", "at", "(", "_%s"};

struct WithGlossary {
  explicit WithGlossary(const std::string& lines, std::uint64_t seed = 1, bool placeholders = false)
      : model(seed, pieces),
        make(keep_terms({.keep_placeholders = placeholders, .glossary = directory.file("terms", lines)},
                        model.tokeniser, model.vocabularies)) {}
  auto rule(const std::string& source) const {
    return make(regard::transformer::with_end(model.ids(source)));
  }
  Texts missing(const std::string& source, const Texts& tokens) const {
    return model.vocabularies.target.tokens(rule(source)->before_end(model.vocabularies.target.ids(tokens)));
  }

  TemporaryDirectory directory;
  PiecesModel model;
  regard::transformer::MakeTokenRule make;
};

/// "DOG" is "^ dog".
class Marks : public TextForm {
 public:
  std::string to(std::string_view text) const override {
    std::string result;
    for (const char c : text) {
      const bool capital = c >= 'A' && c <= 'Z';
      if (capital && (result.empty() || result.back() == ' ')) result += "^ ";
      result += capital ? static_cast<char>(c + 32) : c;
    }
    return result;
  }
  std::string from(std::string_view text) const override {
    std::string result;
    bool mark = false, written = false;
    for (const char c : text) {
      if (c == ' ' && written) mark = false;
      if (c == ' ' && mark) continue;
      written = c != ' ' && c != '^';
      if (c == '^')
        mark = true;
      else
        result += mark && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    }
    return result;
  }
};

}  // namespace

TEST_CASE("marks for capitals change neither placeholders nor terms of one case", "[terms]") {
  const PiecesModel model(1, {"_a", "_^", "_dog", "_%", "d", "_b"});
  const FormedTokeniser tokeniser(std::make_unique<TextPieces>(model.tokeniser.all),
                                  std::make_unique<Marks>());
  REQUIRE(tokeniser.join({"_^", "_dog", "_a"}) == "DOG a");
  const auto rule = [&](const TermSettings& settings, const std::string& source) {
    return keep_terms(settings, tokeniser,
                      model.vocabularies)(regard::transformer::with_end(model.ids(source)));
  };
  const auto ids = [&](const Texts& tokens) { return model.vocabularies.target.ids(tokens); };
  const auto keep = rule({.keep_placeholders = true}, "a %d");
  CHECK(keep->allows(ids({"_a"}), special::end));
  CHECK_FALSE(keep->allows(ids({"_a", "_^"}), special::end));  // %D would come
  CHECK(keep->allows(ids({"_a", "_%"}), model.id("d")));
  CHECK_FALSE(keep->allows(ids({"_a", "_^", "_%"}), model.id("d")));

  const TemporaryDirectory directory;
  const auto of = [&](const std::string& letters) {
    return TermSettings{.glossary = directory.file("terms", "a\tdog\t" + letters + "\n")};
  };
  const auto missing = [&](const std::string& letters, const Texts& tokens) {
    return model.vocabularies.target.tokens(rule(of(letters), "a")->before_end(ids(tokens)));
  };
  for (const char* const letters : {"any", "exact"}) {
    CHECK(missing(letters, {"_b"}) == Texts{"_dog"});
    CHECK(missing(letters, {"_b", "_dog"}).empty());
    CHECK(missing(letters, {"_^", "_b", "_dog"}).empty());
  }
  CHECK(missing("any", {"_b", "_^", "_dog"}).empty());
  CHECK(missing("exact", {"_b", "_^", "_dog"}) == Texts{"_dog"});
  const auto bank = [&](const std::string& letters) {
    return rule(of(letters), "a")->bank(ids({"_b", "_^"}), model.id("_dog"));
  };
  CHECK(bank("any") == 1);
  CHECK(bank("exact") == 0);
}

TEST_CASE("a translation needs the terms of its source", "[terms]") {
  const WithGlossary with("dog\tdog\na\tcat|c\n");
  CHECK(with.rule("b") == nullptr);
  CHECK(with.missing("b dog a", {}) == Texts{"_dog", "_cat"});
  CHECK(with.missing("b dog dog", {"_b"}) == Texts{"_dog"});  // once
  CHECK(with.missing("dog", {"_dog"}).empty());
  CHECK(with.missing("dog", {"_do", "g"}).empty());  // in other tokens
  CHECK(with.missing("dog", {"_Dog"}).empty());
  CHECK(with.missing("dog", {"_b", "(", "_dog"}).empty());
  CHECK(with.missing("dog", {"_dogs"}) == Texts{"_dog"});
  CHECK(with.missing("dog", {"_do", "gs"}) == Texts{"_dog"});
  CHECK(with.missing("a", {"_c"}).empty());
  CHECK(with.missing("a", {"_c", "at"}).empty());
  const WithGlossary stems("a\tdog*\n");
  CHECK(stems.missing("a", {"_dogs"}).empty());
  CHECK(stems.missing("a", {"_do", "gs"}).empty());
  CHECK(stems.rule("a")->wanted({}).size() == 3);  // _dog, _dogs and _Dog
  CHECK(stems.rule("a")->wanted(Ids{stems.model.id("_b")}).size() == 2);
}

TEST_CASE("the bank of a hypothesis counts whole words, with its next token", "[terms]") {
  using namespace regard::transformer;
  const std::int32_t word = 5, other = 6, suffix = 7;
  const auto edges = std::make_shared<const WordEdges>(WordEdges{
      std::vector<bool>{false, false, false, false, false, false, false, true}, std::vector<bool>(8)});
  const RequiredTerms rule({{.forms = {{.ids = {word}}}}, {.forms = {{.ids = {other, word}}}}}, edges);
  CHECK(rule.bank(Ids{}, other) == 1);       // the second term is begun
  CHECK(rule.bank(Ids{word}, 4) == 1);       // the first one is there
  CHECK(rule.bank(Ids{word}, suffix) == 0);  // it was the beginning of another word
  CHECK(rule.bank(Ids{word}, other) == 2);
  CHECK(rule.bank(Ids{other}, word) == 1);
  CHECK(rule.bank(Ids{word, 4}, suffix) == 1);
}

TEST_CASE("no hypothesis is in a bank that there is not", "[terms]") {
  using namespace regard::transformer;
  const auto edges = std::make_shared<const WordEdges>();
  const RequiredTerms inside({{.forms = {{.ids = {5, 6}}, {.ids = {6}}}}}, edges);
  CHECK(inside.bank(Ids{5}, 6) == 1);
  CHECK(inside.bank(Ids{4, 5, 7}, 6) == 1);
  // "5 6 8" is begun when 6 meets its term.
  const RequiredTerms longer({{.forms = {{.ids = {5, 6, 8}}, {.ids = {6}}}}}, edges);
  CHECK(longer.bank(Ids{5}, 6) == 1);
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (int round = 0; round < 2000; ++round) {
    std::vector<RequiredTerm> terms(1 + below(3));
    for (RequiredTerm& term : terms)
      for (std::size_t form = 0; form <= below(3); ++form) {
        term.forms.push_back({.ids = {}, .at_beginning = below(4) == 0, .stem = below(4) == 0});
        for (std::size_t i = 0; i <= below(3); ++i)
          term.forms.back().ids.push_back(static_cast<std::int32_t>(4 + below(4)));
      }
    const RequiredTerms rule(terms, edges);
    Ids tokens;
    for (std::size_t i = below(6); i > 0; --i) tokens.push_back(static_cast<std::int32_t>(4 + below(4)));
    const Index bank = rule.bank(tokens, static_cast<std::int32_t>(4 + below(4)));
    CHECK((bank >= 0 && bank < rule.banks()));
  }
}

TEST_CASE("searches write the terms, and leave other sentences alone", "[terms]") {
  const Texts sources{"a", "b a", "dog", "b", "dog a b", "a dog"};
  Index lost = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    WithGlossary with("dog\tcat\na\tdog*|b\n", seed);
    const std::vector<Ids> ids = with.model.ids(sources);
    for (const Index beam : {1, 2, 4}) {
      SearchOptions options = with.model.options(beam, 9);
      options.make_rule = with.make;
      SearchOptions free = options;
      free.make_rule = {};
      const auto found = search_all(with.model.model, ids, options, 30),
                 others = search_all(with.model.model, ids, free, 30);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto kept = [&](const auto& hypothesis) {
          const std::string text = with.model.text(hypothesis.tokens);
          const auto has = [&](const char* term) { return TermText::read(term, "").is_in(text); };
          return (sources[i].find("dog") == std::string::npos || has("cat")) &&
                 (sources[i].find('a') == std::string::npos || has("dog*") || has("b"));
        };
        CAPTURE(seed, beam, sources[i]);
        for (const auto& hypothesis : found[i]) CHECK(kept(hypothesis));
        lost += !kept(others[i].front());
        if (sources[i] == "b") CHECK(found[i].front().score == others[i].front().score);
        if (sources[i] == "b") CHECK(found[i].front().tokens == others[i].front().tokens);
      }
    }
  }
  CHECK(lost > 20);
}

TEST_CASE("terms and placeholders in one translation", "[terms]") {
  WithGlossary with("a\tdog\n", 2, true);
  CHECK(with.missing("%s a", {"_b"}) == Texts{"_%s", "_dog"});
  SearchOptions options = with.model.options(4, 9);
  options.make_rule = with.make;
  const auto found = search_all(with.model.model, {with.model.ids("%s a %s")}, options);
  for (const auto& hypothesis : found.front()) {
    const std::string text = with.model.text(hypothesis.tokens);
    CHECK(placeholders_of(text) == Texts{"%s", "%s"});
    CHECK(TermText::read("dog", "").is_in(text));
  }
}

TEST_CASE("a term that the vocabulary cannot write is refused", "[terms]") {
  CHECK_ERROR(WithGlossary("a\tdog\nb\tzebra\n"), "terms, line 2: the vocabulary of the model cannot write");
  // A stem that is no token itself stands in tokens that are words.
  CHECK_ERROR(WithGlossary("a\td\n"), "terms, line 1: the vocabulary of the model cannot write");
  CHECK(WithGlossary("a\td*\n").missing("a", {"_b"}).size() == 1);
}

TEST_CASE("the terms and the beginning of one line", "[terms]") {
  PiecesModel model(3, pieces);
  const auto make = line_rules(model.tokeniser, model.vocabularies);
  const std::shared_ptr<const regard::transformer::TokenRule> rule =
      make({.beginning = "b cat", .terms = {TermText::read_all("dog|a", "line 1")}, .place = "line 1"});
  SearchOptions options = model.options(4, 9);
  options.make_rule = [rule](std::span<const std::int32_t>) { return rule; };
  for (const Index beam : {1, 4}) {
    options.beam = options.n_best = beam;
    const auto found = search_all(model.model, {model.ids("a b")}, options);
    for (const auto& hypothesis : found.front()) {
      const std::string text = model.text(hypothesis.tokens);
      CAPTURE(text);
      CHECK(text.starts_with("b cat"));
      CHECK((TermText::read("dog", "").is_in(text) || TermText::read("a", "").is_in(text)));
    }
  }
  // What is left of the beginning comes in place of </s>, and the terms after it.
  CHECK(model.text(rule->before_end(model.vocabularies.target.ids(Texts{"_b"}))) == "cat dog");
  CHECK(rule->need(model.vocabularies.target.ids(Texts{"_b"})) == 2);
  CHECK_ERROR(make({.beginning = "zebra", .place = "line 7"}), "line 7: the vocabulary");
}
