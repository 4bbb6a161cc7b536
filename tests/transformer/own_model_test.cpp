// The interface of encoder, memory and decoder. An encoder and a decoder of a few lines each train, score
// and search through the same functions as the Transformer, and mix with the Transformer's parts.
#include <algorithm>
#include <numeric>

#include "autograd/graph.h"
#include "autograd/ops.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// One memory row per sentence: the mean of the embeddings of its tokens.
class MeanEncoder : public Encoder {
 public:
  explicit MeanEncoder(const nn::Embedding& source) : embedding(source) {}

  Memory encode(const Source& source) override {
    const Tensor mean = Tensor::zeros({source.sentences(), source.tokens()});
    std::vector<Index> offsets(to_size(source.sentences()) + 1);
    std::iota(offsets.begin(), offsets.end(), Index{0});
    for (Index i = 0; i < source.sentences(); ++i)
      std::fill_n(mean.data() + i * source.tokens() + source.offsets[to_size(i)], source.length(i),
                  Real(1) / static_cast<Real>(source.length(i)));
    return {.rows = matmul(mean, embedding(source.ids)), .offsets = offsets};
  }
  Index width() const override { return embedding.weight.size(1); }
  void visit(nn::Visitor&) override {}
  void visit_embedding(nn::Visitor& visitor) override { visitor("src_embed", embedding); }

  nn::Embedding embedding;
};

/// One linear layer over the previous token and the first memory row of the sentence.
class LinearDecoder : public Decoder {
 public:
  LinearDecoder(const nn::Embedding& target, Random& random)
      : embedding(target), layer(2 * width(), width(), random) {}

  Tensor rows(const PackedSequences& target, const Memory& memory, const std::vector<Index>& sources) {
    std::vector<std::int32_t> memory_rows;  // of each token
    for (Index i = 0; i < target.sentences(); ++i)
      memory_rows.insert(memory_rows.end(), to_size(target.length(i)),
                         static_cast<std::int32_t>(memory.offsets[to_size(sources[to_size(i)])]));
    return layer(concat({embedding(target.ids), gather(memory.rows, 0, memory_rows)}, 1));
  }
  Tensor decode(const PackedSequences& target, const Memory& memory) override {
    std::vector<Index> sources(to_size(target.sentences()));
    std::iota(sources.begin(), sources.end(), Index{0});
    return rows(target, memory, sources);
  }
  std::unique_ptr<DecodingState> begin(const Memory& memory) override;
  Index width() const override { return embedding.weight.size(1); }
  Index memory_width() const override { return width(); }
  void visit(nn::Visitor& visitor) override { visitor("layer", layer); }
  void visit_embedding(nn::Visitor& visitor) override { visitor("tgt_embed", embedding); }

  nn::Embedding embedding;
  nn::Linear layer;
};

/// The decoder looks at the newest token alone, so there is nothing to remember but the memory.
class LinearDecodingState : public DecodingState {
 public:
  LinearDecodingState(LinearDecoder& decoder, const Memory& memory)
      : DecodingState(memory.sources()), decoder_(decoder), memory_(memory) {}

 protected:
  Tensor step(const std::vector<Continuation>& continuations, const std::vector<Index>& sources) override {
    PackedSequences tokens;
    for (const Continuation& continuation : continuations) tokens.append(continuation.tokens);
    return decoder_.rows(tokens, memory_, sources);
  }

 private:
  LinearDecoder& decoder_;
  Memory memory_;
};

std::unique_ptr<DecodingState> LinearDecoder::begin(const Memory& memory) {
  return std::make_unique<LinearDecodingState>(*this, memory);
}

constexpr Index vocabulary = 10, width = 8;

Embeddings embeddings(Random& random) {
  return make_embeddings({.source_vocabulary = vocabulary,
                          .target_vocabulary = vocabulary,
                          .width = width,
                          .shared = SharedEmbeddings::none},
                         random);
}

EncoderDecoder own_model(std::uint64_t seed) {
  Random random(seed);
  const Embeddings both = embeddings(random);
  return {std::make_unique<MeanEncoder>(both.source), std::make_unique<LinearDecoder>(both.target, random),
          both.generator};
}

/// The translation of the word w, repeated: w, w + 1, … up to the last word.
Ids count_up(std::int32_t word) {
  Ids words;
  for (; word < vocabulary; ++word) words.push_back(word);
  return words;
}

