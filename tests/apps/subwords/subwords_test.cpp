#include "apps/subwords/subwords.h"

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <set>

#include "autograd/machine/error.h"
#include "tests/apps/subwords/subword_support.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_index;

namespace {

using Tokens = std::vector<std::string>;
constexpr SubwordType both_types[] = {SubwordType::bpe, SubwordType::unigram};

std::string round_trip(const SubwordTokeniser& tokeniser, const std::string& text) {
  return tokeniser.join(tokeniser.split(text));
}

std::string refusal_to_learn(const SubwordSettings& settings) { return MESSAGE_OF(learn_numbers(settings)); }

}  // namespace

TEST_CASE("joining subwords gives the text back", "[subwords]") {
  for (const SubwordType type : both_types) {
    CAPTURE(to_string(type));
    const SubwordTokeniser& tokeniser = number_subwords(type);
    std::size_t tokens = 0, characters = 0;
    for (const std::vector<std::string>* side : {&number_text().source, &number_text().target})
      for (const std::string& line : *side) {
        CHECK(round_trip(tokeniser, line) == line);
        tokens += tokeniser.split(line).size();
        characters += line.size();
      }
    CHECK(tokens * 2 < characters);
  }
}

TEST_CASE("subwords are the same in a country with other letters and numbers", "[subwords]") {
  const TemporaryDirectory directory;  // where localedef writes the locale, whose capital of i is İ
  if (std::system(("localedef -i tr_TR -f UTF-8 " + directory / "tr_TR.UTF-8" + " 2>/dev/null").c_str()) !=
      0) {
    WARN("skipped: no Turkish locale can be made; install locales");
    return;
  }
  struct Turkey {
    explicit Turkey(const std::string& path) {
      ::setenv("LOCPATH", path.c_str(), 1);
      REQUIRE(std::setlocale(LC_ALL, "tr_TR.UTF-8") != nullptr);
    }
    ~Turkey() {
      std::setlocale(LC_ALL, "C");
      ::unsetenv("LOCPATH");
    }
  };
  for (const SubwordType type : both_types) {
    CAPTURE(to_string(type));
    const SubwordSettings settings{.type = type, .size = 120, .character_coverage = 0.9995};
    const std::string text = "thirty-three INSERTIONS ıİ", bytes = learn_numbers(settings);
    const Tokens tokens = number_subwords(type).split(text);
    const Turkey turkey(directory / "");
    CHECK(learn_numbers(settings) == bytes);
    CHECK(SubwordTokeniser(bytes, "numbers").split(text) == tokens);
  }
}

TEST_CASE("the pieces are the vocabulary", "[subwords]") {
  for (const SubwordType type : both_types) {
    const SubwordTokeniser& tokeniser = number_subwords(type);
    CHECK(tokeniser.type() == type);
    CHECK(tokeniser.vocabulary().size() == 120);
    CHECK(tokeniser.vocabulary().token(0) == "<pad>");
    CHECK(tokeniser.vocabulary().token(special::unknown) == "<unk>");
    for (const std::string& token : tokeniser.split("twenty-one thousand"))
      CHECK(tokeniser.vocabulary().id(token) != special::unknown);
  }
}

TEST_CASE("a model made by hand follows byte-pair encoding", "[subwords]") {
  const std::vector<SubwordPiece> pieces =
      with_special({{"ab", 0}, {"▁ab", -1}, {"bc", -2}, {"▁", -3}, {"a", -4}, {"b", -5}, {"c", -6}});
  const SubwordTokeniser tokeniser(model_bytes(pieces), "x.model");
  CHECK(tokeniser.split("abc") == Tokens{"▁ab", "c"});
  CHECK(tokeniser.split("cab bc") == Tokens{"▁", "c", "ab", "▁", "bc"});
  CHECK(tokeniser.vocabulary().token(5) == "▁ab");
  CHECK(tokeniser.join({"▁ab", "c", "▁", "bc"}) == "abc bc");
}

