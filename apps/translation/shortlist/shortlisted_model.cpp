#include "apps/translation/shortlist/shortlisted_model.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops.h"
#include "autograd/ops/linear_products.h"

namespace regard::translation {

/// The lists of the sentences of a batch.
struct ShortlistedModel::Lists {
  std::vector<std::int32_t> all;  ///< the tokens of all sentences, ascending
  Tensor excluded;  ///< [sentences, all]: 0, or never_predicted if a sentence lacks a token; empty: none
                    ///< lacks one
  std::vector<Index> sentences = {};  ///< of each row that the decoder has returned last
};

namespace {

using Lists = ShortlistedModel::Lists;
using transformer::Continuation;
using transformer::DecodingState;
using transformer::Memory;

/// The encoder of the whole model.
class SameEncoder : public transformer::Encoder {
 public:
  explicit SameEncoder(transformer::Encoder& encoder) : encoder_(encoder) {}
  Memory encode(const transformer::Source& source) override { return encoder_.encode(source); }
  Index width() const override { return encoder_.width(); }
  std::vector<Index> state_widths() const override { return encoder_.state_widths(); }
  Index length(const transformer::Source& source, Index i) const override {
    return encoder_.length(source, i);
  }
  void visit(nn::Visitor&) override {}  // the whole model shows its parameters

 private:
  transformer::Encoder& encoder_;
};

class ListedState : public DecodingState {
 public:
  ListedState(std::unique_ptr<DecodingState> state, std::shared_ptr<Lists> lists, Index sources)
      : DecodingState(sources), state_(std::move(state)), lists_(std::move(lists)) {}

 private:
  Tensor step(const std::vector<Continuation>& continuations, const std::vector<Index>& sources) override {
    std::vector<Continuation> whole = continuations;
    lists_->sentences.clear();
    for (Continuation& continuation : whole) {
      lists_->sentences.insert(lists_->sentences.end(), continuation.tokens.size(),
                               sources[to_size(&continuation - whole.data())]);
      for (std::int32_t& token : continuation.tokens) token = lists_->all[to_size(token)];
    }
    return state_->advance(whole);
  }

  std::unique_ptr<DecodingState> state_;
  std::shared_ptr<Lists> lists_;
};

/// The decoder of the whole model, which reads the tokens of a list by their places.
class ListedDecoder : public transformer::Decoder {
 public:
  ListedDecoder(transformer::Decoder& decoder, std::shared_ptr<Lists> lists)
      : decoder_(decoder), lists_(std::move(lists)) {}
  Tensor decode(const transformer::PackedSequences& target, const Memory& memory) override {
    transformer::PackedSequences whole = target;
    for (std::int32_t& token : whole.ids) token = lists_->all[to_size(token)];
    return decoder_.decode(whole, memory);
  }
  std::unique_ptr<DecodingState> begin(const Memory& memory) override {
    return std::make_unique<ListedState>(decoder_.begin(memory), lists_, memory.sources());
  }
  Index width() const override { return decoder_.width(); }
  Index memory_width() const override { return decoder_.memory_width(); }
  void visit(nn::Visitor&) override {}

 private:
  transformer::Decoder& decoder_;
  std::shared_ptr<Lists> lists_;
};

/// y = x W^T for the rows W of the list, and in each row of y only the tokens of its own sentence: so a
/// translation does not depend on the other sentences of the batch.
class ListedProducts : public LinearProducts {
 public:
  ListedProducts(std::shared_ptr<const LinearProducts> products, std::shared_ptr<const Lists> lists)
      : products_(std::move(products)), lists_(std::move(lists)) {}

  void forward(Index first, Index count, kernels::Matrix y, const kernels::BlockDone& done) const override {
    products_->forward(first, count, y, done);
    const Index columns = to_index(lists_->all.size());
    parallel_for(count, block_size(count, columns), [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        const Real* const excluded =
            lists_->excluded.data() + lists_->sentences[to_size(first + row)] * columns;
        Real* const logits = y.data + row * y.stride;
        for (Index i = 0; i < columns; ++i) logits[i] += excluded[i];
      }
    });
  }
  void backward(Index, Index, const Real*, GradSlot, GradSlot) const override {}  // searches have none

