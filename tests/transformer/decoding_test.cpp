// Decoding with caches gives what the whole decoder gives, however hypotheses are fed, mixed and dropped.
#include <algorithm>

#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"
#include "transformer/decoder.h"

using namespace regard;
using namespace regard::tests;

namespace {

EncoderDecoder model_with(Norm norm, std::uint64_t seed) {
  Config config = small_config();
  config.norm = norm;
  EncoderDecoder model = make_model(config, seed);
  model.eval();
  return model;
}

/// The decoder's output for the last `count` of the tokens read so far, computed all at once.
Tensor full(EncoderDecoder& model, const Ids& source, const Ids& tokens, std::size_t count) {
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

const std::vector<Norm> norms{Norm::post, Norm::pre};

}  // namespace

TEST_CASE("token by token is all at once") {
  for (const Norm norm : norms) {
    EncoderDecoder model = model_with(norm, 1);
    Checked decoder(model, random_sentences({3, 6, 0, 2}, 11, 2));
    Random random(3);
    decoder.advance({{0, {1}}, {1, {1}}, {2, {1}}, {3, {1}}});
    for (int step = 0; step < 12; ++step) {
      std::vector<Continuation> continuations;
      for (Index i = 0; i < 4; ++i) continuations.push_back({i, random_sentence(1, 11, random)});
      decoder.advance(continuations);
    }
    CHECK(decoder.worst() < 1e-12);
    CHECK(decoder.compared() == 4 * 13 * 8);
  }
}

TEST_CASE("in chunks of different lengths") {
  for (const Norm norm : norms) {
    EncoderDecoder model = model_with(norm, 4);
    Checked decoder(model, random_sentences({5, 2}, 11, 5));
    decoder.advance({{0, {1, 4, 5, 6}}, {1, {1}}});
    decoder.advance({{0, {7}}, {1, {8, 9, 10}}});
    decoder.advance({{0, {4, 4, 10, 5, 6}}, {1, {7, 7}}});
    CHECK(decoder.worst() < 1e-12);
  }
}

TEST_CASE("hypotheses are continued twice, reordered and dropped, and sentences end") {
  for (const Norm norm : norms) {
    for (std::uint64_t seed = 10; seed < 15; ++seed) {
      EncoderDecoder model = model_with(norm, seed);
      Checked decoder(model, random_sentences({4, 1, 7}, 11, seed));
      Random random(seed);
      decoder.advance({{0, {1}}, {1, {1, 5}}, {2, {1}}});
      for (int step = 0; step < 25; ++step) {
        auto continuations = decoder.random_continuations(4, 3, random);
        if (step == 10 || step == 20) decoder.drop_sentence(continuations, random);
        decoder.advance(continuations);
      }
      CHECK(decoder.worst() < 1e-12);
    }
  }
}

TEST_CASE("a hypothesis may wait, and a sentence may be dropped at the start") {
  EncoderDecoder model = model_with(Norm::post, 20);
  Checked decoder(model, random_sentences({4, 3, 2}, 11, 21));
  decoder.advance({{1, {1, 4}}, {2, {1}}});
  decoder.advance({{0, {}}, {1, {5, 6}}});
  decoder.advance({{0, {7}}, {0, {8}}, {1, {}}});
  decoder.advance({{0, {9}}, {1, {4}}, {2, {10}}});
  CHECK(decoder.worst() < 1e-12);
}

TEST_CASE("cache rows that nobody uses are dropped, and the others still hold the right numbers") {
  EncoderDecoder model = model_with(Norm::post, 22);
  // 20 hypotheses and 60 steps: 1,200 rows of 2 layers, 16 numbers each, if all are kept.
  constexpr std::size_t all_rows = 1200 * 2 * 16 * sizeof(Real);
  const auto growth = [&](bool one_parent) {
    Checked decoder(model, random_sentences({5}, 11, 23));
    const std::size_t before = memory_statistics().in_use;
    Random random(24);
    for (int step = 0; step < 60; ++step) {
      const auto survivor = to_index(random.below(decoder.hypotheses()));
      std::vector<Continuation> continuations;
      for (Index i = 0; i < 20; ++i)
        continuations.push_back({step == 0 ? 0 : one_parent ? survivor : i, random_sentence(1, 11, random)});
      decoder.advance(continuations);
    }
    CHECK(decoder.worst() < 1e-12);
    CHECK(decoder.length() == 60);
    return memory_statistics().in_use - before;
  };
  CHECK(growth(true) < all_rows / 2);
  CHECK(growth(false) >= all_rows);
}

TEST_CASE("rows are dropped while several sentences go on") {
  EncoderDecoder model = model_with(Norm::pre, 25);
  Checked decoder(model, random_sentences({3, 5, 2, 4}, 11, 26));
  Random random(27);
  for (int step = 0; step < 45; ++step) {
    auto continuations = decoder.random_continuations(6, 2, random);
    if (step % 15 == 14) decoder.drop_sentence(continuations, random);
    decoder.advance(continuations);
  }
  CHECK(decoder.worst() < 1e-12);
}

TEST_CASE("what cannot be continued is refused, and the decoder goes on from where it was") {
  EncoderDecoder model = model_with(Norm::post, 28);
  const std::vector<Ids> sources = random_sentences({4, 3}, 11, 29);
  const std::unique_ptr<DecodingState> decoder = model.begin(pack_sources(sources));
  decoder->advance({{0, {1}}, {1, {1}}, {1, {1}}});
  CHECK_THAT(MESSAGE_OF(decoder->advance({{0, {4}}, {3, {4}}})),
             ContainsSubstring("there is no hypothesis 3 to continue, only 3"));
  CHECK_THAT(MESSAGE_OF(decoder->advance({{-1, {4}}})), ContainsSubstring("there is no hypothesis -1"));
  CHECK_THAT(MESSAGE_OF(decoder->advance({{2, {4}}, {0, {4}}})),
             ContainsSubstring("sentence 0 comes after sentence 1"));
  const Tensor got = decoder->advance({{0, {4}}, {2, {5}}, {1, {6}}});
  CHECK(error(got, concat({full(model, sources[0], {1, 4}, 1), full(model, sources[1], {1, 5}, 1),
                           full(model, sources[1], {1, 6}, 1)},
                          0)) < 1e-12);
  CHECK(error(rows(got, 0, 1), full(model, sources[0], {1, 5}, 1)) > 1e-3);
}
