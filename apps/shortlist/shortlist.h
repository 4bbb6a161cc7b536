#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/search/vocabulary_selection.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// The name of its file in a model directory.
inline constexpr const char* shortlist_file = "shortlist.safetensors";

/// The target tokens that may come in a translation, known from the source (Jean et al. 2015, "On Using Very
/// Large Target Vocabulary", the candidate list): some that may always come, and some for each
/// source token. The special tokens may always come.
class Shortlist : public VocabularySelection {
 public:
  /// of_source[i] has the tokens that source token i brings.
  Shortlist(std::vector<std::int32_t> always, std::vector<std::vector<std::int32_t>> of_source);

  /// Reads a file that save() wrote. Throws Error that names the file if it is missing or damaged, and if it
  /// was made for other vocabularies.
  static Shortlist load(const std::string& path, const Vocabularies& vocabularies);
  void save(const std::string& path, const Vocabularies& vocabularies) const;

  /// The tokens that may come in the translation of a sentence, ascending.
  std::vector<std::int32_t> tokens(std::span<const std::int32_t> source) const;
  /// The number of tokens that may always come: no sentence has fewer.
  Index least() const { return to_index(always_.size()); }

  Hypotheses search_with(transformer::EncoderDecoder& whole, const transformer::PackedSequences& batch,
                         transformer::SearchOptions options, const transformer::Prefix& prefix,
                         const SearchBatch& search,
                         std::vector<transformer::SearchTree>* trees) const override;
  void check_beam(const char* name, Index beam) const override;
  std::string about_scores() const override;

 private:
  std::vector<std::int32_t> always_;  ///< ascending
  std::vector<std::vector<std::int32_t>> of_source_;
};

/// Sorts tokens and leaves one of equal ones.
void sort_once(std::vector<std::int32_t>& tokens);

}  // namespace regard::translation
