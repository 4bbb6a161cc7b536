#include "apps/translation/subwords.h"

#include <algorithm>
#include <set>

#include "apps/translation/training_data.h"
#include "tests/apps/subword_support.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"

using namespace regard::translation;
using namespace regard::tests;

namespace {

using Tokens = std::vector<std::string>;
constexpr SubwordType both_types[] = {SubwordType::bpe, SubwordType::unigram};

std::string round_trip(const SubwordTokeniser& tokeniser, const std::string& text) {
  return tokeniser.join(tokeniser.split(text));
}

std::string refusal(const std::string& bytes) { return MESSAGE_OF(SubwordTokeniser(bytes, "x.model")); }

std::string refusal_to_learn(const SubwordSettings& settings) { return MESSAGE_OF(learn_numbers(settings)); }

}  // namespace

TEST_CASE("what was cut into subwords is joined again", "[subwords]") {
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

TEST_CASE("the pieces are the vocabulary", "[subwords]") {
  for (const SubwordType type : both_types) {
    const SubwordTokeniser& tokeniser = number_subwords(type);
    CHECK(tokeniser.name() == "sentencepiece");
    CHECK(tokeniser.pieces().type == type);
    CHECK(tokeniser.pieces().entries.size() == 120);
    CHECK(tokeniser.vocabulary().size() == 120);
    CHECK(tokeniser.vocabulary().token(0) == "<pad>");
    CHECK(tokeniser.vocabulary().token(special::unknown) == "<unk>");
    for (std::size_t id = 4; id < 120; ++id)
      CHECK(tokeniser.vocabulary().id(tokeniser.pieces().entries[id].text) == static_cast<std::int32_t>(id));
    for (const std::string& token : tokeniser.split("twenty-one thousand"))
      CHECK(tokeniser.vocabulary().id(token) != special::unknown);
  }
}

TEST_CASE("a model made by hand cuts as byte-pair encoding says", "[subwords]") {
  const std::vector<SubwordPiece> pieces =
      with_special({{"ab", 0}, {"▁ab", -1}, {"bc", -2}, {"▁", -3}, {"a", -4}, {"b", -5}, {"c", -6}});
  const SubwordTokeniser tokeniser(model_bytes(pieces), "x.model");
  CHECK(tokeniser.split("abc") == Tokens{"▁ab", "c"});
  CHECK(tokeniser.split("cab bc") == Tokens{"▁", "c", "ab", "▁", "bc"});
  CHECK(tokeniser.pieces().entries[5].score == -1);
  CHECK(tokeniser.join({"▁ab", "c", "▁", "bc"}) == "abc bc");
}

TEST_CASE("learning is a function of the text and the settings", "[subwords]") {
  for (const SubwordType type : both_types) {
    const std::string bytes = learn_numbers({.type = type, .size = 120});
    // Blocks of all sizes, some of them given back: the next learning finds the heap in another state.
    std::vector<std::string> blocks;
    for (std::size_t i = 0; i < 3000; ++i) blocks.emplace_back(40 + i * 37 % 200, 'x');
    for (std::size_t i = 0; i < blocks.size(); i += 3) blocks[i] = std::string();
    CHECK(learn_numbers({.type = type, .size = 120}) == bytes);
    CHECK(learn_numbers({.type = type, .size = 119}) != bytes);
  }
}

TEST_CASE("both sides teach together", "[subwords]") {
  const auto vocabulary_of = [](const std::vector<std::span<const std::string>>& texts) {
    return SubwordTokeniser(learn_subwords(texts, {.size = 100}).bytes, "x").vocabulary();
  };
  const ParallelText& text = number_text();
  CHECK(vocabulary_of({text.source}).id("▁thousand") != special::unknown);
  CHECK(vocabulary_of({text.source}).id("tausend") == special::unknown);
  CHECK(vocabulary_of({text.source, text.target}).id("▁thousand") != special::unknown);
  CHECK(vocabulary_of({text.source, text.target}).id("tausend") != special::unknown);
}

TEST_CASE("a size that does not fit the text is refused with one that does", "[subwords]") {
  const auto number_at_end = [](const std::string& message) {
    return std::stoll(message.substr(message.find(" at ") + 9));
  };
  for (const SubwordType type : both_types) {
    CAPTURE(to_string(type));
    const std::string too_large = refusal_to_learn({.type = type, .size = 50'000});
    CHECK_THAT(too_large,
               ContainsSubstring("a vocabulary of 50000 subwords is too large for this corpus; set "
                                 "data.subwords.size (--size of regard vocabulary) to at most "));
    const std::int64_t most = number_at_end(too_large);
    CHECK(most > 120);
    CHECK(learn_numbers({.type = type, .size = most}).size() > 1000);

    const std::string too_small = refusal_to_learn({.type = type, .size = 5});
    CHECK_THAT(too_small, ContainsSubstring("a vocabulary of 5 subwords has no room for all characters"));
    std::set<char> characters;
    for (const std::vector<std::string>* side : {&number_text().source, &number_text().target})
      for (const std::string& line : *side) characters.insert(line.begin(), line.end());
    // The blank counts as ▁. These are bytes: ü, ö and ß have two, of which they share the first.
    const std::int64_t least = number_at_end(too_small);
    CHECK(least == static_cast<std::int64_t>(characters.size()) - 1 + special::count);
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

TEST_CASE("lines that cannot teach are left out", "[subwords]") {
  const std::vector<std::string> good = number_text().source;
  const SubwordSettings settings{.size = 100};
  std::vector<std::string> lines = good;
  lines.insert(lines.begin() + 7,
               {"", "  \t", "\x01\x7F", "\xE2\x80\x8B", std::string(100'000, 'q'), "▅ unknown"});
  const LearntSubwords learnt = learn_subwords({lines}, settings);
  CHECK(learnt.lines == static_cast<std::int64_t>(good.size()));
  CHECK(learnt.left_out == 2);
  CHECK(learnt.bytes == learn_subwords({good}, settings).bytes);
  CHECK(summary(learnt, settings) == "bpe, 100 entries, learnt from " + std::to_string(good.size()) +
                                         " lines; left out: 2 of more than 4192 bytes or with a ▅");
  for (const std::vector<std::string>& nothing :
       {std::vector<std::string>{}, {""}, {"\x01", "\xEF\xBB\xBF"}, {std::string(5000, 'x')}})
    CHECK_ERROR(learn_subwords({nothing}, settings), "there is nothing to learn subwords from");
}

TEST_CASE("little text teaches little, or is refused, but ends", "[subwords]") {
  const std::vector<std::vector<std::string>> texts = {{"a"},
                                                       {"aaaaaaaaaaaaaaaa"},
                                                       {"abcdefghijklmnop", "abcdefghijklmnop"},
                                                       {"a", "b", "c"},
                                                       {std::string("a\0b", 3)},
                                                       {std::string(4192, 'a')},
                                                       {"<s> </s> <unk> <pad>"}};
  for (const SubwordType type : both_types)
    for (const std::vector<std::string>& text : texts)
      for (const std::int64_t size : {5, 6, 7, 30}) {
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
    CHECK(round_trip(tokeniser, "one▁two") == "one two");   // ▁ is a blank
    CHECK(round_trip(tokeniser, "one\rtwo") == "one two");  // what clean_line leaves of CR
    CHECK(round_trip(tokeniser,
                     "o\x01n\x7F"
                     "e") == "one");                  // control characters vanish
    CHECK(round_trip(tokeniser, "ｏｎｅ") == "one");  // NFKC
    CHECK(round_trip(tokeniser, std::string("one\0two", 7)) == std::string("one\0two", 7));
    CHECK_ERROR(tokeniser.split("ab \xC3"), "the text is not UTF-8 at byte 4");

    // The text of a special token is no special token.
    for (const std::string special : {"<s>", "</s>", "<unk>", "<pad>"})
      for (const std::int32_t id : tokeniser.vocabulary().ids(tokeniser.split("one " + special + " two")))
        CHECK(id >= special::unknown);

    // Unknown characters next to each other are one token, which is the text itself.
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

TEST_CASE("what is no SentencePiece model is refused", "[subwords]") {
  const std::string unreadable = "x.model cannot be read as a SentencePiece model";
  for (const std::string& bytes :
       {std::string(), std::string("one two three\n"), std::string("{\"format\": 1}"),
        std::string(1000, '\0'), std::string(1000, '\xFF')})
    CHECK_THAT(refusal(bytes), ContainsSubstring(unreadable));
}

TEST_CASE("a model that was cut short is refused, wherever", "[subwords]") {
  const std::string whole = model_bytes(with_special({{"ab", 0}, {"▁", -1}, {"a", -2}, {"b", -3}}));
  CHECK_THAT(refusal(whole), ContainsSubstring("no error was thrown"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_THAT(refusal(whole.substr(0, size)),
               ContainsSubstring("x.model cannot be read as a SentencePiece model"));
  }
  const std::string learnt = learn_numbers({.size = 100});
  for (std::size_t size = 1; size < learnt.size(); size += learnt.size() / 50)
    CHECK_THAT(refusal(learnt.substr(0, size)), ContainsSubstring("cannot be read as a SentencePiece model"));
}

TEST_CASE("a model that was changed anywhere is refused by its checksum", "[subwords]") {
  const std::string learnt = learn_numbers({.size = 100});
  const auto accepted_with_a_flip = [](const std::string& model) {
    std::size_t accepted = 0;
    for (std::size_t at = 0; at < model.size(); at += model.size() / 200) {
      std::string spoilt = model;
      spoilt[at] = static_cast<char>(spoilt[at] ^ 1 << at % 8);
      accepted += MESSAGE_OF(read_subword_pieces(spoilt, "x.model")).starts_with("(no error was thrown");
    }
    return accepted;
  };
  CHECK(accepted_with_a_flip(learnt) == 0);
  // Negative control: without it, most of these changes lie in a table that only the library reads.
  constexpr std::size_t checksum_size = 6;
  const std::string unchecked = learnt.substr(0, learnt.size() - checksum_size);
  CHECK(accepted_with_a_flip(unchecked) > 100);
  CHECK(with_checksum(unchecked) == learnt);

  // CRC-32's check value, for the text that everybody checks it with.
  CHECK(with_checksum("123456789") == "123456789\xC5\x0C\x26\x39\xF4\xCB");
}

TEST_CASE("a model without a checksum gets one in the model directory", "[subwords]") {
  const std::string bytes = learn_numbers({.size = 100});
  const std::string unchecked = bytes.substr(0, bytes.size() - 6);
  CHECK(read_subword_pieces(bytes, "x.model").has_checksum);
  CHECK_FALSE(read_subword_pieces(unchecked, "x.model").has_checksum);

  const TemporaryDirectory directory;
  std::string source, target;
  for (const std::string& line : number_text().source) source += line + "\n";
  for (const std::string& line : number_text().target) target += line + "\n";
  Settings settings;
  settings.data.source = directory.file("source", source);
  settings.data.target = directory.file("target", target);
  settings.data.tokeniser = "sentencepiece";
  for (const std::string& model : {bytes, unchecked}) {
    settings.data.subwords.model = directory.file("x.model", model);
    CHECK(load_training_data(settings).vocabularies.subwords == bytes);
  }
}

TEST_CASE("a model with other special pieces is refused", "[subwords]") {
  using Kind = SubwordPiece::Kind;
  const std::vector<SubwordPiece> good = with_special({{"a", 0}, {"▁", -1}});
  // As SentencePiece numbers them unless told otherwise.
  std::vector<SubwordPiece> pieces = {good[3], good[1], good[2], good[4], good[5]};
  CHECK(refusal(model_bytes(pieces)) ==
        "x.model: piece 0 is <unk> of another kind, but should be <pad>; learn the model with regard "
        "vocabulary, or with "
        "spm_train --pad_id=0 --bos_id=1 --eos_id=2 --unk_id=3");
  pieces = good;
  std::swap(pieces[1], pieces[2]);
  CHECK_THAT(refusal(model_bytes(pieces)), ContainsSubstring("piece 1 is </s>, but should be <s>"));
  pieces = good;
  pieces[0].kind = Kind::normal;
  CHECK_THAT(refusal(model_bytes(pieces)),
             ContainsSubstring("piece 0 is <pad> of another kind, but should be <pad>"));
  CHECK_THAT(refusal(model_bytes({good[0], good[1]})), ContainsSubstring("piece 2 is missing"));
}

TEST_CASE("a model with pieces that cannot be is refused", "[subwords]") {
  using Kind = SubwordPiece::Kind;
  const auto with = [](const SubwordPiece& piece) {
    return refusal(model_bytes(with_special({{"a", 0}, {"▁", -1}, piece})));
  };
  CHECK_THAT(with({"b", -2}), ContainsSubstring("no error was thrown"));
  CHECK_THAT(with({"a", -2}), ContainsSubstring("x.model: this SentencePiece model has a piece twice"));
  CHECK_THAT(with({"<s>", -2}), ContainsSubstring("has a piece twice"));
  CHECK_THAT(with({"\xC3", -2}), ContainsSubstring("cannot be read"));
  CHECK_THAT(with({std::string("a\0b", 3), -2}), ContainsSubstring("cannot be read"));
  CHECK_THAT(with({"", -2}), ContainsSubstring("cannot be read"));
  CHECK_THAT(with({"b", std::numeric_limits<double>::quiet_NaN()}), ContainsSubstring("cannot be read"));
  CHECK_THAT(with({"b", -2, static_cast<Kind>(9)}), ContainsSubstring("cannot be read"));
  CHECK_THAT(with({"<0x41>", -2, Kind::byte}),
             ContainsSubstring("x.model cannot be used as a SentencePiece model: "));
  CHECK_THAT(refusal(model_bytes(with_special({{"a", 0}}), 7)), ContainsSubstring("cannot be read"));
}
