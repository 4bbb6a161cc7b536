#include "apps/translation/text/vocabulary.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

constexpr Index newest_vocabulary_format = 1;
constexpr std::array<std::string_view, special::count> special_tokens = {"<pad>", "<s>", "</s>", "<unk>"};

}  // namespace

bool is_special(std::string_view token) {
  return std::find(special_tokens.begin(), special_tokens.end(), token) != special_tokens.end();
}

bool may_be_token(std::string_view text) {
  return !text.empty() && text.find_first_of("\n\r") == std::string_view::npos;
}

void TokenCounts::add(std::string_view token) {
  const auto known = positions_.find(token);
  if (known != positions_.end()) {
    ++entries_[known->second].second;
  } else {
    positions_.emplace(token, entries_.size());
    entries_.emplace_back(token, 1);
  }
}

void TokenCounts::add(const std::vector<std::string>& tokens) {
  for (const std::string& token : tokens) add(std::string_view(token));
}

Vocabulary::Vocabulary() : tokens_(special_tokens.begin(), special_tokens.end()) {}

bool Vocabulary::add(const std::string& token) {
  if (is_special(token)) return false;
  if (size() > std::numeric_limits<std::int32_t>::max()) fail("a vocabulary holds at most 2147483648 tokens");
  if (!ids_.emplace(token, static_cast<std::int32_t>(size())).second) return false;
  tokens_.push_back(token);
  return true;
}

Vocabulary Vocabulary::from_counts(const TokenCounts& counts, const VocabularySettings& settings) {
  if (settings.maximum_size != 0 && settings.maximum_size <= special::count)
    fail("a vocabulary of {} entries has no room for words after the {} special tokens",
         settings.maximum_size, special::count);
  std::vector<TokenCounts::Entry> entries = counts.entries();
  // A stable sort: equally frequent tokens keep the order of their first occurrence.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  Vocabulary vocabulary;
  for (const auto& [token, count] : entries) {
    if (count < settings.minimum_frequency) break;
    if (settings.maximum_size != 0 && vocabulary.size() == settings.maximum_size) break;
    vocabulary.add(token);
  }
  return vocabulary;
}

std::int32_t Vocabulary::id(std::string_view token) const {
  const auto known = ids_.find(token);
  return known == ids_.end() ? special::unknown : known->second;
}

std::vector<std::int32_t> Vocabulary::ids(const std::vector<std::string>& tokens) const {
  std::vector<std::int32_t> result;
  result.reserve(tokens.size());
  for (const std::string& token : tokens) result.push_back(id(token));
  return result;
}

std::vector<std::string> Vocabulary::unknown(const std::vector<std::string>& tokens) const {
  std::vector<std::string> result;
  for (const std::string& token : tokens)
    if (id(token) == special::unknown) result.push_back(token);
  return result;
}

const std::string& Vocabulary::token(Index id) const {
  if (id < 0 || id >= size())
    fail("token id {} is outside the vocabulary of {} entries (ids 0 to {})", id, size(), size() - 1);
  return tokens_[to_size(id)];
}

std::vector<std::string> Vocabulary::tokens(std::span<const std::int32_t> ids) const {
  std::vector<std::string> result;
  result.reserve(ids.size());
  for (const std::int32_t id : ids) result.push_back(token(id));
  return result;
}

void Vocabulary::save(const std::string& path) const {
  write_file(path, dump_json({{"format", newest_vocabulary_format}, {"tokens", tokens_}}, path));
}

Vocabulary Vocabulary::load(const std::string& path) {
  const Json json = parse_json(read_file(path), path);
  check_format(json, newest_vocabulary_format, path);
  const auto list = json.find("tokens");
  if (list == json.end() || !list->is_array())
    fail("{}: this is not a vocabulary: it has no list \"tokens\"", path);
  Vocabulary vocabulary;
  Index position = 0;
  for (const Json& entry : *list) {
    if (!entry.is_string()) fail("{}: token {} is not text but {}", path, position, printable_value(entry));
    const std::string token = entry.get<std::string>();
    if (position < special::count) {
      const std::string& expected = vocabulary.token(position);
      if (token != expected)
        fail("{}: token {} should be {}, but is \"{}\"", path, position, expected, printable(token));
    } else if (!may_be_token(token)) {
      fail(
          "{}: token {}, \"{}\", is empty or contains a line end; no text has such a token, so the file is "
          "damaged",
          path, position, printable(token));
    } else if (!vocabulary.add(token)) {
      fail("{}: token {}, \"{}\", occurs twice", path, position, printable(token));
    }
    ++position;
  }
  if (position < special::count)
    fail("{}: the list must begin with the {} special tokens, but it has only {} entries", path,
         special::count, position);
  return vocabulary;
}

}  // namespace regard::translation
