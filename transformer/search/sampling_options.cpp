#include "transformer/search/sampling_options.h"

#include <cmath>

#include "autograd/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

void check(const SamplingOptions& options) {
  if (!std::isfinite(options.temperature) || options.temperature < 0)
    fail("sampling: temperature is {}; it must be finite and not negative", options.temperature);
  if (options.top_k < 0) fail("sampling: top_k is {}; it must not be negative", options.top_k);
  if (!(options.top_p > 0 && options.top_p <= 1))
    fail("sampling: top_p is {}; it must be above 0 and at most 1", options.top_p);
  if (options.search.n_best < 1 || options.search.n_best > most_samples)
    fail("sampling: n_best is {}; it must be from 1 to {}", options.search.n_best, most_samples);
  if (options.first_draw < 0 || options.first_draw > most_samples)
    fail("sampling: first_draw is {}; it must be from 0 to {}", options.first_draw, most_samples);
  SearchOptions search = options.search;
  search.beam = search.n_best;
  check(search);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
