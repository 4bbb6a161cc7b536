// The files of SentencePiece models.
#include "tests/apps/subwords/subword_support.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"

using namespace regard::translation;
using namespace regard::tests;

namespace {

std::string refusal(const std::string& bytes) { return MESSAGE_OF(SubwordTokeniser(bytes, "x.model")); }

}  // namespace

TEST_CASE("a file that is not a SentencePiece model is refused", "[subwords]") {
  const std::string unreadable = "x.model cannot be read as a SentencePiece model";
  for (const std::string& bytes :
       {std::string(), std::string("one two three\n"), std::string("{\"format\": 1}"),
        std::string(1000, '\0'), std::string(1000, '\xFF')})
    CHECK_CONTAINS(refusal(bytes), unreadable);
}

TEST_CASE("a model that ends early at any byte is refused", "[subwords]") {
  const std::string whole = model_bytes(with_special({{"ab", 0}, {"▁", -1}, {"a", -2}, {"b", -3}}));
  CHECK_CONTAINS(refusal(whole), "no error was thrown");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_CONTAINS(refusal(whole.substr(0, size)), "x.model cannot be read as a SentencePiece model");
  }
  const std::string learnt = learn_numbers({.size = 100});
  for (std::size_t size = 1; size < learnt.size(); size += learnt.size() / 50)
    CHECK_CONTAINS(refusal(learnt.substr(0, size)), "cannot be read as a SentencePiece model");
}

TEST_CASE("a model with other special pieces is refused", "[subwords]") {
  using Kind = SubwordPiece::Kind;
  const std::vector<SubwordPiece> good = with_special({{"a", 0}, {"▁", -1}});
  // The default numbers of SentencePiece.
  std::vector<SubwordPiece> pieces = {good[3], good[1], good[2], good[4], good[5]};
  CHECK(refusal(model_bytes(pieces)) ==
        "x.model: piece 0 is <unk> of another kind, but should be <pad>; learn the model with regard "
        "vocabulary, or with "
        "spm_train --pad_id=0 --bos_id=1 --eos_id=2 --unk_id=3");
  pieces = good;
  std::swap(pieces[1], pieces[2]);
  CHECK_CONTAINS(refusal(model_bytes(pieces)), "piece 1 is </s>, but should be <s>");
  pieces = good;
  pieces[0].kind = Kind::normal;
  CHECK_CONTAINS(refusal(model_bytes(pieces)), "piece 0 is <pad> of another kind, but should be <pad>");
  pieces = good;
  pieces[1].text = "\x1B[2J";
  CHECK_CONTAINS(refusal(model_bytes(pieces)), "piece 1 is \\x1B[2J, but should be <s>");
  CHECK_CONTAINS(refusal(model_bytes({good[0], good[1]})),
                 "x.model cannot be used as a SentencePiece model: a piece is empty or occurs twice");
}

TEST_CASE("a model with impossible pieces is refused", "[subwords]") {
  using Kind = SubwordPiece::Kind;
  const auto with = [](const SubwordPiece& piece) {
    return refusal(model_bytes(with_special({{"a", 0}, {"▁", -1}, piece})));
  };
  CHECK_CONTAINS(with({"b", -2}), "no error was thrown");
  CHECK_CONTAINS(with({"a", -2}), "or occurs twice, none is for unknown words");
  CHECK_CONTAINS(with({"<s>", -2}), "a piece occurs twice");
  CHECK_CONTAINS(with({"\xC3", -2}), "cannot be read");
  CHECK_CONTAINS(with({std::string("a\0b", 3), -2}), "cannot be read");
  CHECK_CONTAINS(with({"", -2}), "x.model cannot be used as a SentencePiece model: ");
  CHECK_CONTAINS(with({"b", std::numeric_limits<double>::quiet_NaN()}), "cannot be read");
  for (const std::string text : {"\n", "a\r"})
    CHECK_THAT(with({text, -2, Kind::user_defined}),
               ContainsSubstring("x.model: piece 6, \"") && ContainsSubstring("\\x0") &&
                   ContainsSubstring("\", contains a line end, but a translation is one line"));
  CHECK_CONTAINS(with({"<0x41>", -2, Kind::byte}), "x.model cannot be used as a SentencePiece model: ");
  CHECK_CONTAINS(refusal(model_bytes(with_special({{"a", 0}}), 7)), "cannot be read");
}
