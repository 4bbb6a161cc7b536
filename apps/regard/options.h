#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <functional>

#include "apps/regard/commands.h"

namespace regard::program {

// What the files that define options share; for them only.

/// The subcommand that was given, once the line has been read.
using Action = std::function<int()>;

/// For unsigned numbers: without this, -1 would be the largest number there is, and so would one that is too
/// large.
inline const CLI::Validator not_negative(
    [](const std::string& text) -> std::string {
      if (text.starts_with('-')) return text + " is negative";
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      return error == std::errc::result_out_of_range ? text + " is too large" : std::string();
    },
    "");

void add_threads(CLI::App& app, std::optional<int>& threads);
void add_weights(CLI::App& app, std::string& weights);
void add_length_penalty(CLI::App& app, Search& search);
void add_search(CLI::App& app, Search& search);
void add_translate(CLI::App& app, Translate& command, Action& action);
void add_score(CLI::App& app, Score& command, Action& action);
/// Of `bench train` and `profile train`.
void add_training(CLI::App& app, bench::TrainingSettings& settings);

void add_evaluate(CLI::App& app, Evaluate& command, Action& action);
void add_vocabulary(CLI::App& app, Vocabulary& command, Action& action);

/// What `regard bench` can measure.
struct BenchCommands {
  BenchTrain train;
  BenchTranslate translate;
  BenchLong long_sentence;
  BenchKernels kernels;
};
void add_bench(CLI::App& app, BenchCommands& commands, Action& action);

/// What `regard profile` can look into.
struct ProfileCommands {
  ProfileTrain train;
  ProfileTranslate translate;
};
void add_profile(CLI::App& app, ProfileCommands& commands, Action& action);

}  // namespace regard::program
