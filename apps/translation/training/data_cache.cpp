#include "apps/translation/training/data_cache.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "apps/translation/corpus/checksum.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/stored_lists.h"
#include "apps/translation/files/version.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

constexpr const char* subwords_file = "subwords.cache";
constexpr const char* corpus_file = "corpus.cache";
constexpr const char* key_name = "made from";  // in the metadata

std::string sum_of(const std::string& bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.text();
}

/// The settings that decide which subwords are learnt.
Json learning(const Settings& settings) {
  Json chosen = Json::object();
  for (const auto& [place, value] : values_of(settings))
    if (is_in(place, "data.subwords") && !place.starts_with("data.subwords.sampling")) chosen[place] = value;
  return chosen;
}

std::vector<std::int32_t> narrow(const std::vector<Index>& numbers) {
  return {numbers.begin(), numbers.end()};
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
    for (const std::string& path : paths->files) sums.push_back(sum_of(read_file(path)));
    files.push_back(std::move(sums));
  }
  files.push_back(data.validation_share);  // held out of these files
  files_ = files.dump();
  subwords_key_ = fmt::format("{} {} {}", exact_version(), files_, learning(settings).dump());
}

std::optional<DataCache::Subwords> DataCache::subwords() const {
  const auto file = read(subwords_file, subwords_key_);
  if (!file) return std::nullopt;
  return Subwords{.bytes = file->bytes("model"), .origin = file->metadata().at("origin")};
}

void DataCache::keep(const Subwords& subwords) const {
  write(subwords_file, {{"model", "U8", Shape{to_index(subwords.bytes.size())}, subwords.bytes}},
        {{key_name, subwords_key_}, {"origin", subwords.origin}});
}

std::string DataCache::corpus_key(const std::string& subwords) const {
  return fmt::format("{} {} {} {}", exact_version(), files_, sum_of(subwords), max_length_);
}

std::optional<DataCache::Corpus> DataCache::corpus(const std::string& subwords) const {
  const auto file = read(corpus_file, corpus_key(subwords));
  if (!file) return std::nullopt;
  Corpus result{.sources = TrainedSources::of(file->metadata())};
  const auto about = StoredLists::read(*file, "about");
  const std::vector<std::int32_t>&counts = about.at(0), &lines = about.at(1);
  result.corpus.lines_read = counts.at(0);
  result.corpus.dropped = {.empty = counts.at(1), .too_long = counts.at(2)};
  result.corpus.lines.assign(lines.begin(), lines.end());
  result.corpus.source = StoredLists::read(*file, "source");
  result.corpus.target = StoredLists::read(*file, "target");
  return result;
}

void DataCache::keep(const ParallelCorpus& corpus, const TrainedSources& sources,
                     const std::string& subwords) const {
  if (directory_.empty()) return;
  const StoredLists about(
      {narrow({corpus.lines_read, corpus.dropped.empty, corpus.dropped.too_long}), narrow(corpus.lines)}),
      source(corpus.source), target(corpus.target);
  std::vector<nn::StoredTensor> tensors;
  about.add_to(tensors, "about");
  source.add_to(tensors, "source");
  target.add_to(tensors, "target");
  nn::Metadata metadata{{key_name, corpus_key(subwords)}};
  sources.add_to(metadata);
  write(corpus_file, tensors, metadata);
}

std::optional<nn::SafetensorsFile> DataCache::read(const char* name, const std::string& key) const {
  const std::string path = directory_ + "/" + name;
  if (directory_.empty() || !path_exists(path)) return std::nullopt;
  try {
    nn::SafetensorsFile file(path);
    const auto its_key = file.metadata().find(key_name);
    if (its_key != file.metadata().end() && its_key->second == key) return file;
    warn("{} was made from another corpus, other settings or by another version; it is made anew", path);
  } catch (const Error& error) {
    warn("{}; it is made anew", error.what());
  }
  return std::nullopt;
}

void DataCache::write(const char* name, const std::vector<nn::StoredTensor>& tensors,
                      const nn::Metadata& metadata) const {
  if (directory_.empty()) return;
  try {
    nn::save_stored_tensors(directory_ + "/" + name, tensors, metadata);
  } catch (const Error& error) {
    warn("{}; the training continues without this cache", error.what());
  }
}

}  // namespace regard::translation
