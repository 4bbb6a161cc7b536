#pragma once

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/toys/toys.h"
#include "tests/program/support/run.h"

namespace regard::tests {

/// Numbers in English and German words, in two files.
struct Numbers {
  Numbers() {
    std::string sources, targets;
    for (const regard::toys::SentencePair& pair :
         regard::toys::generate("numbers", 1, {.train = 300}).train) {
      sources += pair.source + "\n";
      targets += pair.target + "\n";
    }
    source = directory.file("train.en", sources);
    target = directory.file("train.de", targets);
    config = directory.file("config.json", fmt::format(R"({{
"data": {{"source": "{0}", "target": "{1}", "validation_source": "{0}", "validation_target": "{1}",
          "tokeniser": "sentencepiece", "subwords": {{"size": 100}}}},
"model": {{"preset": "toy", "d_model": 16, "heads": 2, "d_ff": 16, "encoder_layers": 1, "decoder_layers": 1,
           "dropout": 0}},
"training": {{"epochs": 2, "batch_tokens": 1000, "schedule": "constant", "learning_rate": 0.003}}}})",
                                                       source, target));
  }

  TemporaryDirectory directory;
  std::string source, target, config;
};

inline const Numbers& numbers() {
  static const Numbers corpus;
  return corpus;
}

inline std::vector<std::string> learn_command(const std::string& output,
                                              const std::vector<std::string>& more = {}) {
  std::vector<std::string> command = {"vocabulary", "--input", numbers().source, "--input", numbers().target,
                                      "--size",     "100",     "--output",       output};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

/// A model of subwords, learnt once.
inline const std::string& subwords() {
  static const TemporaryDirectory directory;
  static const std::string path = [] {
    if (run(learn_command(directory / "subwords.model")).code != 0)
      throw std::runtime_error("no subwords could be learnt");
    return directory / "subwords.model";
  }();
  return path;
}

/// The command `regard train` for these numbers, with these settings added.
inline Outcome train_numbers(const std::string& out, const std::vector<std::string>& settings = {}) {
  std::vector<std::string> command = {"train", numbers().config, "--out", out};
  for (const std::string& setting : settings) command.insert(command.end(), {"--set", setting});
  return run(command);
}

}  // namespace regard::tests
