#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/corpus/trained_sources.h"
#include "apps/translation/settings/settings.h"
#include "nn/safetensors.h"

namespace regard::translation {

/// A directory (data.cache) that keeps what was made of a training corpus, for the next start: the subwords,
/// and the corpus as numbers. Each file, in the format safetensors, holds the key of what it was made from,
/// and serves for no other.
class DataCache {
 public:
  /// Reads the corpora of the settings for the keys, unless the settings name no cache. Throws Error if the
  /// directory cannot be made or written.
  explicit DataCache(const Settings& settings);

  /// A model of subwords, and what is said of its origin.
  struct Subwords {
    std::string bytes, origin;
  };
  /// Nothing if the cache has none for these settings and corpora. If it has others, or if its file is
  /// damaged, a warning says so.
  std::optional<Subwords> subwords() const;
  void keep(const Subwords& subwords) const;

  struct Corpus {
    ParallelCorpus corpus = {};
    TrainedSources sources = {};
  };
  /// The same for the corpus that was cut into the subwords of this model.
  std::optional<Corpus> corpus(const std::string& subwords) const;
  void keep(const ParallelCorpus& corpus, const TrainedSources& sources, const std::string& subwords) const;

 private:
  std::string corpus_key(const std::string& subwords) const;
  /// The file of this name if its key is this one.
  std::optional<nn::SafetensorsFile> read(const char* name, const std::string& key) const;
  /// A warning says if the file cannot be written.
  void write(const char* name, const std::vector<nn::StoredTensor>& tensors,
             const nn::Metadata& metadata) const;

  std::string directory_;  ///< "": no cache
  Index max_length_;
  std::string subwords_key_, files_;  ///< what subwords are learnt from; the checksums of the corpora
};

}  // namespace regard::translation
