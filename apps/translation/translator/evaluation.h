#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/translation/processes/processes.h"
#include "apps/translation/translator/in_batches.h"
#include "transformer/encoder_decoder.h"
#include "transformer/search/search_options.h"

namespace regard::translation {

struct ParallelCorpus;

/// The results of a model on a corpus.
struct Evaluation {
  double loss = 0;  ///< mean cross-entropy per target token, with </s>, without label smoothing
  /// Share of the target tokens, with </s>, that the model predicts as the most likely token after the
  /// reference up to that token. Unknown words are counted and are always wrong, because <unk> can be any of
  /// them.
  double token_accuracy = 0;
  /// Share of the translations that are equal to their reference in every token. A reference with an unknown
  /// word never counts as equal.
  double exact_match = 0;
  std::vector<std::vector<std::int32_t>> translations =
      {};                        ///< the best translation of each source, without </s>
  Index cut_off = 0;             ///< translations that reached their greatest length (reached_limit)
  std::vector<bool> exact = {};  ///< for each translation: true if it is equal to its reference

  double perplexity() const;
};

/// Returns the perplexity exp(loss) with this number of decimals, or from 100,000 on as "7.33e+390". It may
/// be larger than any double.
std::string perplexity_text(double loss, int decimals);

/// Computes loss and token accuracy of the references with the whole model, and then translates the sources
/// with a search. If the loss is not finite, it translates nothing. The model is put into evaluation mode.
/// Several processes divide the batches; the results have the same bits.
Evaluation evaluate(const Searched& with, const ParallelCorpus& corpus,
                    const transformer::SearchOptions& options, Processes& processes = one_process());

}  // namespace regard::translation
