#include "apps/regard/model_failures.h"

#include <new>

#include "autograd/error.h"

namespace regard::program {

void fail_not_finite(const std::string& weights) {
  fail(
      "the model computed NaN or infinity for this text with the weights of {}; its training diverged, so "
      "train it "
      "again",
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
