// Subword models, as far as regard takes them apart itself: a damaged one is refused or used.
#include "apps/subwords/sentencepiece_file.h"
#include "tests/fuzz/fuzz.h"

using namespace regard;
using namespace regard::translation;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::allow_errors([&] { check_file(fuzz::text_of(data, size), "fuzzed"); });
  return 0;
}
