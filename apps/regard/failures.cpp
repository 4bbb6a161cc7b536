#include "apps/regard/failures.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/ranges.h>
#include <new>
#include <string>
#include <system_error>
#include <unistd.h>

#include "apps/translation/files/utf8.h"
#include "apps/translation/files/warning.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

/// No relative path can be opened then, and the system calls every such file missing.
bool current_directory_was_deleted() {
  std::array<char, 1> too_short;
  return ::getcwd(too_short.data(), too_short.size()) == nullptr && errno == ENOENT;
}

void complain(const char* beginning,
              const char* sentence) {  // not std::string: there may be no memory for one
  std::fflush(stdout);
  std::fprintf(
      stderr, "%s%s%s\n", beginning, sentence,
      current_directory_was_deleted() ? "; the current directory was deleted, so change to another one" : "");
}

}  // namespace

int complain_of_exception(const char* beginning) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    complain(beginning, error.what());
  } catch (const std::bad_alloc&) {
    complain(beginning, "out of memory; try a smaller corpus, smaller batches or a smaller model");
  } catch (const std::filesystem::filesystem_error& error) {
    complain(beginning, (error.path1().string() + ": " + error.code().message()).c_str());
  } catch (const std::system_error& error) {  // from fmt::print or flush_output()
    if (error.code() == std::errc::broken_pipe) return 128 + SIGPIPE;
    complain(beginning, ("cannot write to standard output: " + error.code().message()).c_str());
  } catch (const std::exception& error) {
    complain(beginning, (std::string("unexpected error: ") + error.what()).c_str());
  } catch (...) {
    complain(beginning, "unexpected error");
  }
  return EXIT_FAILURE;
}

void warn_of_unknown_words(std::string_view place, const std::vector<std::string>& words) {
  if (words.empty()) return;
  std::vector<std::string> all;
  for (const std::string& word : words) all.push_back(translation::printable(word));
  translation::remark("{}: not in the vocabulary, read as <unk>: {}", place, fmt::join(all, " "));
}

void warn_of_cut_off(Index sentences) {
  if (sentences == 0) return;
  translation::remark(
      "the translation of {} sentence{} reached its greatest length, so its end may be missing; the options "
      "--max-length, --max-length-ratio and --max-length-constant set this limit",
      sentences, sentences == 1 ? "" : "s");
}

void fail_not_finite(const std::string& weights) {
  fail(
      "the model computed NaN or infinity for this text with the weights of {}; its training diverged, so "
      "train it again",
      weights);
}

void run_model(const std::string& weights, const char* remedy, const std::function<void()>& work) {
  try {
    return work();
  } catch (const NotFinite&) {
    fail_not_finite(weights);
  } catch (const OutOfMemory&) {  // memory of tensors; bad_alloc is any other memory
  } catch (const std::bad_alloc&) {
  }
  fail("out of memory; try {}", remedy);
}

}  // namespace regard::program
