#include "apps/regard/streams/output_file.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/regard/stop_signals.h"
#include "apps/translation/files/files.h"

namespace regard::program {

namespace {

/// Text that is printed from now on goes where the descriptor goes.
void direct_standard_output(int descriptor) {
  std::fflush(stdout);
  ::dup2(descriptor, STDOUT_FILENO);
}

/// True if standard output goes to this path, and the path is no terminal or other device: on a terminal,
/// messages and output may stand together.
bool is_standard_output(const std::string& path) {
  struct stat status {};
  return !path.empty() && nn::standard_stream(path) == STDOUT_FILENO &&
         ::fstat(STDOUT_FILENO, &status) == 0 && !S_ISCHR(status.st_mode);
}

/// Sends messages to standard error, or nowhere if standard error goes to the same file.
void send_messages_elsewhere() {
  struct stat output {};
  struct stat error {};
  ::fstat(STDOUT_FILENO, &output);
  const bool other =
      ::fstat(STDERR_FILENO, &error) != 0 || output.st_dev != error.st_dev || output.st_ino != error.st_ino;
  if (other) return direct_standard_output(STDERR_FILENO);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  direct_standard_output(nowhere);
  ::close(nowhere);
}

}  // namespace

OutputFile::OutputFile(const char* option, const std::string& path, std::span<const std::string> inputs)
    : path_(path) {
  translation::check_output(option, path, inputs);
  if (!is_standard_output(path)) return;
  output_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  send_messages_elsewhere();
}

OutputFile::~OutputFile() {
  if (output_ < 0) return;
  direct_standard_output(output_);
  ::close(output_);
}

void OutputFile::write(const std::function<void(const std::string& path)>& writer) const {
  if (path_.empty()) return;
  int signal = 0;
  {
    const StopSignals signals(
        "\nregard: stopping as soon as the file is written; a second signal ends the program at once\n");
    if (output_ >= 0) direct_standard_output(output_);  // so that write_file knows it as a stream
    writer(path_);
    if (output_ >= 0) send_messages_elsewhere();
    signal = StopSignals::received();
  }
  if (signal == 0) return;
  std::fflush(stdout);
  std::raise(signal);
}

void OutputFile::write(std::string_view text) const {
  write([&](const std::string& path) { translation::write_file(path, text); });
}

}  // namespace regard::program
