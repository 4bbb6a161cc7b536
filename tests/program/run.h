#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "tests/apps/support.h"

namespace regard::tests {

/// What a run of the program came to.
struct Outcome {
  int code;  ///< its exit code; 128 + N if signal N ended it
  std::string out, err;
};

struct Circumstances {
  std::string input = {};            ///< what it reads from standard input
  std::string input_path = {};       ///< or where that comes from
  std::string output_path = {};      ///< where standard output goes instead of into Outcome::out
  std::string error_path = {};       ///< the same for standard error
  bool closed = false;               ///< all three are closed, as daemons are started by some
  rlim_t file_size = RLIM_INFINITY;  ///< the largest file that it may write, in bytes
  rlim_t addresses = RLIM_INFINITY;  ///< the most memory that it may ask for, in bytes
};

/// Runs `regard ARGUMENTS…` as a user does and waits for its end.
Outcome run(const std::vector<std::string>& arguments, const Circumstances& circumstances = {});

struct Terminal {
  std::string typed = {};        ///< by the person who sits there
  std::string output_path = {};  ///< where standard output goes instead of to the terminal
  unsigned short columns = 80;
  std::function<bool()> closed_when = {};  ///< as soon as this is so, the terminal is closed
};

/// Runs it on a terminal. Everything that it writes there is in Outcome::out.
Outcome run_in_terminal(const std::vector<std::string>& arguments, const Terminal& terminal = {});

/// A run that goes on while the test does something else. What it writes goes into files.
class Running {
 public:
  explicit Running(const std::vector<std::string>& arguments);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();  ///< kills it if it still runs

  void send(int signal) const;
  bool ended();
  /// Waits for its end.
  Outcome wait();

 private:
  TemporaryDirectory directory_;
  int process_;
  std::optional<int> code_;
};

/// Runs it on a pipe through which `said` comes piece by piece, each only after one more line of output has
/// been read than before. Gives up on a line that does not come within a minute, and sends no more.
Outcome run_in_turns(const std::vector<std::string>& arguments, const std::vector<std::string>& said);

/// The sentence by which a run was refused, without "regard: ". Starts with "(not refused" if the exit code
/// is not 1 or standard error holds anything else than that one line.
std::string refusal(const Outcome& outcome);

std::vector<std::string> lines(const std::string& text);

/// Where two texts differ first, by line; empty if nowhere.
std::string difference(const std::string& got, const std::string& expected);

/// All files below a directory with their contents.
std::map<std::string, std::string> files_below(const std::string& directory);

/// Address limits are of no use where every address has a shadow.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool can_limit_addresses = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool can_limit_addresses = false;
#else
inline constexpr bool can_limit_addresses = true;
#endif
#else
inline constexpr bool can_limit_addresses = true;
#endif

}  // namespace regard::tests

/// Checks that a run was refused with one sentence that contains a text.
#define CHECK_REFUSED(outcome, text) CHECK_THAT(regard::tests::refusal(outcome), ContainsSubstring(text))
