#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/model/text_encoding.h"
#include "apps/translation/subwords/subword_regularisation.h"
#include "autograd/index.h"

namespace regard::translation {

/// A few characters (a CRC-32) for each part of the data, by its name in a sentence: other data, others.
using Checksums = std::vector<std::pair<std::string, std::string>>;
inline constexpr const char* vocabulary_part = "vocabulary";
inline constexpr const char* no_corpus = "none";  ///< where there is no validation corpus

/// Everything that a training reads before it begins.
struct TrainingData {
  Vocabularies vocabularies;
  ParallelCorpus training = {};
  std::optional<ParallelCorpus> validation = {};
  /// What the translations of the validation corpus are compared with, as plain text, one a pair.
  std::vector<std::string> references = {};
  std::shared_ptr<const Tokeniser> tokeniser = {};
  std::string subwords = {};  ///< tokeniser sentencepiece: where its model is from, in words
  std::shared_ptr<const SubwordRegularisation> regularisation = {};  ///< null: no sampling of subwords

  Checksums checksums() const;
};

/// The settings with the type and size of the subwords that are used: a given model has its own.
Settings settings_in_effect(Settings settings, const TrainingData& data);

/// Reads the corpora that the settings name. Vocabularies and subwords are those of the model with whose
/// weights the training begins, if that is a directory; otherwise they are made from the training corpus. For
/// a training that goes on, give its directory: what is there already need not be made again.
/// `before_learning`, if there is one, is called with the number of subwords before they are learnt.
TrainingData load_training_data(const Settings& settings, const std::string& going_on = "",
                                const std::function<void(Index)>& before_learning = {});

}  // namespace regard::translation
