#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/bench/kernel_bench.h"
#include "apps/bench/long_bench.h"
#include "apps/bench/training.h"
#include "apps/bench/translate_bench.h"
#include "apps/translation/metrics/bootstrap.h"
#include "apps/translation/subwords/subwords.h"
#include "autograd/index.h"
#include "transformer/search/sampling.h"

namespace regard::program {

// One struct a subcommand: what the command line said. run() does it and returns the exit code; errors are
// regard::Error. Thread counts: empty means all processors, or what OMP_NUM_THREADS says.

struct Train {
  std::string config;
  std::vector<std::string> overrides;  ///< "training.steps=2000"
  std::string out;
  bool overwrite = false;
  bool print_config = false;
};
int run(const Train& command);

/// How to search; what is not given comes from the model's configuration.
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

struct Translate {
  std::string model, weights;
  Search search;
  Index n_best = 1;
  bool scores = false;
  bool attention = false;
  bool sample = false;
  bool skip_too_long = false;
  transformer::SamplingOptions sampling;  ///< its `search` comes from `search`
};
int run(const Translate& command);

struct Score {
  std::string model, weights, source, target;
  Search search;  ///< only the length penalty and the threads
  bool tokens = false;
  bool skip_too_long = false;
};
int run(const Score& command);

/// Paths that were not given are empty. Either a model and its source, or a hypothesis.
struct Evaluate {
  std::string model, weights, source;
  std::string hypothesis;
  std::string reference;
  std::string baseline;
  std::string output;  ///< where the model's translations go
  std::string tokeniser = "13a";
  bool lowercase = false;
  translation::BootstrapSettings bootstrap;
  Search search;
};
int run(const Evaluate& command);

struct Inspect {
  std::string model;
};
int run(const Inspect& command);

struct Average {
  std::vector<std::string> weights;  ///< files
  std::string output;
};
int run(const Average& command);

/// Learns subwords, or shows how a model cuts text.
struct Vocabulary {
  std::vector<std::string> inputs;
  std::string type = "bpe";
  translation::SubwordSettings learning;  ///< size and coverage
  std::string output;
  std::string model;  ///< to look at, instead of learning one
  bool encode = false;
  bool decode = false;
};
int run(const Vocabulary& command);

struct Toy {
  std::string name, out;
  std::uint64_t seed = 1;
  std::optional<std::size_t> train, validation, test;
};
int run(const Toy& command);

struct Gradcheck {};
int run(const Gradcheck& command);

struct BenchTrain {
  bench::TrainingSettings training;
  std::optional<int> threads;
};
int run(const BenchTrain& command);

struct BenchTranslate {
  std::string model;
  bench::TranslateBench bench;
  Search search;
  Index batch_tokens = translation::default_search_tokens;
};
int run(const BenchTranslate& command);

struct BenchLong {
  bench::LongBench bench;
  std::optional<int> threads;
};
int run(const BenchLong& command);

struct BenchKernels {
  bench::KernelBench bench;
  std::optional<int> threads;
};
int run(const BenchKernels& command);

struct ProfileTrain {
  bench::TrainingSettings training;
  std::optional<int> threads;
  std::string trace;  ///< empty: none
};
int run(const ProfileTrain& command);

struct ProfileTranslate {
  std::string model;
  Search search;
  std::string trace;  ///< empty: none
};
int run(const ProfileTranslate& command);

/// Library, core, threads, instruction set and the speed of one product, for --version.
std::string version();

}  // namespace regard::program
