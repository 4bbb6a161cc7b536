// What a model of subwords keeps of a text: its characters, its blanks, its symbols.
#include <algorithm>
#include <fstream>
#include <sentencepiece_trainer.h>
#include <set>

#include "autograd/machine/parallel.h"
#include "tests/apps/subwords/subword_support.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;

namespace {

using Tokens = std::vector<std::string>;
constexpr SubwordType kept_types[] = {SubwordType::bpe, SubwordType::unigram};

/// The characters of software's strings that normalisation changes.
const std::vector<std::string> strings = {"Loading\u2026",
                                          "10\u00a0000 files",
                                          "x\u00b2 + y\u00b2",
                                          "\u0645\u06cc\u200c\u0634\u0648\u062f",  // ZWNJ between letters
                                          "Name: ",
                                          " indented",
                                          "two  blanks",
                                          "  ",
                                          "a\tb",
                                          "\ttab first",
                                          "\u00ad soft hyphen",
                                          "\uff21\uff22 wide",
                                          "I\u0307 e\u0301 combining",
                                          "\u2028 line separator",
                                          "\x01 control \x7f",
                                          "\ufeff mark \u200b"};

SubwordTokeniser learnt(const std::vector<std::string>& lines, const SubwordSettings& settings) {
  return {learn_subwords({lines}, settings).bytes, "learnt"};
}

/// Both sides of the numbers.
std::vector<std::string> number_lines() {
  std::vector<std::string> lines = number_text().source;
  lines.insert(lines.end(), number_text().target.begin(), number_text().target.end());
  return lines;
}

SubwordTokeniser with_strings(SubwordSettings settings) {
  settings.size = settings.byte_fallback ? 400 : 160;
  std::vector<std::string> lines = number_lines();
  lines.insert(lines.end(), strings.begin(), strings.end());
  return learnt(lines, settings);
}

/// What the library learns by itself from the lines of a file.
std::string learn_from_lines(const std::string& path, int size, double coverage) {
  std::string bytes;
  const auto status =
      sentencepiece::SentencePieceTrainer::Train({{"input", path},
                                                  {"model_type", "bpe"},
                                                  {"vocab_size", std::to_string(size)},
                                                  {"character_coverage", std::to_string(coverage)},
                                                  {"pad_id", "0"},
                                                  {"bos_id", "1"},
                                                  {"eos_id", "2"},
                                                  {"unk_id", "3"},
                                                  {"minloglevel", "3"}},
                                                 nullptr, &bytes);
  REQUIRE(status.ok());
  return bytes;
}

std::string kept_round_trip(const SubwordTokeniser& tokeniser, const std::string& text) {
  return tokeniser.join(tokeniser.split(text));
}

}  // namespace

TEST_CASE("without normalisation and with blanks kept, a text comes back byte for byte", "[subwords]") {
  for (const SubwordType type : kept_types) {
    CAPTURE(to_string(type));
    const SubwordTokeniser kept = with_strings({.type = type, .normalisation = "none", .keep_blanks = true});
    CHECK(kept.properties().normalisation == "none");
    CHECK(kept.properties().keep_blanks);
    for (const std::string& text : strings) {
      CAPTURE(text);
      CHECK(kept_round_trip(kept, text) == text);
      CHECK(kept.vocabulary().unknown(kept.split(text)).empty());
      CHECK(kept.join(kept.vocabulary().tokens(kept.sample(text, 0.5, -1, 3))) == text);
    }
    CHECK(kept.split("").empty());
    // What cannot be kept.
    CHECK(kept_round_trip(kept,
                          "a\u2581"
                          "b") == "a b");
    CHECK(kept_round_trip(kept, "a\rb") == "a b");
  }
}

