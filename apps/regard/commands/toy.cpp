#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

#include "apps/regard/command_line.h"
#include "apps/regard/streams.h"
#include "apps/toys/scenes/scenes.h"
#include "apps/toys/toys.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

struct Toy {
  std::string name, out;
  std::uint64_t seed = 1;
  std::optional<std::size_t> train, validation, test;  ///< empty: the toy's own size
  std::optional<Index> size;                           ///< of the images
  std::optional<Index> min_words, max_words;  ///< of copy, reverse and recall; max_words of sentences
  bool overwrite = false;

  toys::Existing existing() const { return overwrite ? toys::Existing::replace : toys::Existing::refuse; }
  toys::CorpusSizes sizes(const toys::CorpusSizes& otherwise) const {
    return {train.value_or(otherwise.train), validation.value_or(otherwise.validation),
            test.value_or(otherwise.test)};
  }
};

int run_scenes(const Toy& toy) {
  const toys::Scenes scenes =
      generate_scenes(toy.seed, toy.sizes(toys::scene_sizes), toy.size.value_or(toys::smallest_scene));
  complete_before_stopping([&] { write(scenes, toy.out, toy.existing()); });
  report("scenes: {} training, {} validation and {} test images in {}, for example\n", scenes.train.size(),
         scenes.validation.size(), scenes.test.size(), toy.out);
  for (std::size_t i = 0; i < scenes.train.size() && i < 3; ++i)
    report("  train/{:05}.png  ->  {}\n", i + 1, caption(scenes.train[i]).text());
  return 0;
}

/// The toy of this name, with the given limits of length.
toys::Toy chosen_toy(const Toy& toy) {
  using toys::SequenceKind;
  for (const auto& [name, kind] : {std::pair("copy", SequenceKind::copy),
                                   {"reverse", SequenceKind::reverse},
                                   {"recall", SequenceKind::recall}})
    if (toy.name == name) return toys::sequence_toy(kind, toy.min_words.value_or(1), toy.max_words);
  if (toy.min_words)
    fail("--min-words {}: only copy, reverse and recall have a least length", *toy.min_words);
  if (toy.max_words && toy.name == "sentences") return toys::long_sentences(*toy.max_words);
  if (toy.max_words)
    fail("--max-words {}: only copy, reverse, recall and sentences have a greatest length", *toy.max_words);
  return toys::find_toy(toy.name);
}

int run(const Toy& toy) {
  if (toy.name == "scenes" && !toy.min_words && !toy.max_words) return run_scenes(toy);
  const toys::Toy chosen = chosen_toy(toy);
  const toys::Corpus corpus = toys::generate(chosen, toy.seed, toy.sizes(chosen.sizes));
  if (toy.size) fail("--size {}: only the toy scenes has images", *toy.size);
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
  command.option("--size", toy.size, "scenes: height and width of the images; default: 48");
  command.option(
      "--min-words", toy.min_words,
      "copy and reverse: least length; recall: least number of letters after the first; default: 1");
  command.option("--max-words", toy.max_words,
                 "copy and reverse: greatest length, default: 12; recall: greatest number of letters after "
                 "the first, default: 20; sentences: join clauses by \"and\" to sentences of up to so many "
                 "English words, 13 or more, default: one clause");
  command.option("--overwrite", toy.overwrite, "Replace files of these names that hold another text");
  std::string names = "Toys:\n";
  for (const toys::Toy& each : toys::all_toys())
    names += fmt::format("  {:<11} {}\n", each.name, each.summary);
  names += fmt::format("  {:<11} {}\n", "scenes", toys::scenes_summary);
  command.footer(
      names +
      "\nThe files are train.source, train.target, and the same for validation and test. Sentences, numbers\n"
      "and pronouns also have gold alignments of their tokens: train.align, validation.align, test.align.\n"
      "Scenes are images: train.tsv has lines \"train/00001.png TAB caption\", and train.regions.jsonl "
      "tells\n"
      "which part of the image each word names.\n"
      "\nExample:\n  regard toy sentences --out build/toy");
}

}  // namespace regard::program
