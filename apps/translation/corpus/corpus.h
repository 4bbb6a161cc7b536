#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/translation/corpus/source_files.h"
#include "apps/translation/corpus/sources.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/machine/error.h"
#include "autograd/machine/real.h"

// Corpora: reading files of sentence pairs, and turning their text into numbers.

namespace regard::translation {

/// Sentences and their translations as they are in the files. Line i of the target translates line i of the
/// source.
struct ParallelText {
  std::vector<std::string> source,
      target;                          ///< of SourceFiles, a source is a path
  std::string name;                    ///< of the file or files, for messages
  std::vector<Index> file_lines = {};  ///< the number of lines in each file
};

/// Reads a file with one sentence per line; it may be compressed with gzip. Throws Error if the file is
/// missing, empty or not UTF-8 (with the line).
std::vector<std::string> read_sentences(const std::string& path);

/// Throws Error that names both files unless they have the same number of lines.
void check_line_counts(const std::string& path, std::size_t lines, const std::string& other_path,
                       std::size_t other_lines);

/// Throws Error unless there are as many target files as source files.
void check_file_counts(const Paths& source, const Paths& target);

/// Reads the lines of a file as sources. Without `files` they are sentences, taken as they are. With `files`
/// each is a path relative to the directory of the file in which it stands, and becomes relative to the
/// current directory.
std::vector<std::string> read_sources(const std::string& path, const SourceFiles* files);

/// Reads files with one sentence per line. File i of the target translates file i of the source. Throws Error
/// if a file is missing, empty or not UTF-8 (with the line), or if the numbers of files or of their lines
/// differ; and, for sentences, if the first source is a file that other models read.
ParallelText read_parallel_files(const Paths& source, const Paths& target,
                                 const SourceFiles* files = nullptr);

/// Reads files with lines "source TAB target". It has the same errors, and one more for a line without
/// exactly one tab.
ParallelText read_parallel_tsv(const Paths& paths, const SourceFiles* files = nullptr);

/// Reads the files of both sides, or, if there is a `tsv`, files that hold both.
inline ParallelText read_parallel(const Paths& source, const Paths& target, const Paths& tsv,
                                  const SourceFiles* files) {
  return tsv.empty() ? read_parallel_files(source, target, files) : read_parallel_tsv(tsv, files);
}

/// Counts the tokens of all lines.
void count_tokens(TokenCounts& counts, const std::vector<std::string>& lines, const Tokeniser& tokeniser);

/// The number of pairs that were left out, for each reason. A pair with an empty side counts as empty, even
/// if its other side is too long.
struct DroppedPairs {
  Index empty = 0;
  Index too_long = 0;

  Index total() const { return empty + too_long; }  ///< for all reasons
};

/// The number of unknown words in some sentences, and the number of all their tokens.
struct UnknownWords {
  Index unknown = 0, tokens = 0;

  /// Adds the counts of other sentences.
  UnknownWords& operator+=(const UnknownWords& other) {
    unknown += other.unknown;
    tokens += other.tokens;
    return *this;
  }
};
/// Counts special::unknown among the tokens of these sentences.
UnknownWords count_unknown(const std::vector<std::vector<std::int32_t>>& sentences);

/// A parallel text as token numbers, without special tokens: make_batch adds them.
struct ParallelCorpus {
  std::vector<std::vector<std::int32_t>> source, target;
  std::vector<Index> lines;  ///< the line of each pair in the text, from 0; increasing
  Index lines_read = 0;      ///< pairs in the text, with the dropped ones
  DroppedPairs dropped;

  Index pairs() const { return to_index(source.size()); }  ///< the number of pairs that were kept
};

struct Encoding {
  const Tokeniser& tokeniser;
  const Vocabulary& source_vocabulary;
  const Vocabulary& target_vocabulary;
  Index max_length = 256;              ///< tokens per sentence, without </s>; no limit for SourceFiles
  const SourceFiles* files = nullptr;  ///< null: the sources are sentences
  /// Called from time to time with the number of pairs of sentences that are cut, and of all.
  std::function<void(Index done, Index all)> progress = {};
};

/// Turns text into numbers, on all threads. Drops pairs with an empty side or a side that is too long. Throws
/// Error if no pair is left. SourceFiles are read here; throws
/// Error that names the file if it cannot be read, or if its target is empty.
ParallelCorpus encode(const ParallelText& text, const Encoding& encoding);

}  // namespace regard::translation