TEST_CASE("each normalisation changes what it says", "[subwords]") {
  const auto trip = [](const char* normalisation, bool keep_blanks, const std::string& text) {
    return kept_round_trip(with_strings({.normalisation = normalisation, .keep_blanks = keep_blanks}), text);
  };
  const std::string text = " Xx\u00b2\u2026\u00a0 y\u200c ";
  CHECK(trip("none", true, text) == text);
  CHECK(trip("none", false, text) == "Xx\u00b2\u2026\u00a0 y\u200c");
  CHECK(trip("nfkc", false, text) == "Xx2... y\u200c");
  CHECK(trip("nfkc", true, text) == " Xx2...  y\u200c ");
  CHECK(trip("nmt_nfkc", false, text) == "Xx2... y");
  CHECK(trip("nmt_nfkc_cf", false, text) == "xx2... y");
  CHECK(trip("nfkc_cf", false, text) == "xx2... y\u200c");
  CHECK_ERROR(trip("nfc", false, ""),
              "data.subwords.normalisation is \"nfc\", but subwords can be learnt with \"nmt_nfkc\", ");
}

TEST_CASE("symbols are never cut, nor joined with their neighbours", "[subwords]") {
  std::vector<std::string> lines = number_lines();
  for (int i = 0; i < 50; ++i) lines.push_back("%s files, <b>one</b>");
  const SubwordSettings plain{.size = 120};
  SubwordSettings settings = plain;
  settings.symbols = {">>de<<", "%s", "<b>", "a,\"b\"", "<a href=\"x\">", "\u2026", " ,"};
  for (const SubwordType type : kept_types) {
    settings.type = type;
    const SubwordTokeniser tokeniser = learnt(lines, settings);
    CHECK(tokeniser.properties().symbols == 7);
    CHECK(tokeniser.vocabulary().token(special::count) == ">>de<<");
    CHECK(tokeniser.vocabulary().token(special::count + 4) == "<a▁href=\"x\">");
    CHECK(tokeniser.split(">>de<< one")[1] == ">>de<<");
    CHECK(tokeniser.split("one%sone") == Tokens{tokeniser.split("one")[0], "%s", "one"});
    CHECK(kept_round_trip(tokeniser, ">>de<< <b>%s a,\"b\"<a href=\"x\">\u2026") ==
          ">>de<< <b>%s a,\"b\"<a href=\"x\">\u2026");  // NFKC does not change … in a symbol
    const Tokens tokens = tokeniser.split("<a href=\"x\">one a,\"b\"");
    CHECK(std::count(tokens.begin(), tokens.end(), "<a▁href=\"x\">") == 1);
    CHECK(std::count(tokens.begin(), tokens.end(), "a,\"b\"") == 1);
    for (std::uint32_t seed = 0; seed < 20; ++seed)
      CHECK(std::ranges::count(tokeniser.sample("one%sone", 0.9, -1, seed),
                               tokeniser.vocabulary().id("%s")) == 1);
  }
  const SubwordTokeniser cut = learnt(lines, plain);
  CHECK(cut.vocabulary().id("%s") == special::unknown);  // learnt, it has its blank: ▁%s
  CHECK(cut.vocabulary().id(">>de<<") == special::unknown);
}

TEST_CASE("frequent matches of patterns are symbols", "[subwords]") {
  std::vector<std::string> lines = number_lines();
  for (int i = 0; i < 9; ++i) lines.push_back("%1$s of %d <s>one</s> &amp; &amp;");
  lines.push_back("%2$s http://one.two/");
  SubwordSettings settings{
      .size = 120,
      .symbols = {"%d"},
      .symbol_patterns = {R"(%[0-9]*\$?[sd])", "&[a-z]+;", "</?[a-z]+>", "https?://[^ ]+"},
      .symbol_frequency = 9};
  const auto symbols = [&] {
    const SubwordTokeniser tokeniser = learnt(lines, settings);
    Tokens first;
    for (regard::Index id = 0; id < tokeniser.properties().symbols; ++id)
      first.push_back(tokeniser.vocabulary().token(special::count + id));
    return first;
  };
  // The tags <s> and </s> have the names of special tokens, so they are cut like other text.
  CHECK(symbols() == Tokens{"%d", "&amp;", "%1$s"});
  settings.symbol_frequency = 10;
  CHECK(symbols() == Tokens{"%d", "&amp;"});
  settings.symbol_frequency = 1;
  CHECK(symbols() == Tokens{"%d", "&amp;", "%1$s", "%2$s", "http://one.two/"});
  settings.symbol_patterns.push_back("[a-z]{1,4}");
  settings.size = 50;
  CHECK_ERROR(symbols(), "symbols, more than half of data.subwords.size (50); raise");
}

