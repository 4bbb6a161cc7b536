#pragma once

#include <cstddef>

#include "apps/regard/commands.h"
#include "apps/translation/model/translation_model.h"

namespace regard::program {

/// Many sentences fill batches; so many lines of input are translated together.
inline constexpr std::size_t lines_at_a_time = 1000;

/// The model's search options with what the command line replaces, and the thread count set. Throws Error for
/// values that make no search.
transformer::SearchOptions search_options(const Search& search, const translation::Settings& settings);

/// Throws Error for options with which this model cannot search, such as a beam wider than its vocabulary.
void check_search(const transformer::SearchOptions& options, const translation::TranslationModel& model);

}  // namespace regard::program
