// Alignments of a model whose attention is known: its decoder computes nothing and reports given weights.
#include "apps/translation/translator/alignment.h"

#include <algorithm>
#include <memory>

#include "apps/translation/translator/translator.h"
#include "autograd/machine/error.h"
#include "tests/apps/training/small_training.h"

using namespace regard::translation;
using namespace regard::transformer;
using regard::Index;
using regard::Real;
using regard::Tensor;
using regard::to_index;
using regard::to_size;
using regard::nn::AttentionWeights;
using regard::tests::SmallTraining;

namespace {

constexpr Index known_width = 2;

/// A memory of zeros with this number of rows per source token.
class ZeroEncoder : public Encoder {
 public:
  explicit ZeroEncoder(Index rows_per_token) : rows_per_token_(rows_per_token) {}

  Memory encode(const Source& source) override {
    Memory memory{.rows = Tensor::zeros({rows_per_token_ * source.tokens(), known_width}),
                  .offsets = source.offsets};
    for (Index& offset : memory.offsets) offset *= rows_per_token_;
    return memory;
  }
  Index width() const override { return known_width; }
  void visit(regard::nn::Visitor&) override {}

 private:
  Index rows_per_token_;
};

/// In its last layer, target token i looks most at source position i, counted round and round. Only the mean
/// of the two heads says so: the first head looks more at the position after it. The first layer looks at
/// position 0 alone.
AttentionWeights known_layer(Index layer, const PackedSequences& target, const Memory& memory) {
  AttentionWeights result;
  for (Index i = 0; i < target.sentences(); ++i) {
    const Index targets = target.length(i),
                sources = memory.offsets[to_size(i) + 1] - memory.offsets[to_size(i)];
    Tensor weights = Tensor::zeros({2, targets, sources});
    const auto add = [&](Index head, Index row, Index column, float weight) {
      weights.data()[(head * targets + row) * sources + column % sources] += weight;
    };
    for (Index row = 0; row < targets; ++row) {
      add(0, row, layer == 0 ? 0 : row + 1, 0.6f);
      add(0, row, layer == 0 ? 0 : row, 0.4f);
      add(1, row, layer == 0 ? 0 : row, 0.9f);
      add(1, row, layer == 0 ? 0 : row + 2, 0.1f);
    }
    result.push_back(weights);
  }
  return result;
}

class KnownAttention : public regard::nn::AttentionModule {
 public:
  Index heads() const override { return 2; }
  bool reads_memory() const override { return true; }
  void visit(regard::nn::Visitor&) override {}
};

class KnownDecoder : public Decoder {
 public:
  explicit KnownDecoder(Index layers) : layers_(to_size(layers)) {}

  Tensor decode(const PackedSequences& target, const Memory& memory) override {
    for (std::size_t layer = 0; layer < layers_.size(); ++layer)
      layers_[layer].record(known_layer(to_index(layer), target, memory));
    return Tensor::zeros({target.tokens(), known_width});
  }
  std::unique_ptr<DecodingState> begin(const Memory&) override { regard::fail("there is no search"); }
  Index width() const override { return known_width; }
  Index memory_width() const override { return known_width; }
  void visit(regard::nn::Visitor& visitor) override { visitor("layers", layers_); }

 private:
  std::vector<KnownAttention> layers_;
};

EncoderDecoder known_model(Index layers = 2, Index rows_per_token = 1) {
  return {std::make_unique<ZeroEncoder>(rows_per_token), std::make_unique<KnownDecoder>(layers),
          Tensor::zeros({12, known_width})};
}

}  // namespace

TEST_CASE("a target token is linked to the source token with the largest weight", "[alignment]") {
  const Tensor weights = Tensor::from({4, 3}, {0.1f, 0.8f, 0.1f,    // y0 looks at x1
                                               0.3f, 0.3f, 0.4f,    // y1 looks at </s>
                                               0.4f, 0.4f, 0.2f,    // y2: the first of two equal weights
                                               1.0f, 0.0f, 0.0f});  // </s> gets no link
  CHECK(strongest_links(weights) == Alignment{{1, 0}, {0, 2}});
  CHECK(strongest_links(Tensor::from({1, 1}, {1.0f})).empty());
}

TEST_CASE("alignments come from the mean over the heads of the last layer", "[alignment]") {
  EncoderDecoder model = known_model();
  ParallelCorpus corpus;
  corpus.source = {{4, 5, 6}, {4}, {}, {4, 5, 6, 7, 8}};
  corpus.target = {{4, 4, 4, 4, 4}, {4, 4, 4}, {4}, {4, 4}};
  const std::vector<Alignment> found = align_all(model, corpus);
  REQUIRE(found.size() == 4);
  // Target token 3 looks at </s>, which is source position 3, and target token 4 at position 0 again.
  CHECK(alignment_text(found[0]) == "0-0 1-1 2-2 0-4");
  CHECK(alignment_text(found[1]) == "0-0 0-2");
  CHECK(alignment_text(found[2]).empty());
  CHECK(alignment_text(found[3]) == "0-0 1-1");
  CHECK(align_all(model, {}).empty());
}

TEST_CASE("a translator aligns each translation of each sentence", "[alignment]") {
  const SmallTraining training;
  Translator translator(
      TranslationModel{training.settings, training.data.vocabularies, make_tokeniser("word"), known_model()});
  const std::vector<Translator::Result> results = {
      {translator.read("w1 w2"), {{.text = "w0", .ids = {4}}, {.text = "w0 w1 w2", .ids = {4, 5, 6}}}},
      {translator.read(""), {{.text = ""}}},
      {translator.read("w3 w4 w5"), {{.text = "w1 w1", .ids = {5, 5}}}}};
  const auto found = translator.alignments(results);
  REQUIRE(found.size() == 3);
  CHECK(found[0] == std::vector<Alignment>{{{0, 0}}, {{0, 0}, {1, 1}}});
  CHECK(found[1] == std::vector<Alignment>{{}});
  CHECK(found[2] == std::vector<Alignment>{{{0, 0}, {1, 1}}});
}

TEST_CASE("a model without attention to source tokens has no alignments", "[alignment]") {
  ParallelCorpus corpus;
  corpus.source = {{4, 5}};
  corpus.target = {{4}};
  EncoderDecoder without = known_model(0), two_rows_per_token = known_model(2, 2);
  CHECK_ERROR(align_all(without, corpus), "this model has no attention to the source");
  CHECK_ERROR(align_all(two_rows_per_token, corpus), "does not look at single source tokens");
}

TEST_CASE("alignments and heat map show the same attention", "[alignment]") {
  const SmallTraining training;
  Translator translator(TranslationModel{training.settings, training.data.vocabularies,
                                         make_tokeniser("word"), training.model()});
  translator.model().model.eval();
  for (const std::string sentence : {"w1", "w1 w2", "w3 w4 w5 w6", "w7 w7 w0 w1 w2"}) {
    const auto results = translator.translate({sentence}, {.beam = 1});
    const Translation& translation = results.front().n_best.front();
    const Alignment alignment = translator.alignments(results).front().front();
    const Translator::Attention attention = translator.attention(results.front().source, translation);
    Alignment expected;
    for (Index target = 0; target < to_index(translation.ids.size()); ++target) {
      Index most = 0;
      for (Index source = 0; source < attention.weights.size(1); ++source)
        if (attention.weights.at({target, source}) > attention.weights.at({target, most})) most = source;
      if (most + 1 < attention.weights.size(1)) expected.push_back({most, target});
    }
    CHECK(alignment == expected);
  }
}
