#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace regard::program {

/// The file of an option such as --output. If standard output goes to this file or pipe, the messages of the
/// program go to standard error as long as this object exists, so that the file holds nothing else.
class OutputFile {
 public:
  /// Throws Error unless the file can be written and is none of the `inputs` (check_output, files.h).
  /// `option` and `path` must outlive the object. If the path is empty, no file is written.
  OutputFile(const char* option, const std::string& path, std::span<const std::string> inputs);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  explicit operator bool() const { return !path_.empty(); }
  /// Writes the file with a function that takes its path. Ctrl-C ends the program after that, because it
  /// would leave a temporary file.
  void write(const std::function<void(const std::string& path)>& writer) const;
  void write(std::string_view text) const;

 private:
  const std::string& path_;
  int output_ = -1;  ///< descriptor of standard output while messages go elsewhere; otherwise -1
};

}  // namespace regard::program
