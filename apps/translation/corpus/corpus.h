#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/checked_cast.h"
#include "autograd/index.h"

namespace regard::translation {

/// Sentences and their translations as they stand in the files: line i of one belongs to line i of the other.
struct ParallelText {
  std::vector<std::string> source, target;
  std::string name;  ///< of the file or files, for messages
};

/// The lines of a file, one sentence each. Throws Error for one that is missing, empty or not UTF-8 (naming
/// the line).
std::vector<std::string> read_sentences(const std::string& path);

/// Throws Error naming both files unless they have as many lines.
void check_line_counts(const std::string& path, std::size_t lines, const std::string& other_path,
                       std::size_t other_lines);

/// Two files, one sentence a line. Throws Error for one that is missing, empty or not UTF-8 (naming the
/// line), and where the numbers of lines differ.
ParallelText read_parallel_files(const std::string& source_path, const std::string& target_path);

/// One file with lines "source TAB target"; the same errors, and one for a line without exactly one tab.
ParallelText read_parallel_tsv(const std::string& path);

/// Counts the tokens of all lines.
void count_tokens(TokenCounts& counts, const std::vector<std::string>& lines, const Tokeniser& tokeniser);

/// Pairs that were left out, and why. A pair with an empty side counts as empty, however long the other is.
struct DroppedPairs {
  Index empty = 0;
  Index too_long = 0;

  Index total() const { return empty + too_long; }
};

/// How many tokens of some sentences are unknown words, and how many there are.
struct UnknownWords {
  Index unknown = 0, tokens = 0;
};
UnknownWords count_unknown(const std::vector<std::vector<std::int32_t>>& sentences);

/// A parallel text as numbers. No special tokens: a batch adds them.
struct ParallelCorpus {
  std::vector<std::vector<std::int32_t>> source, target;
  std::vector<Index> lines;  ///< where in the text each pair stood, from 0; increasing
  Index lines_read = 0;      ///< pairs in the text, the dropped included
  DroppedPairs dropped;

  Index pairs() const { return to_index(source.size()); }
};

struct Encoding {
  const Tokeniser& tokeniser;
  const Vocabulary& source_vocabulary;
  const Vocabulary& target_vocabulary;
  Index max_length = 256;  ///< tokens a sentence, </s> not counted
};

/// Turns text into numbers, dropping pairs with an empty or too long side. Throws Error if none is left.
ParallelCorpus encode(const ParallelText& text, const Encoding& encoding);

}  // namespace regard::translation
