#pragma once

#include <string>
#include <vector>

#include "tests/program/run.h"

namespace regard::tests {

/// Number words, word for word from English into German: "one three" -> "eins drei". All 84 sentences of one
/// to three of four words, in `source` and `target`, and a configuration that trains on them in a second.
struct SmallCorpus {
  SmallCorpus();

  TemporaryDirectory directory;
  std::string source, target, tsv, config;
};
const SmallCorpus& small_corpus();

/// A model directory whose model translates the small corpus without a mistake. Made once; look, but do not
/// touch.
const std::string& small_model();

/// A copy of it to be spoilt.
std::string copy_of_small_model(const TemporaryDirectory& directory);

/// `regard train` with the configuration of the small corpus and these settings on top.
std::vector<std::string> train_command(const std::string& out, const std::vector<std::string>& settings = {});

}  // namespace regard::tests
