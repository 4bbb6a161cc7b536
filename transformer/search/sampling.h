#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "autograd/real.h"
#include "transformer/encoder_decoder.h"
#include "transformer/search/search.h"
#include "transformer/search/search_options.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Samples a token from a row of logits. It allocates its memory once, so that sample() cannot fail.
class TokenSampler {
 public:
  explicit TokenSampler(Index vocabulary);

  /// Samples from softmax(logits / temperature) of the tokens that are not `excluded`, after top_k and top_p.
  /// `place`, a uniform random number in [0, 1), is a place in the cumulative distribution, whose order is
  /// that of the ids. Returns nothing if all tokens are excluded. logits[vocabulary].
  std::optional<std::int32_t> sample(std::span<const Real> logits, std::span<const std::int32_t> excluded,
                                     const SamplingOptions& options, double place) noexcept;

 private:
  void set_weights(std::span<const Real> logits, std::span<const std::int32_t> excluded, double temperature);
  void keep_likeliest(Index top_k, double top_p);
  bool likelier(std::int32_t a, std::int32_t b) const;
  std::span<const std::int32_t> outside_nucleus(double top_p);
  void drop(std::span<const std::int32_t> ids);

  std::vector<double> weights_;    ///< of each token of the vocabulary
  std::vector<std::int32_t> ids_;  ///< in no order
};

/// Samples n_best translations of each sentence, token by token, and returns them in the order of the
/// samples; a translation may come several times. Log-probabilities are those of the model, as in a search:
/// temperature, top_k and top_p do not change them.
///
/// The random number of a token is a function of four things: the seed, the number of the sentence, the
/// number of the sample, and the position of the token. `sentence_numbers` are the numbers of the sentences,
/// such as their lines in a text; empty: 0, 1, 2, …
///
/// The model must be in evaluation mode. Throws Error for an option out of its range, and for logits that are
/// not finite.
std::vector<std::vector<Hypothesis>> sample_search(EncoderDecoder& model, const Source& source,
                                                   const SamplingOptions& options,
                                                   std::span<const Index> sentence_numbers = {});

}}}  // namespace regard::REGARD_PRECISION::transformer
