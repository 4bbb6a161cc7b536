#include "apps/regard/search.h"

#include "autograd/error.h"
#include "autograd/parallel.h"

namespace regard::program {

transformer::SearchOptions search_options(const Search& search, const translation::Settings& settings) {
  if (search.threads) set_threads(*search.threads);
  transformer::SearchOptions options = settings.decoding;
  options.beam = search.beam.value_or(options.beam);
  options.alpha = search.alpha.value_or(options.alpha);
  options.patience = search.patience.value_or(options.patience);
  options.max_length_ratio = search.max_length_ratio.value_or(options.max_length_ratio);
  options.max_length_constant = search.max_length_constant.value_or(options.max_length_constant);
  if (search.length_penalty) {
    if (*search.length_penalty != "wu" && *search.length_penalty != "power")
      fail("--length-penalty {}: give wu or power", *search.length_penalty);
    options.length_penalty =
        *search.length_penalty == "wu" ? transformer::LengthPenalty::wu : transformer::LengthPenalty::power;
  }
  return options;
}

}  // namespace regard::program
