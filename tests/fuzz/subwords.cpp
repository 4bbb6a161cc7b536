// Subword models, as far as regard takes them apart itself: a damaged one is refused or gets a checksum, and
// damage is noticed once there is one.
#include "apps/translation/subwords/subwords.h"

#include "tests/fuzz/fuzz.h"

using namespace regard;
using namespace regard::translation;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::allow_errors([&] {
    const std::string checked = with_checksum(std::string(fuzz::text_of(data, size)));
    fuzz::require(with_checksum(checked) == checked);
  });
  return 0;
}
