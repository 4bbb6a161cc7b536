#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/translation/corpus/corpus.h"

namespace regard::translation {

/// A parallel text as it is in its files. It may have lines that a training refuses: lines that are not
/// UTF-8, and lines without exactly one tab in a file with both sides, where the source ends at the first
/// tab.
struct RawCorpus : ParallelText {
  /// Reads the files of both sides, or, if there is a `tsv`, files that hold both; each may be compressed
  /// with gzip. Throws Error if a file is missing or empty, or if the numbers of files differ. Where one file
  /// has more lines than its partner, the lines at its end are left out.
  RawCorpus(const Paths& source, const Paths& target, const Paths& tsv);

  /// Where a pair is: "12", or "FILE:12" if there are several files.
  std::string place(std::size_t pair) const;

  std::vector<std::string> files;     ///< of the source side, or with both sides
  std::vector<std::string> unpaired;  ///< for each file that is longer than its partner, a sentence
};

}  // namespace regard::translation
