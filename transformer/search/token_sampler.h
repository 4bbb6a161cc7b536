#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "autograd/index.h"
#include "autograd/real.h"
#include "transformer/search/sampling_options.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Draws a token from a row of logits. It allocates its memory once, so that draw() cannot fail.
class TokenSampler {
 public:
  explicit TokenSampler(Index vocabulary);

  /// Draws from softmax(logits / temperature) of the tokens that are not `excluded`, after top_k and top_p.
  /// `place`, a uniform random number in [0, 1), is a place in the cumulative distribution, whose order is
  /// that of the ids. Returns nothing if all tokens are excluded. logits[vocabulary].
  std::optional<std::int32_t> draw(std::span<const Real> logits, std::span<const std::int32_t> excluded,
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

}}}  // namespace regard::REGARD_PRECISION::transformer
