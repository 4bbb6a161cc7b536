#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/random.h"

namespace regard::toys {

/// A line of a parallel corpus in UTF-8. If the toy consists of words, single blanks separate them.
struct SentencePair {
  std::string source;
  std::string target;
  std::string alignment = {};  ///< the gold alignment of a toy that has them: "0-0 1-2" (toy.h)

  bool operator==(const SentencePair&) const = default;
};

/// A corpus in three parts. All sources of all parts are different.
struct Corpus {
  std::vector<SentencePair> train;
  std::vector<SentencePair> validation;
  std::vector<SentencePair> test;
  bool has_alignments = false;  ///< every pair has its gold alignment
};

/// The number of pairs in each part.
struct CorpusSizes {
  std::size_t train = 10000;
  std::size_t validation = 500;
  std::size_t test = 500;
};

/// Toy::distinct_sources of a toy that has more than a corpus can hold.
inline constexpr std::uint64_t countless = 1'000'000'000;

/// One toy language, and the tokeniser and sizes to train on it.
struct Toy {
  std::string name;
  std::string summary;    ///< one line for --help
  std::string tokeniser;  ///< "word" (split at blanks) or "char" (one token per code point), for both sides
  CorpusSizes sizes;      ///< enough for a small Transformer to learn the toy
  std::uint64_t distinct_sources;  ///< sample() can return at least this number of different sources
  /// Returns a random pair. The target is a function of the source. Later calls may return the same source
  /// again.
  std::function<SentencePair(SplitMix64&)> sample;
  bool has_alignments = false;  ///< the toy knows which source tokens each target token translates
  std::vector<SentencePair> always_in_training = {};
};

/// All toys, the simplest first. To add one, write a function that returns it, and add it to the list in
/// toys.cpp.
const std::vector<Toy>& all_toys();

/// Throws Error for an unknown name and lists the known names, and `others` that the caller knows.
const Toy& find_toy(const std::string& name, const std::vector<std::string>& others = {});

/// The toys whose sources are random letters.
enum class SequenceKind { copy, reverse, sort, recall };

/// Returns "copy", "reverse" or "sort" with sources of `shortest` to `longest` letters, or "recall" with that
/// number of letters after the first, which is the target. All lengths have the same probability. Without
/// `longest`, it is 12, and 20 for recall. Throws Error unless 1 <= shortest <= longest <= 1000.
Toy sequence_toy(SequenceKind kind, std::int64_t shortest = 1, std::optional<std::int64_t> longest = {});

/// The pronoun of a pair of the toy "pronouns", and the noun for which it stands. Positions count tokens from
/// 0.
struct PronounLink {
  std::size_t pronoun, antecedent;  ///< in the source: "it", "he" or "she", and the noun
  std::size_t translation;          ///< in the target: il or elle
};

/// Reads the link from the gold alignment of a pair of the toy "pronouns". Its possible link, "2?7", leads
/// from the antecedent to the translation of the pronoun; the sure link of this target token begins at the
/// pronoun.
PronounLink pronoun_link(const SentencePair& pair);

/// Returns the toy "sentences" with longer sentences, for experiments with length: clauses joined by "and",
/// with at most `max_words` English words. Throws Error if that is less than the longest clause has, or more
/// than 1,000.
Toy long_sentences(std::int64_t max_words);

/// Returns a random corpus of the given sizes, or of the toy's own. The same toy, seed and sizes give the
/// same bytes on every platform. Throws Error if the sizes need more different sources than the toy has.
Corpus generate(const Toy& toy, std::uint64_t seed, const CorpusSizes& sizes);
inline Corpus generate(const Toy& toy, std::uint64_t seed) { return generate(toy, seed, toy.sizes); }

/// What write() does with a file that exists and has other contents.
enum class Existing { refuse, replace };

/// Writes train.source, train.target, validation.source, …, test.target into the directory, and train.align,
/// validation.align and test.align if the corpus has alignments. Creates the directory if it is missing.
/// Throws Error with the name of the file if that fails; then no file is replaced. Also throws Error if the
/// corpus has no alignments, but the directory has some: they would belong to another text.
void write(const Corpus& corpus, const std::filesystem::path& directory,
           Existing existing = Existing::refuse);

/// Creates a directory if it is missing. Throws Error if it cannot be created.
void make_directory(const std::filesystem::path& path);

/// Returns true if the file has these contents already. Throws Error if it has others and must stay.
bool has_contents(const std::filesystem::path& path, const std::string& bytes, Existing existing);

}  // namespace regard::toys