TEST_CASE("learning is a function of the text and the settings", "[subwords]") {
  for (const SubwordType type : both_types) {
    const std::string bytes = learn_numbers({.type = type, .size = 120});
    // Allocates blocks of all sizes and frees some, so that the next learning starts with another heap.
    std::vector<std::string> blocks;
    for (std::size_t i = 0; i < 3000; ++i) blocks.emplace_back(40 + i * 37 % 200, 'x');
    for (std::size_t i = 0; i < blocks.size(); i += 3) blocks[i] = std::string();
    CHECK(learn_numbers({.type = type, .size = 120}) == bytes);
    CHECK(learn_numbers({.type = type, .size = 119}) != bytes);
  }
}

TEST_CASE("subwords are learnt from both sides together", "[subwords]") {
  const auto vocabulary_of = [](const std::vector<std::span<const std::string>>& texts) {
    return SubwordTokeniser(learn_subwords(texts, {.size = 100}).bytes, "x").vocabulary();
  };
  const ParallelText& text = number_text();
  CHECK(vocabulary_of({text.source}).id("▁thousand") != special::unknown);
  CHECK(vocabulary_of({text.source}).id("tausend") == special::unknown);
  CHECK(vocabulary_of({text.source, text.target}).id("▁thousand") != special::unknown);
  CHECK(vocabulary_of({text.source, text.target}).id("tausend") != special::unknown);
}

