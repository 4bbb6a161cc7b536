#pragma once

#include <optional>
#include <string>

#include "apps/bench/training.h"
#include "apps/regard/command_line.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/real.h"

// Options that several commands have.

namespace regard::program {

/// Adds --threads. Without the option, the program uses all processors or the number in OMP_NUM_THREADS.
void add_threads(const Command& command, std::optional<int>& threads);

/// Sets the number of threads if --threads was given.
void set_given_threads(const std::optional<int>& threads);

/// Adds --weights.
void add_weights(const Command& command, std::string& weights);

/// Adds the options that describe the training steps of `bench train` and `profile train`.
void add_training(const Command& command, bench::TrainingSettings& settings);

/// The options of a search on the command line. The model's configuration supplies the values that were not
/// given.
struct Search {
  std::optional<Index> beam;
  std::optional<std::string> length_penalty;
  std::optional<double> alpha;
  std::optional<double> patience;
  std::optional<double> max_length_ratio;
  std::optional<Index> max_length_constant;
  std::optional<Index> min_length, max_length, no_repeat_ngram;
  std::optional<double> repetition_penalty;
  bool no_unk = false;
  std::optional<int> threads;
};

/// Adds all options of a search, and --threads.
void add_search(const Command& command, Search& search);

/// Adds only --length-penalty and --alpha.
void add_length_penalty(const Command& command, Search& search);

/// Returns the model's search options, with the values of the command line where given. Also sets the number
/// of threads. Throws Error for a length penalty that does not exist.
transformer::SearchOptions search_options(const Search& search, transformer::SearchOptions options);

/// Throws Error for options with which this model cannot search, such as a beam wider than its vocabulary.
void check_search(const transformer::SearchOptions& options, const translation::TranslationModel& model);

}  // namespace regard::program
