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

#include "autograd/checked_cast.h"
#include "autograd/index.h"

namespace regard::translation {

/// Tokens with a meaning of their own. Every vocabulary begins with them, in this order.
namespace special {
inline constexpr std::int32_t pad = 0;      ///< reserved so that vocabularies travel; the model never sees it
inline constexpr std::int32_t begin = 1;    ///< <s>
inline constexpr std::int32_t end = 2;      ///< </s>
inline constexpr std::int32_t unknown = 3;  ///< <unk>
inline constexpr Index count = 4;
}  // namespace special

/// Whether a tokeniser may make this of a line: it is not empty and holds no line end.
bool may_be_token(std::string_view text);

/// Hashes std::string and std::string_view alike, so that looking up a view makes no copy.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

/// How often each token occurs, in the order in which they first occurred.
class TokenCounts {
 public:
  using Entry = std::pair<std::string, Index>;

  void add(std::string_view token);
  void add(const std::vector<std::string>& tokens);

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  TextMap<std::size_t> positions_;
};

struct VocabularySettings {
  Index maximum_size = 0;  ///< entries, the four special ones included; 0: no limit
  Index minimum_frequency = 1;
};

/// Numbers for tokens: the special ones, then the others.
///
/// A special token is never a word: where a corpus contains the text "</s>" it is an unknown word like any
/// other, so no text can end a sentence or begin one.
class Vocabulary {
 public:
  /// The most frequent token first; of equally frequent ones, the one that was counted first.
  static Vocabulary from_counts(const TokenCounts& counts, const VocabularySettings& settings = {});

  /// Reads what save wrote. Throws Error naming the file and what is wrong with it.
  static Vocabulary load(const std::string& path);

  /// Writes {"format": 1, "tokens": [...]}, the special tokens included.
  void save(const std::string& path) const;

  Index size() const { return to_index(tokens_.size()); }

  /// The number of a token; special::unknown for one that is not there.
  std::int32_t id(std::string_view token) const;
  std::vector<std::int32_t> ids(const std::vector<std::string>& tokens) const;

  /// Those of the tokens that are not there.
  std::vector<std::string> unknown(const std::vector<std::string>& tokens) const;

  /// The token with this number. Throws Error for a number outside the vocabulary.
  const std::string& token(Index id) const;
  std::vector<std::string> tokens(std::span<const std::int32_t> ids) const;

 private:
  Vocabulary();
  bool add(const std::string& token);  ///< false for one that is there already, or is special

  std::vector<std::string> tokens_;
  TextMap<std::int32_t> ids_;  ///< without the special tokens
};

}  // namespace regard::translation
