#include "apps/translation/shortlist/shortlist.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "apps/translation/corpus/checksum.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/files.h"
#include "autograd/machine/error.h"
#include "nn/safetensors.h"

namespace regard::translation {

namespace {

void sort_once(std::vector<std::int32_t>& tokens) {
  std::ranges::sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
}

// The file is safetensors with three lists of I32: `always`; `counts`, for each source token the number of
// its tokens; and `tokens`, all of them. The checksum of the vocabularies is in the metadata.
constexpr const char* always_name = "always";
constexpr const char* counts_name = "counts";
constexpr const char* tokens_name = "tokens";
constexpr const char* vocabularies_name = "shortlist.vocabularies";

std::string checksum_of(const Vocabularies& vocabularies) {
  Checksum sum;
  sum.add(vocabularies.source);
  sum.add(vocabularies.target);
  return sum.text();
}

nn::StoredTensor stored(const char* name, const std::vector<std::int32_t>& numbers) {
  return {name,
          "I32",
          Shape{to_index(numbers.size())},
          {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int32_t)}};
}

std::vector<std::int32_t> numbers_in(const nn::SafetensorsFile& file, const char* name) {
  if (!file.has(name) || file.type(name) != "I32")
    fail("{} has no numbers {} of type I32", file.path(), name);
  const std::string bytes = file.bytes(name);
  std::vector<std::int32_t> numbers(bytes.size() / sizeof(std::int32_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(std::int32_t));
  return numbers;
}

}  // namespace

Shortlist::Shortlist(std::vector<std::int32_t> always, std::vector<std::vector<std::int32_t>> of_source)
    : always_(std::move(always)), of_source_(std::move(of_source)) {
  for (std::int32_t token = 0; token < special::count; ++token) always_.push_back(token);
  sort_once(always_);
}

Shortlist Shortlist::load(const std::string& path, const Vocabularies& vocabularies) {
  if (!path_exists(path))
    fail("{} is missing; regard shortlist makes it from the corpus of the training", path);
  const nn::SafetensorsFile file(path);
  const auto stored_sum = file.metadata().find(vocabularies_name);
  if (stored_sum == file.metadata().end()) fail("{} is not a shortlist; make it with regard shortlist", path);
  if (stored_sum->second != checksum_of(vocabularies))
    fail("{} was made for other vocabularies than those beside it; make it anew with regard shortlist", path);
  std::vector<std::int32_t> always = numbers_in(file, always_name);
  const std::vector<std::int32_t> counts = numbers_in(file, counts_name),
                                  tokens = numbers_in(file, tokens_name);
  const auto outside = [&](std::int32_t id) { return id < 0 || id >= vocabularies.target.size(); };
  const bool counts_fit = to_index(counts.size()) == vocabularies.source.size() &&
                          std::ranges::none_of(counts, [](std::int32_t count) { return count < 0; }) &&
                          std::accumulate(counts.begin(), counts.end(), Index{0}) == to_index(tokens.size());
  if (!counts_fit || std::ranges::any_of(always, outside) || std::ranges::any_of(tokens, outside))
    fail("{} is damaged: its numbers do not fit the vocabularies; make it anew with regard shortlist", path);
  std::vector<std::vector<std::int32_t>> of_source;
  auto next = tokens.begin();
  for (const std::int32_t count : counts) {
    of_source.emplace_back(next, next + count);
    next += count;
  }
  return {std::move(always), std::move(of_source)};
}

void Shortlist::save(const std::string& path, const Vocabularies& vocabularies) const {
  std::vector<std::int32_t> counts, tokens;
  for (const std::vector<std::int32_t>& of_token : of_source_) {
    counts.push_back(static_cast<std::int32_t>(of_token.size()));
    tokens.insert(tokens.end(), of_token.begin(), of_token.end());
  }
  nn::save_stored_tensors(
      path, {stored(always_name, always_), stored(counts_name, counts), stored(tokens_name, tokens)},
      {{vocabularies_name, checksum_of(vocabularies)}});
}

std::vector<std::int32_t> Shortlist::tokens(std::span<const std::int32_t> source) const {
  std::vector<std::int32_t> all = always_;
  for (const std::int32_t token : source)
    all.insert(all.end(), of_source_.at(to_size(token)).begin(), of_source_.at(to_size(token)).end());
  sort_once(all);
  return all;
}

ShortlistRecall recall(const Shortlist& shortlist, const ParallelCorpus& corpus) {
  ShortlistRecall result{.sentences = corpus.pairs()};
  for (std::size_t i = 0; i < corpus.source.size(); ++i) {
    const std::vector<std::int32_t> allowed = shortlist.tokens(corpus.source[i]);
    result.held += std::ranges::count_if(
        corpus.target[i], [&](std::int32_t token) { return std::ranges::binary_search(allowed, token); });
    result.tokens += to_index(corpus.target[i].size());
    result.listed += to_index(allowed.size());
  }
  return result;
}

}  // namespace regard::translation
