#pragma once

#include <string>
#include <vector>

#include "autograd/machine/real.h"
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

/// Settings for train_command that make its model this recurrent one, without what only a Transformer reads,
/// and `more`.
Words recurrent_preset(const std::string& name, const Words& more = {});

/// The command `regard train` with the configuration of the small corpus, with these settings added.
Words train_command(const std::string& out, const Words& settings = {});

/// A command with these settings added, each after --set.
Words with_settings(Words command, const Words& settings);

/// The commands `regard evaluate` and `regard score` for a model and the small corpus.
Words evaluate_command(const std::string& model, const Words& more = {});
Words score_command(const std::string& model, const Words& more = {});

/// Numbers in English and German words, in two files, and a configuration that learns subwords of them, if
/// the room of subwords is built.
struct Numbers {
  Numbers();

  TemporaryDirectory directory;
  std::string source, target, config;
};
const Numbers& numbers();

Words learn_command(const std::string& output, const Words& more = {});

/// A model of subwords, learnt once; "" without that room.
const std::string& subwords();

/// Runs `regard train` for these numbers, with these settings added.
Outcome train_numbers(const std::string& out, const Words& settings = {});

/// A training with dropout, a moving average and checkpoints. It saves after each step, so that many kills
/// hit a save.
Words eventful(const std::string& out, const Words& more = {});

/// A directory in which this training has ended. It is made once; do not change it.
const std::string& undisturbed_model();

/// Checks that two directories have the same results. Times may differ.
void check_same_results(const std::string& model, const std::string& undisturbed);

/// The step of the newest state; -1 if there is none.
Index newest_step(const std::string& model);

/// True if a file below the directory is being written, or was when the program was killed.
bool in_the_middle_of_a_save(const std::string& directory);

}  // namespace regard::tests
