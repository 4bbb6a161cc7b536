#pragma once

#include <string>
#include <vector>

#include "tests/program/support/run.h"

namespace regard::tests {

/// Number words, translated word by word from English into German: "one three" -> "eins drei". All 84
/// sentences of one to three of four words, in `source` and `target`, and a configuration that trains on them
/// in a second.
struct SmallCorpus {
  SmallCorpus();

  TemporaryDirectory directory;
  std::string source, target, tsv, config;
};
const SmallCorpus& small_corpus();

/// A model directory. Its model translates the small corpus without a mistake. It is made once; do not change
/// it.
const std::string& small_model();

/// A copy of it for tests that change files.
std::string copy_of_small_model(const TemporaryDirectory& directory);

/// Settings for train_command that make its model this recurrent one, without what only a Transformer reads.
std::vector<std::string> recurrent_preset(const std::string& name);

/// The command `regard train` with the configuration of the small corpus, with these settings added.
std::vector<std::string> train_command(const std::string& out, const std::vector<std::string>& settings = {});

}  // namespace regard::tests
