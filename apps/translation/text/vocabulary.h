#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/machine/real.h"
#include "transformer/batch.h"

// Tokens and their numbers.

namespace regard::translation {

/// The special tokens (transformer/batch.h). Every vocabulary begins with them, in this order.
namespace special {
inline constexpr std::int32_t pad = transformer::padding_id;           ///< for exchange with other programs
inline constexpr std::int32_t begin = transformer::sentence_begin_id;  ///< <s>
inline constexpr std::int32_t end = transformer::sentence_end_id;      ///< </s>
inline constexpr std::int32_t unknown = transformer::unknown_id;       ///< <unk>
inline constexpr Index count = transformer::first_word_id;
}  // namespace special

/// True for the text of a special token, such as </s>.
bool is_special(std::string_view token);

/// True if a tokeniser can produce this token from a line: it is not empty and contains no line end.
bool may_be_token(std::string_view text);

/// Gives std::string and std::string_view the same hash, so that a look-up with a view makes no copy.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

/// Counts how often each token occurs. The entries are in the order of their first occurrence.
class TokenCounts {
 public:
  using Entry = std::pair<std::string, Index>;

  void add(std::string_view token);  ///< counts a token, or each of a list
  void add(const std::vector<std::string>& tokens);

  const std::vector<Entry>& entries() const { return entries_; }  ///< each token with its count

 private:
  std::vector<Entry> entries_;
  TextMap<std::size_t> positions_;
};

struct VocabularySettings {
  Index maximum_size = 0;  ///< entries, with the four special tokens; 0: no limit
  Index minimum_frequency = 1;
};

/// Gives each token a number (id): first the special tokens, then the others.
///
/// A special token is never a word. If a corpus contains the text "</s>", it is an unknown word like any
/// other, so no text can end a sentence or begin one.
class Vocabulary {
 public:
  /// The most frequent token comes first. Equally frequent tokens keep the order of their first occurrence.
  static Vocabulary from_counts(const TokenCounts& counts, const VocabularySettings& settings = {});

  /// Reads a file that save() wrote. Throws Error that names the file and its fault.
  static Vocabulary load(const std::string& path);

  /// Writes {"format": 1, "tokens": [...]}, with the special tokens.
  void save(const std::string& path) const;

  Index size() const { return to_index(tokens_.size()); }  ///< with the special tokens

  /// Returns the number of a token, or special::unknown if the vocabulary does not contain it.
  std::int32_t id(std::string_view token) const;
  std::vector<std::int32_t> ids(const std::vector<std::string>& tokens) const;  ///< id() of each

  /// Returns the tokens that the vocabulary does not contain.
  std::vector<std::string> unknown(const std::vector<std::string>& tokens) const;

  /// Returns the token with this number. Throws Error for a number outside the vocabulary.
  const std::string& token(Index id) const;
  std::vector<std::string> tokens(std::span<const std::int32_t> ids) const;  ///< token() of each

 private:
  Vocabulary();
  bool add(const std::string& token);  ///< false if the token is special or was added before

  std::vector<std::string> tokens_;
  TextMap<std::int32_t> ids_;  ///< without the special tokens
};

/// The vocabularies of both sides. With a joint vocabulary, both are the same.
struct Vocabularies {
  Vocabulary source, target;
  /// The bytes of the tokeniser's file; empty if it has none. The target side may have a file of its own.
  std::string subwords = {}, target_subwords = {};
};

}  // namespace regard::translation
