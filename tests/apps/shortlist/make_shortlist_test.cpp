// How shortlists are made, and their recall.
#include "apps/shortlist/make_shortlist.h"

#include <memory>
#include <string>

#include "apps/shortlist/recall.h"
#include "autograd/machine/parallel.h"
#include "nn/attention_module.h"
#include "tests/apps/training/small_training.h"

using namespace regard::translation;
using namespace regard::tests;
using namespace regard::transformer;
using regard::Index;
using regard::Tensor;
using regard::to_size;

namespace {

using Ids = std::vector<std::int32_t>;

/// A memory of zeros.
class NoEncoder : public Encoder {
 public:
  Memory encode(const Source& source) override {
    return {.rows = Tensor::zeros({source.tokens(), 2}), .offsets = source.offsets};
  }
  Index width() const override { return 2; }
  void visit(regard::nn::Visitor&) override {}
};

class OneHead : public regard::nn::AttentionModule {
 public:
  Index heads() const override { return 1; }
  bool reads_memory() const override { return true; }
  void visit(regard::nn::Visitor&) override {}
};

/// In step i it looks with 0.75 at source position i and with 0.25 at the next, counted round and round with
/// </s>.
class LookingDecoder : public Decoder {
 public:
  Tensor decode(const PackedSequences& target, const Memory& memory) override {
    regard::nn::AttentionWeights weights;
    for (Index i = 0; i < target.sentences(); ++i) {
      const Index sources = memory.offsets[to_size(i) + 1] - memory.offsets[to_size(i)];
      weights.push_back(Tensor::zeros({1, target.length(i), sources}));
      for (Index step = 0; step < target.length(i); ++step) {
        weights.back().data()[step * sources + step % sources] = 0.75f;
        weights.back().data()[step * sources + (step + 1) % sources] = 0.25f;
      }
    }
    attention_.record(weights);
    return Tensor::zeros({target.tokens(), 2});
  }
  std::unique_ptr<DecodingState> begin(const Memory&) override { regard::fail("there is no search"); }
  Index width() const override { return 2; }
  Index memory_width() const override { return 2; }
  void visit(regard::nn::Visitor& visitor) override { visitor("attention", attention_); }

 private:
  OneHead attention_;
};

EncoderDecoder looking_model() {
  return {std::make_unique<NoEncoder>(), std::make_unique<LookingDecoder>(), Tensor::zeros({12, 2})};
}

}  // namespace

TEST_CASE("the recall is the share of the target tokens that may come", "[shortlist]") {
  const Shortlist list{{7, 5}, {{}, {}, {}, {}, {9, 8}, {8, 4, 4}, {}}};
  ParallelCorpus corpus;
  corpus.source = {{6}, {4, 6}};
  corpus.target = {{5, 4, 7}, {9, 9, 10}};
  const ShortlistRecall found = recall(list, corpus);
  CHECK(found.held == 4);  // not 4 and 10
  CHECK(found.tokens == 6);
  CHECK(found.mean_list() == 7);  // 6 and 8
}

TEST_CASE("a shortlist has the tokens with the greatest attention", "[shortlist]") {
  EncoderDecoder model = looking_model();
  TokenCounts source_words;
  for (const char* const word : {"w1", "w0", "x"}) source_words.add(word);
  const Vocabularies both{Vocabulary::from_counts(source_words), numbered_words(8)};
  ParallelCorpus corpus;
  corpus.source = {{4, 5}, {5}, {4}};
  corpus.target = {{6, 7, 6}, {8}, {9}};
  // Token 4: 6 with 0.75 + 0.25 (in the third step it is the token after </s>), and 9 with 0.75.
  // Token 5: 7 with 0.75, 8 with 0.75, and 6 with 0.25. Its text is that of the target's token 4, and token 4
  // has the text of token 5. The most frequent of all: 6, then 7, 8 and 9, which come once.
  const auto list = [&](Index first, Index best) {
    const Shortlist made = make_shortlist(model, both, corpus, {first, best});
    return std::vector<Ids>{made.tokens(Ids{4}), made.tokens(Ids{5}), made.tokens(Ids{6})};
  };
  CHECK(list(0, 0) == std::vector<Ids>{{0, 1, 2, 3, 5}, {0, 1, 2, 3, 4}, {0, 1, 2, 3}});
  CHECK(list(0, 1) == std::vector<Ids>{{0, 1, 2, 3, 5, 6}, {0, 1, 2, 3, 4, 7}, {0, 1, 2, 3}});
  CHECK(list(0, 2) == std::vector<Ids>{{0, 1, 2, 3, 5, 6, 9}, {0, 1, 2, 3, 4, 7, 8}, {0, 1, 2, 3}});
  CHECK(list(0, 9) == std::vector<Ids>{{0, 1, 2, 3, 5, 6, 9}, {0, 1, 2, 3, 4, 6, 7, 8}, {0, 1, 2, 3}});
  CHECK(list(1, 0) == std::vector<Ids>{{0, 1, 2, 3, 5, 6}, {0, 1, 2, 3, 4, 6}, {0, 1, 2, 3, 6}});
  CHECK(list(2, 0).back() == Ids{0, 1, 2, 3, 6, 7});
  CHECK(list(9, 0).back() == Ids{0, 1, 2, 3, 6, 7, 8, 9});
  CHECK_ERROR(make_shortlist(model, both, corpus, {-1, 0}), "give at least 0");
}

TEST_CASE("a shortlist does not depend on the number of threads", "[shortlist]") {
  const SmallTraining training;
  EncoderDecoder model = training.model();
  model.eval();
  const TemporaryDirectory directory;
  const int before = regard::threads();
  for (const int threads : {1, 3}) {
    regard::set_threads(threads);
    make_shortlist(model, training.data.vocabularies, training.data.training, {2, 3})
        .save(directory / std::to_string(threads), training.data.vocabularies);
  }
  regard::set_threads(before);
  CHECK(content(directory / "1") == content(directory / "3"));
}
