#pragma once

#include <string>

#include "apps/translation/files/json.h"
#include "autograd/machine/real.h"

namespace regard::playground {

using translation::Json;

/// What the page lets one choose. FORMATS.md explains it.
struct Choices {
  std::string task = "reverse";
  std::string pairs;  ///< of task own: lines "source TAB target"
  Index length = 10;  ///< letters of the longest source of copy, reverse and sort
  std::string model = "transformer";
  bool bidirectional = true;  ///< a recurrent encoder reads the source from both ends
  Index d_model = 64, d_ff = 128, layers = 2, heads = 4;
  std::string positions = "sinusoidal";
  bool scale_scores = true;  ///< scores are divided by sqrt(d_k)
  double dropout = 0, label_smoothing = 0;
  double learning_rate = 0.0015;
  Index warmup_steps = 100;
  Index batch_tokens = 128;
  Index seed = 1;
};

/// Reads the choices of a page; what it leaves out has its default. Throws Error for an unknown name or a
/// wrong value.
Choices read_choices(const Json& request);
Json to_json(Choices choices);

/// Writes the corpus of a task into the directory, and returns the section `data` of a configuration that
/// names its files. Throws Error if pasted pairs are no corpus.
Json write_corpus(const Choices& choices, const std::string& directory);

/// The configuration with which `regard train` trains the same model on the same corpus. `data` from
/// write_corpus.
Json configuration(const Choices& choices, const Json& data);

}  // namespace regard::playground
