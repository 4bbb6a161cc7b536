#include "apps/toys/toys.h"

#include <unordered_set>
#include <utility>

#include "apps/toys/toy.h"
#include "autograd/error.h"

namespace regard::toys {
namespace {

const std::vector<std::unique_ptr<Toy>>& registry() {
  static const std::vector<std::unique_ptr<Toy>> toys = [] {
    std::vector<std::unique_ptr<Toy>> list;
    list.push_back(make_copy());
    list.push_back(make_reverse());
    list.push_back(make_dates());
    list.push_back(make_numbers());
    list.push_back(make_sentences());
    return list;
  }();
  return toys;
}

std::size_t position(const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < all_toys().size(); ++i) {
    if (all_toys()[i].name == name) return i;
    known += (i > 0 ? ", " : "") + all_toys()[i].name;
  }
  fail("there is no toy corpus \"{}\"; choose one of {}, scenes", name, known);
}

/// Throws Error if the toy has too few different sources, or the training set cannot hold the fixed pairs.
void check_sizes(const std::string& name, const Toy& toy, const CorpusSizes& sizes) {
  // Subtracts the parts one by one, because their sum could overflow.
  const std::uint64_t distinct = toy.distinct_sources();
  std::uint64_t left = distinct;
  for (const std::uint64_t size : {sizes.train, sizes.validation, sizes.test}) {
    if (size > left) {
      fail(
          "the toy corpus \"{}\" has {} different sources, too few for {} training, {} validation and {} "
          "test pairs; ask for fewer",
          name, distinct, sizes.train, sizes.validation, sizes.test);
    }
    left -= size;
  }
  const std::size_t fixed = toy.always_in_training().size();
  if (sizes.train < fixed) {
    fail(
        "the training set of the toy corpus \"{}\" holds {} fixed pairs, so {} training pairs are too few; "
        "ask for {} or more",
        name, fixed, sizes.train, fixed);
  }
}

/// Removes the last `size` pairs and returns them.
std::vector<SentencePair> cut_off(std::vector<SentencePair>& pairs, std::size_t size) {
  const auto begin = pairs.end() - static_cast<std::ptrdiff_t>(size);
  std::vector<SentencePair> part(std::make_move_iterator(begin), std::make_move_iterator(pairs.end()));
  pairs.erase(begin, pairs.end());
  return part;
}

}  // namespace

const std::vector<ToyDescription>& all_toys() {
  static const std::vector<ToyDescription> descriptions = [] {
    std::vector<ToyDescription> list;
    for (const auto& toy : registry()) list.push_back(toy->description());
    return list;
  }();
  return descriptions;
}

const ToyDescription& describe(const std::string& name) { return all_toys()[position(name)]; }

std::uint64_t distinct_sources(const std::string& name) {
  return registry()[position(name)]->distinct_sources();
}

Corpus generate(const std::string& name, std::uint64_t seed, const CorpusSizes& sizes) {
  const Toy& toy = *registry()[position(name)];
  check_sizes(name, toy, sizes);
  Random random(seed);

  std::vector<SentencePair> fixed = toy.always_in_training();
  std::unordered_set<std::string> seen;
  for (const SentencePair& pair : fixed) seen.insert(pair.source);

  std::vector<SentencePair> drawn;
  const std::size_t wanted = sizes.train + sizes.validation + sizes.test;
  while (seen.size() < wanted) {
    SentencePair pair = toy.draw(random);
    if (seen.insert(pair.source).second) drawn.push_back(std::move(pair));
  }
  // There are few short sources, and most are drawn early. Shuffling makes the parts alike.
  random.shuffle(drawn);

  Corpus corpus;
  corpus.test = cut_off(drawn, sizes.test);
  corpus.validation = cut_off(drawn, sizes.validation);
  corpus.train = std::move(drawn);
  corpus.train.insert(corpus.train.end(), fixed.begin(), fixed.end());
  random.shuffle(corpus.train);
  corpus.has_alignments = toy.description().has_alignments;
  return corpus;
}

Corpus generate(const std::string& name, std::uint64_t seed) {
  return generate(name, seed, describe(name).sizes);
}

}  // namespace regard::toys
