#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/corpus/sources.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// A parallel text as it is in its files. It may have lines that a training refuses: lines that are not
/// UTF-8, and lines without exactly one tab in a file with both sides.
class RawCorpus {
 public:
  /// Reads the files of both sides, or, if there is a `tsv`, files that hold both; each may be compressed
  /// with gzip. Throws Error if a file is missing or empty, or if the numbers of files differ. Where one file
  /// has more lines than its partner, the lines at its end are left out.
  RawCorpus(const Paths& source, const Paths& target, const Paths& tsv);

  /// The lines, without byte-order mark and line end. In a file with both sides, the source ends at the first
  /// tab.
  std::vector<std::string_view> source, target;
  /// For each file that is longer than its partner, a sentence that says so.
  std::vector<std::string> unpaired;

  /// Where a pair is: "12", or "FILE:12" if there are several files.
  std::string place(std::size_t pair) const;

 private:
  struct Part {
    std::string file;
    std::size_t first;  ///< its first pair
  };
  std::vector<std::string_view> lines_of(const std::string& path);

  std::deque<std::string> texts_;  // a deque does not move them
  std::vector<Part> parts_;
};

}  // namespace regard::translation