TEST_CASE("symbols that cannot be pieces are refused", "[subwords]") {
  const auto refused = [](const std::string& symbol) {
    return MESSAGE_OF(learn_numbers({.size = 120, .symbols = {"%s", symbol}}));
  };
  CHECK_CONTAINS(refused("%d"), "no error was thrown");
  CHECK_CONTAINS(refused("%s"), "no error was thrown");  // the same one twice
  CHECK(refused("") == "data.subwords.symbols: \"\" is empty, so it cannot be a symbol");
  CHECK_CONTAINS(refused("a\nb"), "data.subwords.symbols: \"a\\x0Ab\" contains a line end or NUL");
  CHECK_CONTAINS(refused("  "), "is a blank");
  CHECK_CONTAINS(refused("\u2581"), "is a blank");
  CHECK_CONTAINS(refused("\u2585"), "which SentencePiece uses itself");
  CHECK_CONTAINS(refused("</s>"), "is the name of a special token or of a byte");
  CHECK_CONTAINS(refused("<0x0A>"), "is the name of a special token or of a byte");
  CHECK_ERROR(learn_numbers({.symbol_patterns = {"("}}),
              "data.subwords.symbol_patterns: the pattern \"(\" is not a regular expression of RE2");
}

TEST_CASE("with byte fallback nothing is unknown", "[subwords]") {
  for (const SubwordType type : kept_types) {
    const SubwordTokeniser bytes =
                               with_strings({.type = type, .normalisation = "none", .byte_fallback = true}),
                           none = with_strings({.type = type, .normalisation = "none"});
    CHECK(bytes.properties().byte_fallback);
    const std::string text = "one \u6f22\u5b57 \U0001F600";
    CHECK(kept_round_trip(bytes, text) == text);
    CHECK(bytes.vocabulary().unknown(bytes.split(text)).empty());
    CHECK_FALSE(none.vocabulary().unknown(none.split(text)).empty());
    const std::string nul("one \0", 5);
    CHECK(kept_round_trip(bytes, nul) == nul);
    // A translation may be cut off inside a character, and may contain any byte.
    CHECK(bytes.join({"▁one", "<0xE6>", "<0xBC>"}) == "one\uFFFD\uFFFD");
    CHECK(bytes.join({"▁one", "<0xE6>", "<0xBC>", "<0xA2>", "<0xBC>", "▁one"}) == "one漢\uFFFD one");
    CHECK(bytes.join({"▁one", "<0x0A>", "<0x0D>", "<0x41>"}) ==
          "one\uFFFD\uFFFD"
          "A");
    // The name of a byte in the text is text.
    CHECK(kept_round_trip(bytes, "one <0x41>") == "one <0x41>");
  }
}

TEST_CASE("a model of subwords says what it does", "[subwords]") {
  CHECK(number_subwords(SubwordType::bpe).about() == "bpe, 120 entries");
  CHECK(with_strings({.type = SubwordType::unigram,
                      .normalisation = "none",
                      .keep_blanks = true,
                      .symbols = {"%s"},
                      .byte_fallback = true})
            .about() ==
        "unigram, 400 entries, normalisation none, blanks kept, 2 symbols, unknown characters as bytes");
}

