#include "transformer/decoder.h"

#include <numeric>
#include <utility>

#include "autograd/error.h"
#include "autograd/graph.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

DecodingState::DecodingState(Index sources) : sources_(to_size(sources)) {
  std::iota(sources_.begin(), sources_.end(), Index{0});
}

Tensor DecodingState::advance(const std::vector<Continuation>& continuations) {
  const Span span("DecodingState::advance", Span::Kind::other);  // its own time: the caches
  const NoGrad no_grad;
  std::vector<Index> sources;
  for (const Continuation& continuation : continuations) {
    if (continuation.parent < 0 || continuation.parent >= to_index(sources_.size()))
      fail("decoding: there is no hypothesis {} to continue, only {}", continuation.parent, sources_.size());
    const Index source = sources_[to_size(continuation.parent)];
    if (!sources.empty() && source < sources.back())
      fail("decoding: sentence {} comes after sentence {}; give continuations in the order of sentences",
           source, sources.back());
    sources.push_back(source);
  }
  Tensor output = step(continuations, sources);
  sources_ = std::move(sources);
  return output;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
