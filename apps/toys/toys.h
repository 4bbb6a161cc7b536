#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace regard::toys {

/// A line of a parallel corpus: UTF-8, its tokens separated by single blanks where the toy is made of words.
struct SentencePair {
  std::string source;
  std::string target;

  bool operator==(const SentencePair&) const = default;
};

/// A corpus cut in three. No source stands twice, neither within a part nor in two of them.
struct Corpus {
  std::vector<SentencePair> train;
  std::vector<SentencePair> validation;
  std::vector<SentencePair> test;
};

/// How many pairs each part holds.
struct CorpusSizes {
  std::size_t train = 10000;
  std::size_t validation = 500;
  std::size_t test = 500;
};

/// What a toy is, and what to train on it with.
struct ToyDescription {
  std::string name;
  std::string summary;    ///< one line for a human
  std::string tokeniser;  ///< "word" (split at blanks) or "char" (one token a code point), for both sides
  CorpusSizes sizes;      ///< enough for a small Transformer to learn the toy
};

/// Every toy, in the order in which to meet them.
const std::vector<ToyDescription>& all_toys();

/// The description of one toy. Throws Error for an unknown name, listing the known.
const ToyDescription& describe(const std::string& name);

/// How many different sources the toy can make.
std::uint64_t distinct_sources(const std::string& name);

/// Draws a corpus. The same name, seed and sizes give the same bytes on every platform. Throws Error for an
/// unknown name, and when the toy has fewer different sources than the sizes ask for.
Corpus generate(const std::string& name, std::uint64_t seed, const CorpusSizes& sizes);

/// Draws a corpus of the toy's own sizes.
Corpus generate(const std::string& name, std::uint64_t seed);

/// Writes train.source, train.target, validation.source, …, test.target into the directory, which is created
/// when missing. Throws Error when that fails, naming the file.
void write(const Corpus& corpus, const std::filesystem::path& directory);

}  // namespace regard::toys
