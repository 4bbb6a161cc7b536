#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/exchange/weights.h"
#include "apps/translation/text/vocabulary.h"

namespace regard::exchange {

// Vocabularies of other programs, in both directions. Their tokens have other ids than ours, which begin with
// the special tokens.

/// A vocabulary with its own ids, and where its tokens are in a file of weights.
struct ImportedVocabulary {
  translation::Vocabulary vocabulary;
  foreign::StoredVocabulary stored;
  bool has_begin;  ///< the file has a token <s> of its own, which takes the place of <pad>
};

/// The special tokens of another program by their ids.
struct SpecialRows {
  std::int32_t end, unknown;
  std::int32_t begin;  ///< the first token that the decoder reads
};

/// Reads tokens and their ids: vocab.json, or a file of YAML if the name ends in .yml. Returns the tokens in
/// the order of the ids; an id that has no token gives an empty text. Throws Error that names the file and
/// its fault.
std::vector<std::string> read_vocabulary(const std::string& path);

/// Returns the id of a token. Throws Error that names the file if there is none.
std::int32_t id_of(const std::vector<std::string>& tokens, const std::string& token, const std::string& path);

/// Puts the tokens of a file, in the order of their ids, into our order: special tokens first. `rows` is the
/// number of rows in the matrices; rows without a token get a name that no text has. Throws Error that names
/// the file of the vocabulary, `path`, if there are more tokens than rows.
ImportedVocabulary our_order(const std::vector<std::string>& tokens, Index rows, const SpecialRows& special,
                             const std::string& path);

/// Our ids in the order of MarianMT's rows: </s>, <unk>, the words, and <pad>, with which the decoder begins
/// and which is our <s>. If the softmax has our <pad> (`with_pad`), it is there as a token <s> that never
/// comes next. Both sides have <pad> at the same place: the last one of the smaller vocabulary.
std::vector<std::int32_t> their_order(const translation::Vocabulary& vocabulary, Index smaller,
                                      bool with_pad);

/// Our ids in the order of the pieces of a SentencePiece model, if the pieces are the tokens. Otherwise
/// nothing.
std::optional<std::vector<std::int32_t>> order_of_pieces(const translation::Vocabulary& vocabulary,
                                                         const std::vector<std::string>& pieces);

/// The text of a vocabulary in YAML for ids in this order, without <pad> and <s>.
std::string vocabulary_yaml(const translation::Vocabulary& vocabulary,
                            const std::vector<std::int32_t>& order);

/// The text of vocab.json for ids in this order. A row that had no token when the model was imported has none
/// again.
std::string vocabulary_json(const translation::Vocabulary& vocabulary,
                            const std::vector<std::int32_t>& order);

}  // namespace regard::exchange
