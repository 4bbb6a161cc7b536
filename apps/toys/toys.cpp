#include "apps/toys/toys.h"

#include <fmt/ranges.h>
#include <iterator>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "apps/toys/toy.h"
#include "autograd/machine/error.h"
#include "autograd/machine/files.h"

namespace regard::toys {
namespace {

/// Throws Error if the toy has too few different sources, or the training set cannot hold the fixed pairs.
void check_sizes(const Toy& toy, const CorpusSizes& sizes) {
  // Subtracts the parts one by one, because their sum could overflow.
  std::uint64_t left = toy.distinct_sources;
  for (const std::uint64_t size : {sizes.train, sizes.validation, sizes.test}) {
    if (size > left) {
      fail(
          "the toy corpus \"{}\" can have at most {} different sources, too few for {} training, {} "
          "validation and {} test pairs; ask for fewer",
          toy.name, toy.distinct_sources, sizes.train, sizes.validation, sizes.test);
    }
    left -= size;
  }
  const std::size_t fixed = toy.always_in_training.size();
  if (sizes.train < fixed) {
    fail(
        "the training set of the toy corpus \"{}\" holds {} fixed pairs, so {} training pairs are too few; "
        "ask for {} or more",
        toy.name, fixed, sizes.train, fixed);
  }
}

/// Removes the last `size` pairs and returns them.
std::vector<SentencePair> cut_off(std::vector<SentencePair>& pairs, std::size_t size) {
  const auto begin = pairs.end() - static_cast<std::ptrdiff_t>(size);
  std::vector<SentencePair> part(std::make_move_iterator(begin), std::make_move_iterator(pairs.end()));
  pairs.erase(begin, pairs.end());
  return part;
}

std::string lines(const std::vector<SentencePair>& pairs, std::string SentencePair::*side) {
  std::string text;
  for (const SentencePair& pair : pairs) text.append(pair.*side).push_back('\n');
  return text;
}

/// Returns the name and the text of each file.
std::vector<std::pair<std::string, std::string>> texts(const Corpus& corpus) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [name, pairs] :
       {std::pair("train", &corpus.train), {"validation", &corpus.validation}, {"test", &corpus.test}}) {
    result.emplace_back(std::string(name) + ".source", lines(*pairs, &SentencePair::source));
    result.emplace_back(std::string(name) + ".target", lines(*pairs, &SentencePair::target));
    if (corpus.has_alignments)
      result.emplace_back(std::string(name) + ".align", lines(*pairs, &SentencePair::alignment));
  }
  return result;
}

void check_no_alignments(const std::filesystem::path& directory) {
  for (const char* const name : {"train.align", "validation.align", "test.align"}) {
    const std::filesystem::path path = directory / name;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored))
      fail(
          "{} exists, but this toy has no alignments, so it belongs to another text; give another directory, "
          "or remove it",
          path.string());
  }
}

}  // namespace

const std::vector<Toy>& all_toys() {
  static const std::vector<Toy> toys{sequence_toy(SequenceKind::copy),
                                     sequence_toy(SequenceKind::reverse),
                                     sequence_toy(SequenceKind::sort),
                                     sequence_toy(SequenceKind::recall),
                                     brackets_toy(),
                                     dates_toy(),
                                     numbers_toy(),
                                     sentences_toy(),
                                     pronouns_toy()};
  return toys;
}

const Toy& find_toy(const std::string& name, const std::vector<std::string>& others) {
  std::vector<std::string> known;
  for (const Toy& toy : all_toys()) {
    if (toy.name == name) return toy;
    known.push_back(toy.name);
  }
  known.insert(known.end(), others.begin(), others.end());
  fail("there is no toy corpus \"{}\"; choose one of {}", name, fmt::join(known, ", "));
}

Corpus generate(const Toy& toy, std::uint64_t seed, const CorpusSizes& sizes) {
  check_sizes(toy, sizes);
  SplitMix64 random(seed);

  std::vector<SentencePair> fixed = toy.always_in_training;
  std::unordered_set<std::string> seen;
  for (const SentencePair& pair : fixed) seen.insert(pair.source);

  std::vector<SentencePair> others;
  const std::size_t wanted = sizes.train + sizes.validation + sizes.test;
  while (seen.size() < wanted) {
    SentencePair pair = toy.sample(random);
    if (seen.insert(pair.source).second) others.push_back(std::move(pair));
  }
  // There are few short sources, and most come early. Shuffling makes the parts alike.
  random.shuffle(others);

  Corpus corpus;
  corpus.test = cut_off(others, sizes.test);
  corpus.validation = cut_off(others, sizes.validation);
  corpus.train = std::move(others);
  corpus.train.insert(corpus.train.end(), fixed.begin(), fixed.end());
  random.shuffle(corpus.train);
  corpus.has_alignments = toy.has_alignments;
  return corpus;
}

std::string gold_alignment(const Tokens& source, const Tokens& target, LinkKind kind) {
  std::string text;
  for (std::size_t j = 0; j < target.size(); ++j) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (source[i].clause != target[j].clause || (source[i].parts & target[j].parts) == 0) continue;
      fmt::format_to(std::back_inserter(text), "{}{}{}{}", text.empty() ? "" : " ", i,
                     static_cast<char>(kind), j);
    }
  }
  return text;
}

void make_directory(const std::filesystem::path& path) {
  std::error_code error, ignored;
  std::filesystem::create_directories(path, error);
  if (!std::filesystem::is_directory(path, ignored))
    fail("cannot create the directory {}: {}; choose another place", path.string(),
         error ? error.message() : "a file of that name is in the way");
}

bool has_contents(const std::filesystem::path& path, const std::string& bytes, Existing existing) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const bool same = read_file(path) == bytes;
  if (!same && existing == Existing::refuse)
    fail("{} exists and is different; give another directory, or --overwrite to replace it", path.string());
  return same;
}

void write(const Corpus& corpus, const std::filesystem::path& directory, Existing existing) {
  make_directory(directory);
  if (!corpus.has_alignments) check_no_alignments(directory);
  const std::vector<std::pair<std::string, std::string>> named = texts(corpus);
  std::vector<NewFile> files;
  for (const auto& [name, text] : named) {
    has_contents(directory / name, text, existing);
    files.push_back({(directory / name).string(), {text}});
  }
  write_files(files);
}

}  // namespace regard::toys