TEST_CASE("byte-pair encoding is learnt from counted words as from lines", "[subwords]") {
  // The same library, given the lines: what it does alone is the independent source.
  std::vector<std::string> lines = number_lines();
  lines.insert(lines.end(), strings.begin(), strings.end());
  lines.push_back("one \u0308two \u200b three \u3000 <s> four");
  const TemporaryDirectory directory;
  std::ofstream file(directory / "lines");
  for (const std::string& line : lines) file << line << '\n';
  file.close();
  for (const double coverage : {1.0, 0.99}) {
    const Vocabulary ours =
        learnt(lines, {.size = 200, .character_coverage = coverage, .sample_lines = 0}).vocabulary();
    const Vocabulary theirs =
        SubwordTokeniser(learn_from_lines(directory / "lines", 200, coverage), "theirs").vocabulary();
    REQUIRE(ours.size() == theirs.size());
    for (regard::Index id = 0; id < ours.size(); ++id) CHECK(ours.token(id) == theirs.token(id));
  }
}

TEST_CASE("what is learnt does not depend on the number of threads", "[subwords]") {
  std::vector<std::string> lines;
  for (int i = 0; i < 40; ++i)
    lines.insert(lines.end(), number_text().source.begin(), number_text().source.end());
  lines.insert(lines.end(), number_text().target.begin(), number_text().target.end());
  const int threads = regard::threads();
  for (const SubwordType type : kept_types) {
    const SubwordSettings settings{
        .type = type, .size = 130, .symbol_patterns = {"[a-z]*teen"}, .sample_lines = 9000};
    std::set<std::string> models;
    for (const int count : {1, 2, 5}) {
      regard::set_threads(count);
      models.insert(learn_subwords({lines}, settings).bytes);
    }
    CHECK(models.size() == 1);
  }
  regard::set_threads(threads);
}

TEST_CASE("a text has the tokens of its words", "[subwords]") {
  const auto by_words = [](const SubwordTokeniser& tokeniser, const std::string& text) {
    Tokens tokens;
    for (const std::string& word : make_tokeniser("word")->split(text))
      for (const std::string& token : tokeniser.split(word)) tokens.push_back(token);
    return tokens;
  };
  const SubwordTokeniser plain = with_strings({.symbols = {"%s", " ,"}});
  CHECK(plain.cuts_words_alone());
  for (const std::string text :
       {"one two", "  one   \u6f22 \u5b57one %s ,one", "e \u0301 \u0308\u0301 one \u200b two",
        "\u00a8 \u0385 one \u2026", "one \u2581 two\u2581three"})
    CHECK(plain.split(text) == by_words(plain, text));
  // Pieces with a blank inside, extra blanks and sums over the whole text.
  CHECK_FALSE(with_strings({.symbols = {"one two"}}).cuts_words_alone());
  CHECK_FALSE(with_strings({.keep_blanks = true}).cuts_words_alone());
  CHECK_FALSE(number_subwords(SubwordType::unigram).cuts_words_alone());
  CHECK_FALSE(SubwordTokeniser(model_bytes(with_special({{"a", 0}})), "x").cuts_words_alone());
  CHECK(SubwordTokeniser(model_bytes(with_special({{"a", 0}, {"\u2581", 0}})), "x").cuts_words_alone());
}

TEST_CASE("a corpus is cut on several threads as each of its lines", "[subwords]") {
  const int threads = regard::threads();
  regard::set_threads(5);
  for (const SubwordTokeniser* tokeniser :
       {&number_subwords(SubwordType::bpe), &number_subwords(SubwordType::unigram)}) {
    const Vocabulary& vocabulary = tokeniser->vocabulary();
    ParallelText text = number_text();
    text.source.insert(text.source.end(), strings.begin(), strings.end());
    text.target.insert(text.target.end(), strings.begin(), strings.end());
    const ParallelCorpus corpus = encode(text, {*tokeniser, vocabulary, vocabulary});
    REQUIRE(corpus.pairs() > 400);
    for (std::size_t i = 0; i < corpus.source.size(); ++i) {
      const auto line = regard::to_size(corpus.lines[i]);
      CHECK(corpus.source[i] == vocabulary.ids(tokeniser->split(text.source[line])));
      CHECK(corpus.target[i] == vocabulary.ids(tokeniser->split(text.target[line])));
    }
  }
  regard::set_threads(threads);
}
