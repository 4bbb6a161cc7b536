// Subword models, as far as regard takes them apart itself: what is accepted begins with the special pieces
// and has none that breaks a line, and damage is noticed once there is a checksum.
#include "apps/translation/subwords/subword_pieces.h"
#include "apps/translation/text/vocabulary.h"
#include "tests/fuzz/fuzz.h"

using namespace regard;
using namespace regard::translation;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::allow_errors([&] {
    const SubwordPieces pieces = read_subword_pieces(bytes, "fuzzed");
    fuzz::require(pieces.entries.size() >= special::count);
    fuzz::require(pieces.entries[special::unknown].text == "<unk>");
    for (const SubwordPiece& piece : pieces.entries)
      fuzz::require(!piece.text.empty() && piece.text.find_first_of("\n\r") == std::string::npos);
    if (pieces.has_checksum) return;
    std::string checked = with_checksum(std::string(bytes));
    fuzz::require(read_subword_pieces(checked, "checked").has_checksum);
    checked[size / 2] = static_cast<char>(checked[size / 2] ^ 1);
    bool noticed = false;
    try {
      read_subword_pieces(checked, "changed");
    } catch (const Error&) {
      noticed = true;
    }
    fuzz::require(noticed);
  });
  return 0;
}
