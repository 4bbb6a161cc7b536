#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/machine/real.h"
#include "transformer/encoder_decoder.h"
#include "transformer/search/search.h"

namespace regard::translation {

/// The hypotheses of each sentence.
using Hypotheses = std::vector<std::vector<transformer::Hypothesis>>;

/// Searches the sentences of a batch with a model.
using SearchBatch =
    std::function<Hypotheses(transformer::EncoderDecoder& model, const transformer::SearchOptions& options,
                             const transformer::Prefix& prefix)>;

/// The target tokens that may come for the sentences of a batch, known from their sources, so that the output
/// layer of the model is smaller (vocabulary selection; Jean et al. 2015).
class VocabularySelection {
 public:
  virtual ~VocabularySelection() = default;
  /// The hypotheses of search(model, options, prefix) with a model that has the selected tokens alone. The
  /// hypotheses, and `trees`, those that `search` records (null: none), have the ids of the whole model.
  virtual Hypotheses search_with(transformer::EncoderDecoder& whole,
                                 const transformer::PackedSequences& batch,
                                 transformer::SearchOptions options, const transformer::Prefix& prefix,
                                 const SearchBatch& search,
                                 std::vector<transformer::SearchTree>* trees) const = 0;
  /// Throws Error if a beam is wider than the selection of a sentence may be. The message calls it `name`.
  virtual void check_beam(const char* name, Index beam) const = 0;
  /// What a reader of the scores has to know.
  virtual std::string about_scores() const = 0;
};

/// A model to search with, and the selection to which its translations keep; null: none.
struct Searched {
  Searched(transformer::EncoderDecoder& whole, const VocabularySelection* its_selection = nullptr)
      : model(whole), selection(its_selection) {}

  transformer::EncoderDecoder& model;
  const VocabularySelection* selection;
};

}  // namespace regard::translation
