#include "apps/translation/text/vocabulary.h"

#include <string>
#include <vector>

#include "apps/translation/text/tokeniser.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::Index;
using regard::tests::TemporaryDirectory;

namespace {

using Tokens = std::vector<std::string>;

TokenCounts count(const std::string& text) {
  TokenCounts counts;
  counts.add(make_tokeniser("word")->split(text));
  return counts;
}

/// The entries after the special tokens.
Tokens words(const Vocabulary& vocabulary) {
  Tokens tokens;
  for (Index id = special::count; id < vocabulary.size(); ++id) tokens.push_back(vocabulary.token(id));
  return tokens;
}

}  // namespace

TEST_CASE("a vocabulary begins with the special tokens", "[vocabulary]") {
  const Vocabulary empty = Vocabulary::from_counts({});
  REQUIRE(empty.size() == 4);
  CHECK(empty.token(special::pad) == "<pad>");
  CHECK(empty.token(special::begin) == "<s>");
  CHECK(empty.token(special::end) == "</s>");
  CHECK(empty.token(special::unknown) == "<unk>");
  CHECK(Vocabulary::from_counts(count("x")).id("x") == 4);
}

TEST_CASE("frequent tokens come first; equal counts keep the order of first occurrence", "[vocabulary]") {
  CHECK(words(Vocabulary::from_counts(count("d b c b a c z"))) == Tokens{"b", "c", "d", "a", "z"});
  CHECK(words(Vocabulary::from_counts(count("z y x"))) == Tokens{"z", "y", "x"});
}

TEST_CASE("rare tokens and too many tokens are left out", "[vocabulary]") {
  const TokenCounts counts = count("a b b c c c d d d d");
  CHECK(words(Vocabulary::from_counts(counts, {.minimum_frequency = 3})) == Tokens{"d", "c"});
  CHECK(words(Vocabulary::from_counts(counts, {.minimum_frequency = 5})).empty());
  CHECK(words(Vocabulary::from_counts(counts, {.maximum_size = 5})) == Tokens{"d"});
  CHECK(words(Vocabulary::from_counts(counts, {.maximum_size = 7, .minimum_frequency = 3})) ==
        Tokens{"d", "c"});
  CHECK(words(Vocabulary::from_counts(counts, {.maximum_size = 100})).size() == 4);
  CHECK_ERROR(Vocabulary::from_counts(counts, {.maximum_size = 4}), "a vocabulary of 4 entries has no room");
}

TEST_CASE("unknown tokens are <unk>", "[vocabulary]") {
  const Vocabulary vocabulary = Vocabulary::from_counts(count("b a b"));
  CHECK(vocabulary.ids({"a", "new", "b", ""}) == std::vector<std::int32_t>{5, 3, 4, 3});
  const std::vector<std::int32_t> ids = {4, 3, 2};
  CHECK(vocabulary.tokens(ids) == Tokens{"b", "<unk>", "</s>"});
}

TEST_CASE("the text of a special token is an unknown word", "[vocabulary]") {
  const Vocabulary vocabulary = Vocabulary::from_counts(count("</s> </s> <s> <pad> <unk> a </s>"));
  CHECK(words(vocabulary) == Tokens{"a"});
  CHECK(vocabulary.ids({"<pad>", "<s>", "</s>", "<unk>", "a"}) == std::vector<std::int32_t>{3, 3, 3, 3, 4});
  // They do not count towards the maximum size.
  CHECK(words(Vocabulary::from_counts(count("</s> </s> <s> a b"), {.maximum_size = 6})) == Tokens{"a", "b"});
}

TEST_CASE("an id outside the vocabulary is refused", "[vocabulary]") {
  const Vocabulary vocabulary = Vocabulary::from_counts(count("a b"));
  CHECK(vocabulary.token(5) == "b");
  CHECK_ERROR(vocabulary.token(6), "token id 6 is outside the vocabulary of 6 entries (ids 0 to 5)");
  CHECK_ERROR(vocabulary.token(-1), "token id -1 ");
  CHECK_ERROR(vocabulary.token(Index{1} << 40), "1099511627776");
}

TEST_CASE("a vocabulary read from its file is the same", "[vocabulary]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "vocabulary.json";
  const Vocabulary vocabulary =
      Vocabulary::from_counts(count("naïve \"quoted\" back\\slash 학생 naïve 😀 <b>"));
  vocabulary.save(path);
  const Vocabulary loaded = Vocabulary::load(path);
  REQUIRE(loaded.size() == vocabulary.size());
  for (Index id = 0; id < vocabulary.size(); ++id) {
    CHECK(loaded.token(id) == vocabulary.token(id));
    CHECK(loaded.id(vocabulary.token(id)) == vocabulary.id(vocabulary.token(id)));
  }
  CHECK(regard::tests::contains(regard::tests::content(path), "\"format\": 1"));
}

