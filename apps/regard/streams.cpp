#include "apps/regard/streams.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "apps/regard/stop_signals.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/model_directory.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

/// True if the path leads to the file, pipe or device of an open descriptor.
bool leads_to(const std::string& path, int descriptor) {
  struct stat file {};
  struct stat open {};
  return ::stat(path.c_str(), &file) == 0 && ::fstat(descriptor, &open) == 0 && file.st_dev == open.st_dev &&
         file.st_ino == open.st_ino;
}

/// True if standard output is a pipe that nobody reads any more, or a closed terminal.
bool output_is_closed() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

/// Text that is printed from now on goes where the descriptor goes.
void direct_standard_output(int descriptor) {
  std::fflush(stdout);
  ::dup2(descriptor, STDOUT_FILENO);
}

void check_output(const char* option, const std::string& path, std::span<const std::string> inputs) {
  if (path.empty()) return;
  const auto refuse = [&](const char* reason) { fail("{} {}: {}", option, path, reason); };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("this is a directory; give a file");
  const std::filesystem::path parent = std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(parent, ignored)) refuse("the directory of this file does not exist");
  if (!std::filesystem::exists(path, ignored)) return translation::check_directory(parent);
  if (!std::filesystem::is_regular_file(path, ignored)) {
    if (::access(path.c_str(), W_OK) != 0) refuse("no permission to write there");
    return;
  }
  translation::check_directory(parent);
  if (leads_to(path, STDIN_FILENO)) refuse("this file is an input and would be replaced; give another");
  for (const std::string& input : inputs)
    if (translation::same_file(path, input))
      refuse("this file is an input and would be replaced; give another");
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
    if (leads_to(path, descriptor))
      refuse("the messages of this command go to this file and would be lost; give another");
  if (translation::is_file_of_model(path))
    refuse("this file belongs to a trained model and would be replaced; give another");
}

}  // namespace

void check_outputs(const std::vector<Output>& outputs, std::span<const std::string> inputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    check_output(output->option, output->path, inputs);
    for (auto before = outputs.begin(); before != output; ++before)
      if (lead_to_one_file(before->path, output->path))
        fail("{} {}: this is the file of {} {}, too, so one text would replace the other; give another",
             output->option, output->path, before->option, before->path);
  }
}

void check_standard_output(std::span<const std::string> inputs) {
  std::error_code ignored;
  for (const std::string& input : inputs)
    if (std::filesystem::is_regular_file(input, ignored) && leads_to(input, STDOUT_FILENO))
      fail("standard output goes to {}, which is an input; write the output into another file", input);
}

OutputFiles::OutputFiles(const std::vector<Output>& outputs, std::span<const std::string> inputs) {
  check_outputs(outputs, inputs);
  check_standard_output(inputs);
  // On a terminal, messages and output may stand together.
  std::error_code ignored;
  if (std::ranges::none_of(outputs, [&](const Output& output) {
        return leads_to(output.path, STDOUT_FILENO) &&
               !std::filesystem::is_character_file(output.path, ignored);
      }))
    return;
  output_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  direct_standard_output(STDERR_FILENO);
}

OutputFiles::~OutputFiles() {
  if (output_ < 0) return;
  direct_standard_output(output_);
  ::close(output_);
}

void complete_before_stopping(const std::function<void()>& writer) {
  int signal = 0;
  {
    const StopSignals signals(
        "\nregard: stopping as soon as all is written; a second signal ends the program at once\n");
    writer();
    signal = StopSignals::received();
  }
  if (signal == 0) return;
  std::fflush(stdout);
  std::raise(signal);
}

void OutputFiles::write(const std::function<void()>& writer) const {
  complete_before_stopping([&] {
    if (output_ >= 0) direct_standard_output(output_);  // so that /dev/stdout leads there
    writer();
    if (output_ >= 0) direct_standard_output(STDERR_FILENO);
  });
}

void OutputFiles::write(std::vector<NewFile> files) const {
  std::erase_if(files, [](const NewFile& file) { return file.path.empty(); });
  write([&] { write_files(files); });
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  if (output_is_closed()) throw std::system_error(EPIPE, std::generic_category());
  fail("cannot write to standard output: {}", errno == 0 ? "it was cut short" : std::strerror(errno));
}

void report(std::string_view message) {
  const auto print = [&] { std::fwrite(message.data(), 1, message.size(), stdout); };
  print();
  if (std::fflush(stdout) == 0) return;
  if (!output_is_closed()) return print();  // flush_output() tries again, and tells the reason if that fails
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  direct_standard_output(nowhere);
  ::close(nowhere);
  std::clearerr(stdout);
}

/// The program would read its own output. With more lines than it reads at a time, it would never end.
LineReader::LineReader() {
  if (translation::same_file("/dev/stdin", "/dev/stdout") && std::filesystem::is_regular_file("/dev/stdin"))
    fail("standard input and standard output are the same file; write the output into another file");
}

std::vector<std::string> LineReader::read(std::size_t most) {
  std::vector<std::string> lines;
  const auto would_wait = [] {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    return ::poll(&input, 1, 0) == 0;
  };
  for (std::size_t searched = begin_; lines.size() < most;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      lines.push_back(buffer_.substr(begin_, end - begin_));
      searched = begin_ = end + 1;
    } else if (ended_) {
      if (begin_ < buffer_.size()) lines.push_back(buffer_.substr(std::exchange(begin_, buffer_.size())));
      break;
    } else if (!lines.empty() && would_wait()) {
      break;
    } else {
      buffer_.erase(0, std::exchange(begin_, 0));
      searched = buffer_.size();
      read_more();
    }
  }
  return lines;
}

/// A compressed text is read as a whole, because its lines are not known before.
void LineReader::read_compressed() {
  while (!ended_) read_block();
  buffer_ = translation::decompressed(std::move(buffer_), "standard input");
}

void LineReader::read_more() {
  const bool at_beginning = std::exchange(at_beginning_, false);
  read_block();
  if (!at_beginning) return;
  while (!ended_ && buffer_ == "\x1F") read_block();  // a pipe may give the two bytes one by one
  if (buffer_.starts_with("\x1F\x8B")) read_compressed();
}

void LineReader::read_block() {
  constexpr std::size_t block = 1 << 16;
  const std::size_t end = buffer_.size();
  buffer_.resize(end + block);
  const ssize_t size = ::read(STDIN_FILENO, buffer_.data() + end, block);
  if (size < 0) fail("cannot read standard input: {}", std::strerror(errno));
  ended_ = size == 0;
  buffer_.resize(end + to_size(size));
}

}  // namespace regard::program
