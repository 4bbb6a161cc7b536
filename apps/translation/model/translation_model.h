#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "apps/translation/corpus/trained_sources.h"
#include "apps/translation/model/make_model.h"
#include "apps/translation/model/text_encoding.h"
#include "apps/translation/search/vocabulary_selection.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/source_door.h"
#include "autograd/machine/error.h"
#include "autograd/precision.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// What a program may change in a model that it loads.
struct LoadOptions {
  std::string weights = {};   ///< a file that replaces weights.safetensors; empty: none
  MakeModel make_model = {};  ///< makes a model whose settings have model.own; empty: it is refused
  /// Of the products with weights (precisions.h); unset: that of the weights.
  std::optional<Precision> precision = std::nullopt;
  std::string selection = {};  ///< a SearchRule by whose selection translations keep; empty: none
};

/// A sentence is longer than the model's data.max_length.
class TooLong : public Error {
 public:
  using Error::Error;
};

/// A model with everything that a translation needs.
struct TranslationModel {
  Settings settings;
  Vocabularies vocabularies;
  std::unique_ptr<Tokeniser> tokeniser;
  transformer::EncoderDecoder model;
  TrainedSources sources = {};
  std::shared_ptr<const VocabularySelection> selection = {};  ///< null: none
  RewriteSource rewrite = {};  ///< of the sentences to translate; empty: they stay

  /// The model as searches use it.
  Searched searched() { return {model, selection.get()}; }

  /// Reads a model directory. Throws Error if a file is missing, damaged, of a newer format, or does not fit
  /// the others, or if there are no products of that precision. The message names the file. The model
  /// is in evaluation mode.
  static TranslationModel load(const std::string& directory, const LoadOptions& options = {});

  /// A sentence as the model reads it.
  std::string as_read(const std::string& sentence) const { return rewrite ? rewrite(sentence) : sentence; }
  /// A text as the token numbers of this model (encode, corpus.h).
  ParallelCorpus encode(const ParallelText& as_given) const;
  /// True if a sentence of this many tokens (without </s>) is at most data.max_length long.
  bool takes(std::size_t tokens) const;
  /// Throws TooLong for a longer sentence. The message names its place, such as "line 3".
  void check_length(std::size_t tokens, const std::string& place) const;
};

}  // namespace regard::translation
