#include <csignal>
#include <cstdio>
#include <new>

#include "apps/regard/command_line.h"
#include "apps/regard/environment.h"
#include "autograd/error.h"

int main(int argc, char** argv) {
  regard::program::limit_spinning(argv);
  std::signal(SIGXFSZ,
              SIG_IGN);  // a file-size limit is then an error of the write, reported like a full disk
  try {
    return regard::program::run_command_line(argc, argv);
  } catch (const regard::Error& error) {
    std::fprintf(stderr, "regard: %s\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "regard: out of memory; try smaller batches or a smaller model\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "regard: unexpected error: %s\n", error.what());
  }
  return 1;
}