TEST_CASE("a size that does not fit the text is refused with a possible size", "[subwords]") {
  const auto number_at_end = [](const std::string& message) {
    return std::stoll(message.substr(message.find(" at ") + 9));
  };
  for (const SubwordType type : both_types) {
    CAPTURE(to_string(type));
    const std::string too_large = refusal_to_learn({.type = type, .size = 50'000});
    CHECK_CONTAINS(too_large,
                   "a vocabulary of 50000 subwords is too large for this corpus; set "
                   "data.subwords.size (--size of regard vocabulary) to at most ");
    const Index most = number_at_end(too_large);
    CHECK(most > 120);
    CHECK(learn_numbers({.type = type, .size = most}).size() > 1000);

    const std::string too_small = refusal_to_learn({.type = type, .size = 5});
    CHECK_CONTAINS(too_small, "a vocabulary of 5 subwords has no room for all characters");
    std::set<char> characters;
    for (const std::vector<std::string>* side : {&number_text().source, &number_text().target})
      for (const std::string& line : *side) characters.insert(line.begin(), line.end());
    // The blank counts as ▁. The set holds bytes: ü, ö and ß have two each, and the first byte is the same.
    const Index least = number_at_end(too_small);
    CHECK(least == to_index(characters.size()) - 1 + special::count);
    CHECK(learn_numbers({.type = type, .size = least}).size() > 1000);
  }
}

TEST_CASE("rare characters can be left unknown", "[subwords]") {
  std::vector<std::string> lines(1000, "ab ab abab");
  lines.emplace_back("ab ß");
  const auto knows = [&](double coverage) {
    const LearntSubwords learnt =
        learn_subwords({lines}, {.size = coverage == 1 ? 9 : 8, .character_coverage = coverage});
    return SubwordTokeniser(learnt.bytes, "x").vocabulary().id("ß") != special::unknown;
  };
  CHECK(knows(1));
  CHECK_FALSE(knows(0.999));
}

TEST_CASE("lines that the library cannot learn from are left out", "[subwords]") {
  const std::vector<std::string> good = number_text().source;
  const SubwordSettings settings{.size = 100};
  std::vector<std::string> lines = good;
  lines.insert(lines.begin() + 7,
               {"", "  \t", "\x01\x7F", "\xE2\x80\x8B", std::string(100'000, 'q'), "▅ unknown"});
  const LearntSubwords learnt = learn_subwords({lines}, settings);
  CHECK(learnt.lines == to_index(good.size()));
  CHECK(learnt.left_out == 2);
  CHECK(learnt.bytes == learn_subwords({good}, settings).bytes);
  CHECK(origin(learnt) == ", learnt from " + std::to_string(good.size()) +
                              " lines; left out: 2 lines of more than 4192 bytes or with a ▅");
  for (const std::vector<std::string>& nothing :
       {std::vector<std::string>{}, {""}, {"\x01", "\xEF\xBB\xBF"}, {std::string(5000, 'x')}})
    CHECK_ERROR(learn_subwords({nothing}, settings), "no line is left to learn subwords from");
}

TEST_CASE("very short texts are learnt or refused, and learning ends", "[subwords]") {
  const std::vector<std::vector<std::string>> texts = {{"a"},
                                                       {"aaaaaaaaaaaaaaaa"},
                                                       {"abcdefghijklmnop", "abcdefghijklmnop"},
                                                       {"a", "b", "c"},
                                                       {std::string("a\0b", 3)},
                                                       {std::string(4192, 'a')},
                                                       {"<s> </s> <unk> <pad>"}};
  for (const SubwordType type : both_types)
    for (const std::vector<std::string>& text : texts)
      for (const Index size : {5, 6, 7, 30}) {
        const std::string message = MESSAGE_OF(learn_subwords({text}, {.type = type, .size = size}));
        CHECK((contains(message, "no error was thrown") || contains(message, "a vocabulary of ")));
      }
}

TEST_CASE("any text can be cut", "[subwords]") {
  for (const SubwordType type : both_types) {
    CAPTURE(to_string(type));
    const SubwordTokeniser& tokeniser = number_subwords(type);
    CHECK(tokeniser.split("").empty());
    CHECK(tokeniser.split(" \t\r ").empty());
    CHECK(tokeniser.split("\x01\x02").empty());
    CHECK(round_trip(tokeniser, "  one \t two\xC2\xA0three ") == "one two three");
    CHECK(round_trip(tokeniser, "one▁two") == "one two");   // ▁ is read as a blank
    CHECK(round_trip(tokeniser, "one\rtwo") == "one two");  // a CR that clean_line does not remove
    CHECK(round_trip(tokeniser,
                     "o\x01n\x7F"
                     "e") == "one");                  // control characters vanish
    CHECK(round_trip(tokeniser, "ｏｎｅ") == "one");  // NFKC
    CHECK(round_trip(tokeniser, std::string("one\0two", 7)) == std::string("one\0two", 7));
    CHECK_ERROR(tokeniser.split("ab \xC3"), "the text is not UTF-8 at byte 4");

    // The text of a special token is not a special token.
    for (const std::string special : {"<s>", "</s>", "<unk>", "<pad>"})
      for (const std::int32_t id : tokeniser.vocabulary().ids(tokeniser.split("one " + special + " two")))
        CHECK(id >= special::unknown);

    // Neighbouring unknown characters are one token, with the same text.
    const Tokens tokens = tokeniser.split("one 漢字 two");
    CHECK(std::count(tokens.begin(), tokens.end(), "漢字") == 1);
    CHECK(tokeniser.vocabulary().id("漢字") == special::unknown);
    CHECK(round_trip(tokeniser, "one 漢字 two") == "one 漢字 two");
    CHECK(tokeniser.join({"▁one", "<unk>"}) == "one ⁇ ");

    const std::string word(100'000, 'n');
    CHECK(round_trip(tokeniser, word) == word);
    std::string sentence;
    for (int i = 0; i < 20'000; ++i) sentence += "nine ";
    sentence.pop_back();
    CHECK(round_trip(tokeniser, sentence) == sentence);
  }
}

TEST_CASE("subwords are learnt from a sample of the lines", "[subwords]") {
  std::vector<std::string> lines;
  for (int i = 0; i < 1000; ++i) lines.push_back(std::string(1, static_cast<char>('a' + i / 100)) + "x");
  std::vector<std::string> said;
  const LearntSubwords sampled = learn_subwords({lines}, {.size = 16, .sample_lines = 100},
                                                [&](const std::string& line) { said.push_back(line); });
  REQUIRE(said.size() == 2);
  CHECK(said[0] == "Learning 16 subwords from 100 lines ...");
  CHECK(said[1].starts_with("Learnt in "));
  CHECK(origin(sampled) == ", learnt from 100 of 1000 lines");
  const SubwordTokeniser tokeniser(sampled.bytes, "sampled");
  for (char c = 'a'; c <= 'j'; ++c)  // lines from all over the text
    CHECK(tokeniser.vocabulary().id(std::string(1, c)) != special::unknown);
  CHECK(learn_subwords({lines}, {.size = 16, .sample_lines = 100}).bytes == sampled.bytes);
  CHECK(origin(learn_subwords({lines}, {.size = 16, .sample_lines = 1000})) == ", learnt from 1000 lines");
  CHECK(origin(learn_subwords({lines}, {.size = 16, .sample_lines = 0})) == ", learnt from 1000 lines");
}
