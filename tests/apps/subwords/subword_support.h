#pragma once

#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "apps/subwords/subwords.h"
#include "apps/toys/toys.h"
#include "apps/translation/corpus/corpus.h"
#include "tests/apps/support.h"

namespace regard::tests {

using translation::SubwordSettings;
using translation::SubwordTokeniser;
using translation::SubwordType;

/// Numbers in words: "twenty-one" and "einundzwanzig".
inline const translation::ParallelText& number_text() {
  static const translation::ParallelText text = [] {
    translation::ParallelText numbers{.source = {}, .target = {}, .name = "numbers"};
    for (const toys::SentencePair& pair :
         toys::generate(toys::find_toy("numbers"), 1, {.train = 400}).train) {
      numbers.source.push_back(pair.source);
      numbers.target.push_back(pair.target);
    }
    return numbers;
  }();
  return text;
}

inline std::string learn_numbers(const SubwordSettings& settings) {
  return learn_subwords({number_text().source, number_text().target}, settings).bytes;
}

/// A model of 120 subwords that was learnt from these numbers.
inline const SubwordTokeniser& number_subwords(SubwordType type) {
  const auto learnt = [](SubwordType wanted) {
    return SubwordTokeniser(learn_numbers({.type = wanted, .size = 120}), "numbers");
  };
  static const SubwordTokeniser bpe = learnt(SubwordType::bpe), unigram = learnt(SubwordType::unigram);
  return type == SubwordType::bpe ? bpe : unigram;
}

// Makes a SentencePiece model by hand from the fields of sentencepiece_model.proto.

/// An entry of a model. A ▁ (U+2581) in its text represents a blank.
struct SubwordPiece {
  enum class Kind { normal = 1, unknown, control, user_defined, unused, byte };  ///< the file's numbers

  std::string text;
  double score = 0;  ///< bpe: the pair with the highest score is merged first; unigram: log-probability
  Kind kind = Kind::normal;
};

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(static_cast<unsigned char>(value | 0x80));
  return bytes + static_cast<char>(value);
}

inline std::string number_field(std::uint64_t field, std::uint64_t value) {
  return varint(field << 3) + varint(value);
}

inline std::string bytes_field(std::uint64_t field, std::string_view bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

inline std::string float_field(std::uint64_t field, float value) {
  std::string bytes = varint(field << 3 | 5);
  for (auto bits = std::bit_cast<std::uint32_t>(value); bytes.size() < 5; bits >>= 8)
    bytes += static_cast<char>(bits & 0xFF);
  return bytes;
}

inline std::string piece_field(const SubwordPiece& piece) {
  return bytes_field(1, bytes_field(1, piece.text) + float_field(2, static_cast<float>(piece.score)) +
                            number_field(3, static_cast<std::uint64_t>(piece.kind)));
}

/// The special pieces, followed by these.
inline std::vector<SubwordPiece> with_special(const std::vector<SubwordPiece>& normal) {
  using Kind = SubwordPiece::Kind;
  std::vector<SubwordPiece> pieces = {{.text = "<pad>", .kind = Kind::control},
                                      {.text = "<s>", .kind = Kind::control},
                                      {.text = "</s>", .kind = Kind::control},
                                      {.text = "<unk>", .kind = Kind::unknown}};
  pieces.insert(pieces.end(), normal.begin(), normal.end());
  return pieces;
}

constexpr std::uint64_t bpe_in_file = 2, unigram_in_file = 1;

/// A model of these pieces. It normalises only blanks.
inline std::string model_bytes(const std::vector<SubwordPiece>& pieces, std::uint64_t type = bpe_in_file) {
  std::string bytes;
  for (const SubwordPiece& piece : pieces) bytes += piece_field(piece);
  return bytes + bytes_field(2, number_field(3, type)) + bytes_field(3, bytes_field(1, "identity"));
}

}  // namespace regard::tests
