#include "apps/translation/training/data_cache.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <zlib.h>

#include "apps/translation/corpus/checksum.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/version.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

constexpr const char* subwords_file = "subwords.cache";
constexpr const char* corpus_file = "corpus.cache";
constexpr std::string_view first_line = "regard cache 1\n";

std::string sum_of(const std::vector<std::string_view>& pieces) {
  uLong sum = 0;
  for (const std::string_view piece : pieces)
    if (!piece.empty()) sum = crc32_z(sum, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
  return fmt::format("{:08x}", sum);
}

/// Returns the text before the next line end, and removes both from the rest.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Takes `count` values. The checksum was right, so they are there.
template <class T>
std::vector<T> take(std::string_view& rest, std::size_t count) {
  std::vector<T> values(count);
  if (rest.size() < count * sizeof(T)) fail("the cache of the corpus is too short");
  if (count > 0) std::memcpy(values.data(), rest.data(), count * sizeof(T));
  rest.remove_prefix(count * sizeof(T));
  return values;
}

using Sentences = std::vector<std::vector<std::int32_t>>;

/// The lengths of the sentences, and then their tokens.
std::vector<std::int32_t> numbers_of(const Sentences& sentences) {
  std::vector<std::int32_t> numbers;
  for (const auto& sentence : sentences) numbers.push_back(static_cast<std::int32_t>(sentence.size()));
  for (const auto& sentence : sentences) numbers.insert(numbers.end(), sentence.begin(), sentence.end());
  return numbers;
}

Sentences take_sentences(std::string_view& rest, std::size_t count) {
  Sentences sentences;
  sentences.reserve(count);
  for (const std::int32_t length : take<std::int32_t>(rest, count))
    sentences.push_back(take<std::int32_t>(rest, to_size(length)));
  return sentences;
}

/// The settings that decide which subwords are learnt.
Json learning(const Settings& settings) {
  Json chosen = Json::object();
  for (const auto& [place, value] : values_of(settings))
    if (is_in(place, "data.subwords") && !place.starts_with("data.subwords.sampling")) chosen[place] = value;
  return chosen;
}

}  // namespace

DataCache::DataCache(const Settings& settings)
    : directory_(settings.data.cache), max_length_(settings.data.max_length) {
  if (directory_.empty()) return;
  check_directory(directory_);
  make_directories(directory_);
  const DataSettings& data = settings.data;
  Json files = Json::array();
  for (const Paths* paths : {&data.source, &data.target, &data.tsv}) {
    Json sums = Json::array();
    for (const std::string& path : paths->files) {
      const std::string bytes = read_file(path);
      sums.push_back({bytes.size(), sum_of({bytes})});
    }
    files.push_back(std::move(sums));
  }
  files.push_back(data.validation_share);  // held out of these files
  files_ = files.dump();
  subwords_key_ = fmt::format("{} {} {}", exact_version(), files_, learning(settings).dump());
}

std::optional<DataCache::Subwords> DataCache::subwords() const {
  const std::optional<std::string> content = read(subwords_file, subwords_key_);
  if (!content) return std::nullopt;
  std::string_view rest = *content;
  const std::string_view origin = take_line(rest);
  return Subwords{.bytes = std::string(rest), .origin = std::string(origin)};
}

void DataCache::keep(const Subwords& subwords) const {
  write(subwords_file, subwords_key_, {subwords.origin, "\n", subwords.bytes});
}

std::string DataCache::corpus_key(const std::string& subwords) const {
  return fmt::format("{} {} {} {} {}", exact_version(), files_, subwords.size(), sum_of({subwords}),
                     max_length_);
}

std::optional<DataCache::Corpus> DataCache::corpus(const std::string& subwords) const {
  const std::optional<std::string> content = read(corpus_file, corpus_key(subwords));
  if (!content) return std::nullopt;
  std::string_view rest = *content;
  const std::vector<Index> head = take<Index>(rest, 6);
  Corpus result{.sources = {.longest = head[3], .sentences = head[4]}};
  result.corpus.lines_read = head[0];
  result.corpus.dropped = {.empty = head[1], .too_long = head[2]};
  const std::size_t pairs = to_size(head[5]);
  result.corpus.lines = take<Index>(rest, pairs);
  result.corpus.source = take_sentences(rest, pairs);
  result.corpus.target = take_sentences(rest, pairs);
  return result;
}

void DataCache::keep(const ParallelCorpus& corpus, const TrainedSources& sources,
                     const std::string& subwords) const {
  if (directory_.empty()) return;
  const std::vector<Index> head{corpus.lines_read, corpus.dropped.empty, corpus.dropped.too_long,
                                sources.longest,   sources.sentences,    corpus.pairs()};
  const std::vector<std::int32_t> source = numbers_of(corpus.source), target = numbers_of(corpus.target);
  write(corpus_file, corpus_key(subwords),
        {bytes_of(head), bytes_of(corpus.lines), bytes_of(source), bytes_of(target)});
}

std::optional<std::string> DataCache::read(const char* name, const std::string& key) const {
  const std::string path = directory_ + "/" + name;
  if (directory_.empty() || !path_exists(path)) return std::nullopt;
  std::string content = read_file(path);
  std::string_view rest = content;
  const bool ours = rest.starts_with(first_line);
  take_line(rest);
  const std::string_view its_key = take_line(rest), sum = take_line(rest);
  if (ours && its_key == key && sum == sum_of({rest})) {
    content.erase(0, content.size() - rest.size());
    return content;
  }
  warn("{} {}; it is made anew", path,
       !ours            ? "is no cache of this version"
       : its_key != key ? "was made from another corpus, other settings or by another version"
                        : "is damaged");
  return std::nullopt;
}

void DataCache::write(const char* name, const std::string& key,
                      const std::vector<std::string_view>& pieces) const {
  if (directory_.empty()) return;
  const std::string head = fmt::format("{}{}\n{}\n", first_line, key, sum_of(pieces));
  std::vector<std::string_view> all{head};
  all.insert(all.end(), pieces.begin(), pieces.end());
  try {
    regard::write_file(directory_ + "/" + name, all);
  } catch (const Error& error) {
    warn("{}; the training continues without this cache", error.what());
  }
}

}  // namespace regard::translation
