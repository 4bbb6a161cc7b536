#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace regard::program {

/// Makes the standard streams ready for use. Call this before anything else.
void prepare_standard_streams();

/// Writes all text that was printed. Throws Error if standard output is full or closed.
void flush_output();

/// Input is read and translated this many lines at a time, because many sentences fill batches.
inline constexpr std::size_t lines_at_a_time = 1000;

/// Reads all lines that standard input has ready. A user who sends one line and waits gets an answer to it; a
/// user who sends a file gets large batches. (std::getline cannot tell whether it would wait.)
class LineReader {
 public:
  /// Throws Error if standard output goes to the file that it reads.
  LineReader();

  /// Returns the next lines without their LF, at most `most` lines. Waits for the first line, and adds the
  /// lines that are ready after it. Returns no line at the end of the file. The last line may have no LF.
  /// Throws Error if reading fails.
  std::vector<std::string> read(std::size_t most);

 private:
  void read_more();

  std::string buffer_;
  std::size_t begin_ = 0;  ///< start of the first line that was not returned yet
  bool ended_ = false;
};

}  // namespace regard::program
