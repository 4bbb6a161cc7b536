#include "transformer/batch.h"

#include "autograd/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

std::vector<std::int32_t> positions(const PackedSequences& sequences) {
  std::vector<std::int32_t> result;
  result.reserve(sequences.ids.size());
  for (Index sentence = 0; sentence < sequences.sentences(); ++sentence)
    for (Index position = 0; position < sequences.length(sentence); ++position)
      result.push_back(static_cast<std::int32_t>(position));
  if (result.size() != sequences.ids.size())
    fail("a packed batch has {} tokens, but its offsets cover {}", sequences.ids.size(), result.size());
  return result;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
