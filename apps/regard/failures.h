#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/machine/real.h"

namespace regard::program {

// Sentences for the user about what went wrong.

/// Prints one sentence about the exception that is being handled on standard error, after this beginning, and
/// returns the exit code 1. If the exception says that nobody reads standard output any more, prints nothing
/// and returns 128 + SIGPIPE. Call it in a catch block. Flushes standard output first, so that the order is
/// right if both go to one file.
int complain_of_exception(const char* beginning) noexcept;

/// Warns on standard error which words of `place` ("line 3") are read as <unk>. Without words, prints
/// nothing.
void warn_of_unknown_words(std::string_view place, const std::vector<std::string>& words);

/// Warns of this number of sentences whose translation reached its greatest length (Translator::cut_off).
/// With 0, prints nothing.
void warn_of_cut_off(Index sentences);

/// Throws Error: the model computed NaN or infinity with these weights.
[[noreturn]] void fail_not_finite(const std::string& weights);

/// Calls `work`, in which a model translates or scores. Throws Error as fail_not_finite does if the model
/// computes NaN or infinity. If memory runs out, throws Error with the advice to try `remedy`.
void run_model(const std::string& weights, const char* remedy, const std::function<void()>& work);

/// Returns the advice for a search with this beam that runs out of memory.
inline const char* search_remedy(Index beam) {
  return beam > 1 ? "a smaller --beam or shorter sentences" : "shorter sentences";
}

}  // namespace regard::program
