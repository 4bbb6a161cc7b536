#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace regard::program {

/// Reads lines from a file descriptor, as many as are there: who sends one line and waits gets an answer to
/// it, who sends a file gets it translated in large batches. (std::getline cannot say whether it would wait.)
class LineReader {
 public:
  explicit LineReader(int file) : file_(file) {}

  /// The next lines, at most `most` of them, without their LF. Waits for the first, and takes of the others
  /// those that have come. None at the end. The last line may lack its LF. Throws Error if reading fails.
  std::vector<std::string> read(std::size_t most);

 private:
  bool take_line(std::string& line);
  bool would_wait() const;
  void read_more();

  int file_;
  std::string buffer_;
  std::size_t begin_ = 0;     ///< of what has not been taken yet
  std::size_t searched_ = 0;  ///< up to here there is no LF after begin_
  bool ended_ = false;
};

}  // namespace regard::program
