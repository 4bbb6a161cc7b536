#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/translation/settings.h"
#include "apps/translation/tokeniser.h"
#include "apps/translation/vocabulary.h"
#include "transformer/model.h"

namespace regard::translation {

// A trained model is a directory:
//   config.json           all settings, with a format version
//   vocabulary.json       the joint vocabulary; or vocabulary.source.json and vocabulary.target.json
//   subwords.model        the SentencePiece model, with tokeniser sentencepiece
//   weights.safetensors   the weights that did best on the validation corpus
//   metrics.jsonl         what the training logged, one JSON object a line

/// Words and numbers on both sides.
struct Vocabularies {
  Vocabulary source, target;
  std::string subwords = {};  ///< tokeniser sentencepiece: the bytes of its model
};

/// A model with all that is needed to translate.
struct TranslationModel {
  Settings settings;
  Vocabularies vocabularies;
  std::unique_ptr<Tokeniser> tokeniser;
  std::unique_ptr<transformer::Transformer> model;

  /// Reads a model directory. Throws Error naming the file that is missing, damaged, of a newer format, or
  /// does not fit the others. The model is in evaluation mode.
  static TranslationModel load(const std::string& directory);
};

/// The Transformer that the settings and vocabularies describe, with weights drawn from `random`.
std::unique_ptr<transformer::Transformer> make_model(const Settings& settings,
                                                     const Vocabularies& vocabularies, Random random);

/// Whether all weights are numbers: no NaN, no infinity.
bool all_finite(transformer::Transformer& model);

/// Where a training run keeps its results.
class ModelDirectory {
 public:
  explicit ModelDirectory(std::string path) : path_(std::move(path)) {}

  enum class IfPresent { refuse, replace };
  /// Makes the directory and writes configuration and vocabularies, so that what cannot be written is found
  /// before the training and not after it. Throws Error if a model is there already and is not to be
  /// replaced.
  void create(const Settings& settings, const Vocabularies& vocabularies, IfPresent if_present) const;
  void save_weights(transformer::Transformer& model) const;

  std::string config() const { return path_ + "/config.json"; }
  std::string weights() const { return path_ + "/weights.safetensors"; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string vocabulary() const { return path_ + "/vocabulary.json"; }
  std::string subwords() const { return path_ + "/subwords.model"; }
  std::string source_vocabulary() const { return path_ + "/vocabulary.source.json"; }
  std::string target_vocabulary() const { return path_ + "/vocabulary.target.json"; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace regard::translation
