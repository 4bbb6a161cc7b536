#pragma once

#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/translation/translator/sentences_at_a_time.h"
#include "autograd/machine/files.h"

namespace regard::program {

/// A file that a command writes. An empty path: it is not written.
struct Output {
  const char* option;  ///< such as "--output"
  std::string path;
};

/// Throws Error unless a command may write these files. Their directories must exist and be writable. To
/// protect other files, a path must not lead to one of the `inputs`, to the file of a standard stream, or to
/// a file of a model directory; and two must not lead to one file. The message names the option and the path.
/// Call this before work that takes minutes.
void check_outputs(const std::vector<Output>& outputs, std::span<const std::string> inputs);

/// Throws Error if standard output goes to one of the `inputs`. The program would read its own output, or the
/// output would replace the input.
void check_standard_output(std::span<const std::string> inputs);

/// The files of options such as --output. A path may lead to standard output (/dev/stdout). If standard
/// output is a pipe, only the file is written to it: while the object exists, messages go to standard error.
class OutputFiles {
 public:
  /// Throws Error as check_outputs and check_standard_output do.
  OutputFiles(const std::vector<Output>& outputs, std::span<const std::string> inputs);
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles();

  /// Calls `writer`, which writes the files. If Ctrl-C comes meanwhile, the program ends when they are
  /// complete, so that no temporary file is left.
  void write(const std::function<void()>& writer) const;
  /// Writes those of these files that have a path; all of them, or none.
  void write(std::vector<NewFile> files) const;

 private:
  int output_ = -1;  ///< standard output, while messages go to standard error; otherwise -1
};

/// Calls `writer`, which writes files. If Ctrl-C comes meanwhile, the program ends when they are complete, so
/// that no temporary files are left.
void complete_before_stopping(const std::function<void()>& writer);

// If nobody reads standard output any more (`regard … | head -1`), a command whose result is its output stops
// with exit code 128 + SIGPIPE and prints no error. A command whose result is files completes them.

/// For a command whose result is its output: writes all text that was printed. Throws Error if standard
/// output is full, and std::system_error as fmt::print does if nobody reads it any more.
void flush_output();

/// For a command whose result is files: prints a message. If nobody reads standard output any more, drops
/// this and all later messages. If standard output is full, flush_output() says so at the end of the program.
void report(std::string_view message);
template <class First, class... Rest>
void report(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  report(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
}

inline constexpr std::size_t lines_at_a_time = translation::sentences_at_a_time;

/// Reads all lines that standard input has ready. A user who sends one line and waits gets an answer to it; a
/// user who sends a file gets large batches. (std::getline cannot tell whether it would wait.)
class LineReader {
 public:
  /// Throws Error if standard output goes to the file that it reads.
  LineReader();

  /// Returns at most `most` further lines, without their LF; none at the end of the file. Waits for the first
  /// line, and adds the lines that are ready after it. The last line may have no LF. The input may be
  /// compressed with gzip. Throws Error if reading fails, or if compressed data are damaged.
  std::vector<std::string> read(std::size_t most);

 private:
  void read_more();
  void read_block();
  void read_compressed();

  std::string buffer_;
  std::size_t begin_ = 0;  ///< start of the first line that was not returned yet
  bool at_beginning_ = true, ended_ = false;
};

}  // namespace regard::program
