// The subcommands that only hand over to a library, and --version.
#include "apps/bench/train_bench.h"
#include "apps/gradcheck/run.h"
#include "apps/regard/commands.h"
#include "apps/toys/toys.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/version.h"
#include "apps/translation/model/weights.h"
#include "autograd/blas.h"
#include "autograd/error.h"
#include "autograd/parallel.h"
#include "autograd/simd.h"
#include "nn/safetensors.h"

namespace regard::program {

int run(const Toy& command) {
  toys::CorpusSizes sizes = toys::describe(command.name).sizes;
  sizes.train = command.train.value_or(sizes.train);
  sizes.validation = command.validation.value_or(sizes.validation);
  sizes.test = command.test.value_or(sizes.test);
  const toys::Corpus corpus = toys::generate(command.name, command.seed, sizes);
  toys::write(corpus, command.out);
  fmt::print("{}: {} training, {} validation and {} test pairs in {}, for example\n", command.name,
             corpus.train.size(), corpus.validation.size(), corpus.test.size(), command.out);
  for (std::size_t i = 0; i < corpus.train.size() && i < 3; ++i)
    fmt::print("  {}  ->  {}\n", corpus.train[i].source, corpus.train[i].target);
  return 0;
}

int run(const Average& command) {
  translation::check_output("--output", command.output, command.weights);
  const translation::Weights mean = translation::average_weights(command.weights);
  std::vector<nn::NamedParameter> tensors;
  for (const auto& [name, tensor] : mean.tensors) tensors.push_back({name, tensor});
  nn::save_safetensors(command.output, tensors, mean.identity);
  fmt::print("the mean of {} files, written to {}\n", command.weights.size(), command.output);
  return 0;
}

int run(const Gradcheck&) { return gradcheck_table::run() ? 0 : 1; }

std::string version() {
  const blas::Information& blas = blas::information();
  std::string text = fmt::format("regard {}\n", translation::exact_version());
  text += fmt::format("OpenBLAS     {}\n", blas.version);
  text += fmt::format("core         {}{}\n", blas.core,
                      blas.core_replaced ? " (chosen by regard; OpenBLAS had picked slower kernels)" : "");
  text += fmt::format("instructions {}\n", to_string(simd()));
  text += fmt::format("threads      {}\n", threads());
  text += fmt::format("speed        {:.0f} GFLOP/s (one product of 1024 x 1024 x 1024)\n",
                      bench::product_speed());
  return text;
}

}  // namespace regard::program
