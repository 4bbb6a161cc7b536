#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "apps/regard/command_line.h"
#include "apps/regard/streams.h"
#include "apps/regard/toy_door.h"
#include "apps/toys/toys.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

struct Toy : ToyOptions {
  std::optional<Index> min_words, max_words;  ///< of copy, reverse, sort and recall; max_words of sentences
  std::vector<ToyDoor> doors;
};

/// The toy of this name, with the given limits of length.
toys::Toy chosen_toy(const Toy& toy) {
  using toys::SequenceKind;
  for (const auto& [name, kind] : {std::pair("copy", SequenceKind::copy),
                                   {"reverse", SequenceKind::reverse},
                                   {"sort", SequenceKind::sort},
                                   {"recall", SequenceKind::recall}})
    if (toy.name == name) return toys::sequence_toy(kind, toy.min_words.value_or(1), toy.max_words);
  if (toy.min_words)
    fail("--min-words {}: only copy, reverse, sort and recall have a least length", *toy.min_words);
  if (toy.max_words && toy.name == "sentences") return toys::long_sentences(*toy.max_words);
  if (toy.max_words)
    fail("--max-words {}: only copy, reverse, sort, recall and sentences have a greatest length",
         *toy.max_words);
  std::vector<std::string> others;
  for (const ToyDoor& door : toy.doors) others.push_back(door.name);
  return toys::find_toy(toy.name, others);
}

int run(const Toy& toy) {
  for (const ToyDoor& door : toy.doors)
    if (door.name == toy.name && !toy.min_words && !toy.max_words) return door.run(toy);
  const toys::Toy chosen = chosen_toy(toy);
  const toys::Corpus corpus = toys::generate(chosen, toy.seed, toy.sizes(chosen.sizes));
  for (const ToyDoor& door : toy.doors) door.refuse_options();
  complete_before_stopping([&] { toys::write(corpus, toy.out, toy.existing()); });
  report("{}: {} training, {} validation and {} test pairs in {}, for example\n", toy.name,
         corpus.train.size(), corpus.validation.size(), corpus.test.size(), toy.out);
  for (std::size_t i = 0; i < corpus.train.size() && i < 3; ++i)
    report("  {}  ->  {}\n", corpus.train[i].source, corpus.train[i].target);
  return 0;
}

}  // namespace

void add_toy(const Command& program) {
  const Command command = program.add("toy", "Make a toy corpus");
  Toy& toy = command.runs<Toy>(run);
  command.option("NAME", toy.name, "Name of the toy", required);
  command.option("--out", toy.out, "Directory to write training, validation and test files to", required);
  command.option("--seed", toy.seed, "Another seed makes another corpus", show_default);
  command.option("--train", toy.train,
                 "Number of sentence pairs to train on; default: enough to learn this toy");
  command.option("--validation", toy.validation, "Number of sentence pairs to validate with");
  command.option("--test", toy.test, "Number of sentence pairs to test with");
  for (const OpenToy open : all_toy_doors()) toy.doors.push_back(open(command));
  command.option(
      "--min-words", toy.min_words,
      "copy, reverse and sort: least length; recall: least number of letters after the first; default: 1");
  command.option(
      "--max-words", toy.max_words,
      "copy, reverse and sort: greatest length, default: 12; recall: greatest number of letters "
      "after the first, default: 20; sentences: join clauses by \"and\" to sentences of up to so many "
      "English words, 13 or more, default: one clause");
  command.option("--overwrite", toy.overwrite, "Replace files of these names that hold another text");
  std::string names = "Toys:\n";
  for (const toys::Toy& each : toys::all_toys())
    names += fmt::format("  {:<11} {}\n", each.name, each.summary);
  std::string files;
  for (const ToyDoor& door : toy.doors) {
    names += fmt::format("  {:<11} {}\n", door.name, door.summary);
    files += door.files;
  }
  command.footer(
      names +
      "\nThe files are train.source, train.target, and the same for validation and test. Sentences, numbers\n"
      "and pronouns also have gold alignments of their tokens: train.align, validation.align, test.align.\n" +
      files + "\nExample:\n  regard toy sentences --out build/toy");
}

}  // namespace regard::program
