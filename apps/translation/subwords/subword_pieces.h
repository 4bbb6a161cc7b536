#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/subwords/subword_settings.h"

namespace regard::translation {

std::string to_string(SubwordType type);

/// An entry of a SentencePiece model. A ▁ (U+2581) in its text stands for a blank.
struct SubwordPiece {
  enum class Kind { normal = 1, unknown, control, user_defined, unused, byte };  ///< the file's numbers

  std::string text;
  double score = 0;  ///< bpe: the highest is merged first; unigram: log-probability
  Kind kind = Kind::normal;
};

/// What a SentencePiece model knows; a piece's number is its position.
struct SubwordPieces {
  SubwordType type = SubwordType::bpe;
  std::vector<SubwordPiece> entries;
  bool has_checksum = false;  ///< which fitted
};

/// Reads the pieces from the bytes of a SentencePiece model, which is a message of Protocol Buffers. (The
/// library's headers show neither the kind of a piece nor the type of a model.)
///
/// Throws Error calling the model `name` if this is none, is damaged or cut short, does not fit its checksum,
/// if its special pieces are not <pad> 0, <s> 1, </s> 2, <unk> 3, or if a piece holds a line end.
SubwordPieces read_subword_pieces(std::string_view bytes, const std::string& name);

/// A SentencePiece model that has none, with a checksum behind it, so that read_subword_pieces notices damage
/// anywhere, also in the tables that the library uses unseen. SentencePiece passes over it.
std::string with_checksum(std::string bytes);

}  // namespace regard::translation