struct Task {
  std::vector<Ids> sources, targets;
};
Task task() {
  Task all;
  for (std::int32_t word = 4; word < vocabulary; ++word) {
    all.sources.push_back(Ids(to_size(word % 3 + 1), word));
    all.targets.push_back(count_up(word));
  }
  return all;
}

void train(EncoderDecoder& model, int steps) {
  nn::Adam adam(model.parameters());
  const Batch batch = make_batch(task().sources, task().targets);
  for (int step = 0; step < steps; ++step) {
    model.loss(batch).backward();
    adam.step({.learning_rate = 0.02});
  }
  model.eval();
}

std::vector<Ids> greedy(EncoderDecoder& model) {
  std::vector<Ids> translations;
  for (const Hypothesis& best : greedy_search(model, pack_sources(task().sources)))
    translations.push_back(best.tokens);
  return translations;
}

}  // namespace

TEST_CASE("a model of one's own is trained, searched and scored like every other") {
  EncoderDecoder model = own_model(1);
  CHECK(names(model) == std::vector<std::string>{"src_embed.weight", "tgt_embed.weight", "generator.weight",
                                                 "decoder.layer.weight", "decoder.layer.bias"});
  model.eval();
  CHECK(greedy(model) != task().targets);  // it has to learn the task
  train(model, 300);
  CHECK(greedy(model) == task().targets);

  const Source source = pack_sources(task().sources);
  const auto best = beam_search(model, source, {.beam = 4, .n_best = 3});
  const std::vector<ForcedScore> scores = score(model, make_batch(task().sources, task().targets));
  for (std::size_t i = 0; i < task().sources.size(); ++i) {
    REQUIRE(best[i].size() == 3);
    CHECK(best[i].front().tokens == task().targets[i]);
    CHECK(error({best[i].front().log_probability}, {scores[i].log_probability}) < 1e-12);
  }
  for (const Hypothesis& constrained : greedy_search(model, source, {.max_length = 2}))
    CHECK(constrained.tokens.size() <= 2);

  CHECK(forced_pass(model, make_batch(task().sources, task().targets)).attentions.empty());
}

TEST_CASE("gradients of a model of one's own") {
  EncoderDecoder model = own_model(2);
  const Batch batch = make_batch(task().sources, task().targets);
  std::vector<Tensor> parameters;
  for (const nn::NamedParameter& parameter : model.parameters()) parameters.push_back(parameter.tensor);
  const GradcheckResult result =
      gradcheck([&](const std::vector<Tensor>&) { return model.loss(batch); }, parameters);
  INFO(result.worst);
  CHECK(result.passed);
}

TEST_CASE("any encoder goes with any decoder whose widths fit") {
  Config config = small_config();
  config.source_vocabulary = config.target_vocabulary = vocabulary;
  Random random(3);
  const Embeddings both = embeddings(random);
  EncoderDecoder mean_under_transformer(std::make_unique<MeanEncoder>(both.source),
                                        std::make_unique<TransformerDecoder>(config, both.target, random),
                                        both.generator);
  train(mean_under_transformer, 200);
  CHECK(greedy(mean_under_transformer) == task().targets);

  const Embeddings other = embeddings(random);
  EncoderDecoder transformer_under_linear(std::make_unique<TransformerEncoder>(config, other.source, random),
                                          std::make_unique<LinearDecoder>(other.target, random),
                                          other.generator);
  train(transformer_under_linear, 300);
  CHECK(greedy(transformer_under_linear) == task().targets);
}

TEST_CASE("parts whose widths differ make no model") {
  Random random(4);
  const Embeddings both = embeddings(random);
  const nn::Embedding wide(vocabulary, 12, random);
  CHECK_ERROR(EncoderDecoder(std::make_unique<MeanEncoder>(wide),
                             std::make_unique<LinearDecoder>(both.target, random), both.generator),
              "the encoder's memory has width 12, but the decoder reads width 8");
  CHECK_ERROR(EncoderDecoder(std::make_unique<MeanEncoder>(both.source),
                             std::make_unique<LinearDecoder>(both.target, random), wide.weight),
              "the projection of shape [10, 12] must be [target vocabulary, 8]");
}