 private:
  std::shared_ptr<const LinearProducts> products_;
  std::shared_ptr<const Lists> lists_;
};

class ListedProjection : public MatrixForm {
 public:
  ListedProjection(const Tensor& rows, std::shared_ptr<const Lists> lists)
      : rows_(rows), lists_(std::move(lists)) {}

  Shape shape() const override { return rows_.shape(); }
  const char* name() const override { return "shortlist"; }
  std::shared_ptr<const LinearProducts> with(const Tensor& x) const override {
    return std::make_shared<ListedProducts>(linear_weight(rows_)->with(x), lists_);
  }
  void look_up(Real*, std::span<const std::int32_t>, Real) const override { refuse(); }
  std::shared_ptr<const MatrixForm> rows(Index, Index) const override { refuse(); }
  std::shared_ptr<const MatrixForm> rows(std::span<const std::int32_t>) const override { refuse(); }
  std::vector<std::span<const std::byte>> memory() const override { return {}; }

 private:
  [[noreturn]] static void refuse() { fail("the projection onto a shortlist is for products alone"); }

  Tensor rows_;
  std::shared_ptr<const Lists> lists_;
};

/// The tokens of each sentence, and then those of all, ascending.
std::vector<std::int32_t> union_of(const std::vector<std::vector<std::int32_t>>& lists) {
  std::vector<std::int32_t> all;
  for (const std::vector<std::int32_t>& list : lists) all.insert(all.end(), list.begin(), list.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Place of a token in an ascending list that has it.
std::int32_t place_in(const std::vector<std::int32_t>& list, std::int32_t token) {
  return static_cast<std::int32_t>(std::ranges::lower_bound(list, token) - list.begin());
}

std::shared_ptr<Lists> lists_of(const Shortlist& shortlist, const transformer::Source& batch,
                                std::span<const std::int32_t> also) {
  std::vector<std::vector<std::int32_t>> of_sentences;
  for (Index i = 0; i < batch.sentences(); ++i) {
    const auto begin = batch.ids.begin() + batch.offsets[to_size(i)];
    of_sentences.push_back(shortlist.tokens({begin, begin + batch.length(i) - 1}));  // without </s>
    of_sentences.back().insert(of_sentences.back().end(), also.begin(), also.end());
  }
  auto lists = std::make_shared<Lists>();
  lists->all = union_of(of_sentences);
  if (batch.sentences() < 2) return lists;
  const Index columns = to_index(lists->all.size());
  lists->excluded = Tensor::full({batch.sentences(), columns}, transformer::never_predicted);
  Real* row = lists->excluded.data();
  for (const std::vector<std::int32_t>& list : of_sentences) {
    for (const std::int32_t token : list) row[place_in(lists->all, token)] = 0;
    row += columns;
  }
  return lists;
}

transformer::EncoderDecoder listed(transformer::EncoderDecoder& model, const std::shared_ptr<Lists>& lists) {
  const NoGrad no_grad;
  Tensor weight = gather(model.generator.weight, 0, lists->all);
  if (lists->excluded) weight = Tensor::of(weight.shape(), std::make_shared<ListedProjection>(weight, lists));
  const Tensor bias = model.generator.bias ? gather(model.generator.bias, 0, lists->all) : Tensor();
  return {std::make_unique<SameEncoder>(model.encoder()),
          std::make_unique<ListedDecoder>(model.decoder(), lists), transformer::Generator(weight, bias)};
}

}  // namespace

ShortlistedModel::ShortlistedModel(transformer::EncoderDecoder& model, const Shortlist& shortlist,
                                   const transformer::Source& batch, std::span<const std::int32_t> also)
    : lists_(lists_of(shortlist, batch, also)), listed_(listed(model, lists_)) {
  listed_.eval();
}

std::vector<std::int32_t> ShortlistedModel::places(std::vector<std::int32_t> tokens) const {
  for (std::int32_t& token : tokens) token = place_in(lists_->all, token);
  return tokens;
}

std::vector<std::int32_t> ShortlistedModel::tokens(std::vector<std::int32_t> places) const {
  for (std::int32_t& place : places) place = lists_->all[to_size(place)];
  return places;
}

}  // namespace regard::translation