TEST_CASE("the error of a vocabulary that cannot be saved has the reason", "[vocabulary]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("file", "x");
  CHECK_ERROR(Vocabulary::from_counts({}).save(file + "/vocabulary.json"), "Not a directory");
  TokenCounts counts;
  counts.add("\xFF");
  CHECK_ERROR(Vocabulary::from_counts(counts).save(directory / "v.json"), "not UTF-8");
}

TEST_CASE("a vocabulary file that is wrong is refused", "[vocabulary]") {
  const TemporaryDirectory directory;
  const auto load = [&](const std::string& text) { Vocabulary::load(directory.file("v.json", text)); };
  const std::string specials = R"("<pad>", "<s>", "</s>", "<unk>")";
  const auto with_tokens = [](const std::string& list) {
    return R"({"format": 1, "tokens": [)" + list + "]}";
  };

  load(with_tokens(specials + R"(, "a")"));  // negative control: the unchanged file is valid
  CHECK_ERROR(Vocabulary::load(directory / "missing.json"), "missing.json: No such file or directory");
  CHECK_ERROR(load(""), "v.json: not JSON at line 1");
  CHECK_ERROR(load("{\n \"format\": 1,\n \"tokens\": [\"<pad>\""), "v.json: not JSON at line 3, column 20");
  CHECK_ERROR(load("[]"), "v.json: expected a JSON object, got []");
  CHECK_ERROR(load(R"({"tokens": []})"), "\"format\"");
  CHECK_ERROR(load(R"({"format": 2, "tokens": {}})"), "the file has format 2");
  CHECK_ERROR(load(R"({"format": "1", "tokens": []})"), "\"format\" must be a whole number from 1 to 1");
  CHECK_ERROR(load(R"({"format": 0, "tokens": []})"), "\"format\" must be a whole number from 1 to 1");
  CHECK_ERROR(load(R"({"format": 1})"), "no list \"tokens\"");
  CHECK_ERROR(load(R"({"format": 1, "tokens": "abc"})"), "no list \"tokens\"");
  CHECK_ERROR(load(with_tokens(specials + R"(, "a", "b", "a")")), "token 6, \"a\", occurs twice");
  CHECK_ERROR(load(with_tokens(specials + R"(, "</s>")")), "token 4, \"</s>\", occurs twice");
  CHECK_ERROR(load(with_tokens(R"("<pad>", "</s>", "<s>", "<unk>")")),
              "token 1 should be <s>, but is \"</s>\"");
  CHECK_ERROR(load(with_tokens(R"("<pad>", "<s>", "</s>")")), "has only 3 entries");
  CHECK_ERROR(load(with_tokens(specials + ", 7")), "token 4 is not text but 7");
  const std::string no_token =
      " is empty or contains a line end; no text has such a token, so the file is damaged";
  CHECK_ERROR(load(with_tokens(specials + R"(, "a", "")")), "v.json: token 5, \"\"," + no_token);
  CHECK_ERROR(load(with_tokens(specials + R"(, "a\nb")")), "v.json: token 4, \"a\\x0Ab\"," + no_token);
  CHECK_ERROR(load(with_tokens(specials + R"(, "\r")")), "v.json: token 4, \"\\x0D\"," + no_token);
  load(with_tokens(specials + R"(, " ", "\u0000", "\u001B")"));  // unusual, but possible in a line
  CHECK_ERROR(load(R"({"format": 1, "tokens": [], "tokens": []})"), "tokens occurs twice");
  // Control characters are escaped, and long tokens are shortened.
  CHECK_ERROR(load(with_tokens(R"("\u001B[2J")")), "token 0 should be <pad>, but is \"\\x1B[2J\"");
  CHECK_ERROR(load(with_tokens(specials + R"(, "\u009B", "\u009B")")), "token 5, \"<U+009B>\", occurs twice");
  const std::string word(100, 'x'), shortened(40, 'x');
  const std::string twice = fmt::format("{}, \"{}\", \"{}\"", specials, word, word);
  CHECK_ERROR(load(with_tokens(twice)), fmt::format("token 5, \"{}…\", occurs twice", shortened));
}
