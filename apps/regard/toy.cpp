#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "apps/regard/commands.h"
#include "apps/toys/toys.h"

namespace regard::program {

namespace {

struct Toy {
  std::string name, out;
  std::uint64_t seed = 1;
  std::optional<std::size_t> train, validation, test;  ///< empty: the toy's own size
  bool overwrite = false;
};

int run(const Toy& toy) {
  toys::CorpusSizes sizes = toys::describe(toy.name).sizes;
  sizes.train = toy.train.value_or(sizes.train);
  sizes.validation = toy.validation.value_or(sizes.validation);
  sizes.test = toy.test.value_or(sizes.test);
  const toys::Corpus corpus = toys::generate(toy.name, toy.seed, sizes);
  toys::write(corpus, toy.out, toy.overwrite ? toys::Existing::replace : toys::Existing::refuse);
  fmt::print("{}: {} training, {} validation and {} test pairs in {}, for example\n", toy.name,
             corpus.train.size(), corpus.validation.size(), corpus.test.size(), toy.out);
  for (std::size_t i = 0; i < corpus.train.size() && i < 3; ++i)
    fmt::print("  {}  ->  {}\n", corpus.train[i].source, corpus.train[i].target);
  return 0;
}

}  // namespace

void add_toy(const Command& program) {
  const auto toy = std::make_shared<Toy>();
  const Command command = program.add("toy", "Make a toy corpus");
  command.option("NAME", toy->name, "Name of the toy").required();
  command.option("--out", toy->out, "Directory to write training, validation and test files to").required();
  command.option("--seed", toy->seed, "Another seed makes another corpus").show_default();
  command.option("--train", toy->train,
                 "Number of sentence pairs to train on; default: enough to learn this toy");
  command.option("--validation", toy->validation, "Number of sentence pairs to validate with");
  command.option("--test", toy->test, "Number of sentence pairs to test with");
  command.flag("--overwrite", toy->overwrite, "Replace files of these names that hold another text");
  std::string names = "Toys:\n";
  for (const toys::ToyDescription& each : toys::all_toys())
    names += fmt::format("  {:<11} {}\n", each.name, each.summary);
  command.footer(
      names +
      "\nThe files are train.source, train.target, and the same for validation and test. Sentences and\n"
      "numbers also have gold alignments of their tokens: train.align, validation.align, test.align.\n"
      "\nExample:\n  regard toy sentences --out build/toy");
  command.action([toy] { return run(*toy); });
}

}  // namespace regard::program
