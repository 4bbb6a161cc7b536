#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/subwords/subword_settings.h"

namespace regard::translation {

std::string to_string(SubwordType type);

/// An entry of a SentencePiece model. A ▁ (U+2581) in its text represents a blank.
struct SubwordPiece {
  enum class Kind { normal = 1, unknown, control, user_defined, unused, byte };  ///< the file's numbers

  std::string text;
  double score = 0;  ///< bpe: the pair with the highest score is merged first; unigram: log-probability
  Kind kind = Kind::normal;
};

/// The pieces of a SentencePiece model. The number of a piece is its position.
struct SubwordPieces {
  SubwordType type = SubwordType::bpe;
  std::vector<SubwordPiece> entries;
  bool has_checksum = false;  ///< the model has a checksum, and its bytes agree with it
};

/// Reads the pieces from the bytes of a SentencePiece model, which is a message of Protocol Buffers. (The
/// library's headers show neither the kind of a piece nor the type of a model.)
///
/// Throws Error if the bytes are not such a model, are damaged or incomplete, or do not agree with their
/// checksum, if the special pieces are not <pad> 0, <s> 1, </s> 2, <unk> 3, or if a piece contains a line
/// end. The message calls the model `name`.
SubwordPieces read_subword_pieces(std::string_view bytes, const std::string& name);

/// Appends a checksum to a SentencePiece model that has none. With it, read_subword_pieces finds damage at
/// any place, also in tables that only the library reads. SentencePiece ignores the checksum.
std::string with_checksum(std::string bytes);

}  // namespace regard::translation
