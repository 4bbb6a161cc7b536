#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/corpus/mixture.h"
#include "apps/translation/corpus/trained_sources.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/processes/processes.h"
#include "apps/translation/settings/tokeniser_kind.h"
#include "autograd/machine/real.h"

// What a training reads before it begins: corpora, vocabularies and subwords.

namespace regard::translation {

/// The name of each part of the data, for messages, and its CRC-32. Other data have another CRC-32.
using Checksums = std::vector<std::pair<std::string, std::string>>;
inline constexpr const char* vocabulary_part = "vocabulary";
inline constexpr const char* no_corpus = "none";  ///< the checksum of a missing validation corpus

/// Everything that a training reads before it begins.
struct TrainingData {
  Vocabularies vocabularies;
  ParallelCorpus training = {};
  Mixture mixture = {};  ///< of the training corpus
  std::optional<ParallelCorpus> validation = {};
  /// The references of the validation corpus as plain text, one per pair.
  std::vector<std::string> references = {};
  std::shared_ptr<const Tokeniser> tokeniser = {};
  std::string subwords = {};  ///< what the tokeniser has learnt, and from what (TextEncoding::about)
  CutAgain cut_again = {};    ///< for each epoch
  TrainedSources sources = {};

  Checksums checksums() const;  ///< by which a resumed training knows its data
};

/// Told how far the corpora are, because large ones take a while.
struct DataProgress {
  LearningProgress learning = {};
  std::function<void(Index done, Index all)> cutting = {};  ///< pairs of the training corpus
  /// The text of a new training, in its first process, before anything is learnt from it.
  std::function<void(const ParallelText& training, const ParallelText& validation)> read = {};
};

/// Returns the settings with what the files of the tokeniser in use say. A given model has its own
/// properties.
Settings settings_in_effect(Settings settings, const TrainingData& data);

/// Reads the corpora that the settings name. If training.initial_weights is a model directory, vocabularies
/// and subwords come from that model; otherwise they are made from the training corpus. If a training is
/// resumed, `resumed_directory` is its directory, and the vocabularies and subwords are read from there.
/// With several processes, each reads the corpora, and the first one makes or reads vocabularies and subwords
/// for all.
TrainingData load_training_data(const Settings& settings, const std::string& resumed_directory = "",
                                const DataProgress& progress = {}, Processes& processes = one_process());

}  // namespace regard::translation
