#pragma once

// Decoding step by step, checked against the decoder that computes everything at once.

#include <algorithm>
#include <memory>

#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"
#include "transformer/encoder_decoder.h"

namespace regard::tests {

/// The decoder's output for the last `count` of the tokens read so far, computed all at once.
inline Tensor full(EncoderDecoder& model, const Ids& source, const Ids& tokens, std::size_t count) {
  PackedSequences target;
  target.append(tokens);
  const PackedSequences packed = pack_sources({source});
  const Tensor all = model.decode(target, model.encode(packed));
  return rows(all, all.size(0) - to_index(count), all.size(0));
}

/// A decoder with a record of what each of its hypotheses has read, which checks every output.
class Checked {
 public:
  Checked(EncoderDecoder& model, const std::vector<Ids>& sources)
      : model_(model), sources_(sources), decoder_(model.begin(pack_sources(sources))) {
    for (std::size_t i = 0; i < sources.size(); ++i) hypotheses_.push_back({i, {}});
  }

  void advance(const std::vector<Continuation>& continuations) {
    std::vector<Hypothesis> next;
    for (const Continuation& continuation : continuations) {
      next.push_back(hypotheses_.at(to_size(continuation.parent)));
      next.back().tokens = enclosed(next.back().tokens, continuation.tokens, {});
    }
    hypotheses_ = next;
    const Tensor got = decoder_->advance(continuations);
    std::vector<Tensor> expected;
    for (std::size_t i = 0; i < continuations.size(); ++i)
      expected.push_back(full(model_, sources_[hypotheses_[i].sentence], hypotheses_[i].tokens,
                              continuations[i].tokens.size()));
    worst_ = std::max(worst_, error(got, concat(expected, 0)));
    compared_ += got.size();
    CHECK_FALSE(got.requires_grad());
  }

  /// Some continuations of what is live: of each sentence up to `most`, with up to `longest` tokens each.
  std::vector<Continuation> random_continuations(std::uint64_t most, std::uint64_t longest,
                                                 Random& random) const {
    std::vector<Continuation> result;
    for (std::size_t begin = 0, end = 0; begin < hypotheses_.size(); begin = end) {
      while (end < hypotheses_.size() && hypotheses_[end].sentence == hypotheses_[begin].sentence) ++end;
      const std::uint64_t count = 1 + random.below(most);
      for (std::uint64_t i = 0; i < count; ++i)
        result.push_back({to_index(begin + random.below(end - begin)),
                          random_sentence(1 + random.below(longest), 11, random)});
    }
    return result;
  }

  /// The same without one of the sentences that are left.
  void drop_sentence(std::vector<Continuation>& continuations, Random& random) const {
    const auto sentence_of = [&](const Continuation& c) { return hypotheses_[to_size(c.parent)].sentence; };
    const std::size_t dropped = sentence_of(continuations[random.below(continuations.size())]);
    if (std::ranges::all_of(continuations, [&](const auto& c) { return sentence_of(c) == dropped; })) return;
    std::erase_if(continuations, [&](const Continuation& c) { return sentence_of(c) == dropped; });
  }

  double worst() const { return worst_; }
  Index compared() const { return compared_; }
  std::size_t hypotheses() const { return hypotheses_.size(); }
  std::size_t length() const { return hypotheses_.front().tokens.size(); }

 private:
  struct Hypothesis {
    std::size_t sentence;
    Ids tokens;
  };
  EncoderDecoder& model_;
  std::vector<Ids> sources_;
  std::unique_ptr<DecodingState> decoder_;
  std::vector<Hypothesis> hypotheses_;
  double worst_ = 0;
  Index compared_ = 0;
};

}  // namespace regard::tests
