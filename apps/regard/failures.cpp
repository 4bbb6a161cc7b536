#include "apps/regard/failures.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <unistd.h>

#include "autograd/error.h"

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

void complain_of_exception(const char* beginning) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    complain(beginning, error.what());
  } catch (const std::bad_alloc&) {
    complain(beginning, "out of memory; try a smaller corpus, smaller batches or a smaller model");
  } catch (const std::filesystem::filesystem_error& error) {
    complain(beginning, (error.path1().string() + ": " + error.code().message()).c_str());
  } catch (const std::system_error& error) {  // from fmt::print
    complain(beginning, ("cannot write to standard output: " + error.code().message()).c_str());
  } catch (const std::exception& error) {
    complain(beginning, (std::string("unexpected error: ") + error.what()).c_str());
  } catch (...) {
    complain(beginning, "unexpected error");
  }
}

}  // namespace regard::program
