#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace regard::program {

/// Input is read and translated this many lines at a time, because many sentences fill batches.
inline constexpr std::size_t lines_at_a_time = 1000;

/// Reads all lines that a file descriptor has ready. A user who sends one line and waits gets an answer to
/// it; a user who sends a file gets large batches. (std::getline cannot tell whether it would wait.)
class LineReader {
 public:
  /// Throws Error if standard output goes to the file that it reads.
  explicit LineReader(int file);

  /// Returns the next lines without their LF, at most `most` lines. Waits for the first line, and adds the
  /// lines that are ready after it. Returns no line at the end of the file. The last line may have no LF.
  /// Throws Error if reading fails.
  std::vector<std::string> read(std::size_t most);

 private:
  bool take_line(std::string& line);
  bool would_wait() const;
  void read_more();

  int file_;
  std::string buffer_;
  std::size_t begin_ = 0;     ///< start of the first line that was not taken yet
  std::size_t searched_ = 0;  ///< there is no LF between begin_ and here
  bool ended_ = false;
};

}  // namespace regard::program
