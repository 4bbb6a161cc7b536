#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/vocabulary.h"
#include "nn/module.h"
#include "transformer/marian/hugging_face.h"

namespace regard::translation {

/// A model of another program, as regard has it.
struct ImportedModel {
  std::string description;  ///< such as "MarianMT"
  Settings settings;
  Vocabularies vocabularies;
  std::vector<nn::NamedParameter> parameters;
};

/// Bytes of the largest SentencePiece model that is read.
inline constexpr std::uint64_t longest_subwords = std::uint64_t{64} << 20;

/// Reads a whole file. Throws Error if it has more than `most` bytes: then it is not what it should be.
std::string read_limited(const std::string& path, std::uint64_t most);

/// A vocabulary with its own ids, and where its tokens are in a file of weights.
struct ImportedVocabulary {
  Vocabulary vocabulary;
  transformer::StoredVocabulary stored;
  bool has_begin;  ///< the file has a token <s> of its own, which takes the place of <pad>
};

/// The special tokens of another program by their ids.
struct SpecialRows {
  std::int32_t end, unknown;
  std::int32_t begin;  ///< the first token that the decoder reads
};

/// Puts the tokens of a file, in the order of their ids, into our order: special tokens first. `rows` is the
/// number of rows in the matrices; rows without a token get a name that no text has. Throws Error that names
/// the file of the vocabulary, `path`, if there are more tokens than rows.
ImportedVocabulary our_order(const std::vector<std::string>& tokens, Index rows, const SpecialRows& special,
                             const std::string& path);

/// The name of row `row` of the file's matrices if it has no token.
inline std::string name_of_row(Index row) { return fmt::format("<row {}>", row); }

/// Reads vocab.json: an object of tokens and their ids. Returns the tokens in the order of the ids; an id
/// that has no token gives an empty text. Throws Error that names the file and its fault.
std::vector<std::string> read_vocabulary_json(const std::string& path);

/// Returns the id of a token. Throws Error that names the file if there is none.
std::int32_t id_of(const std::vector<std::string>& tokens, const std::string& token, const std::string& path);

/// Writes a model directory: all of its files, or nothing. Throws Error if `directory` exists and is not
/// empty, if a weight is not finite, or if a file cannot be written.
void write_model(const ImportedModel& model, const std::string& directory);

}  // namespace regard::translation
