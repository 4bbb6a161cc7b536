// A library to be loaded before a program: the allocation with the number REGARD_FAILING_NEW fails. It counts
// from the first one of the program itself, after those of the other libraries.
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> left = 0;

[[gnu::constructor]] void begin_to_count() {
  if (const char* const number = std::getenv("REGARD_FAILING_NEW")) left = std::atol(number);
}

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = --left == 0 ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
