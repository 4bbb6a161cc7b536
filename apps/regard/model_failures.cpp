#include "apps/regard/model_failures.h"

#include <new>

#include "autograd/error.h"

namespace regard::program {

void fail_astray(const std::string& weights) {
  fail("what {} makes of this text is no longer a number: its training went astray; train it anew", weights);
}

void run_model(const std::string& weights, const char* remedy, const std::function<void()>& work) {
  try {
    return work();
  } catch (const NotFinite&) {
    fail_astray(weights);
  } catch (const OutOfMemory&) {  // of tensors, and below of anything else
  } catch (const std::bad_alloc&) {
  }
  fail("out of memory; try {}", remedy);
}

}  // namespace regard::program
