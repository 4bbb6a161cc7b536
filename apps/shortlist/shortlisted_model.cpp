#include "apps/shortlist/shortlisted_model.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"

namespace regard::translation {

namespace {

using transformer::Continuation;
using transformer::DecodingState;
using transformer::Memory;
using transformer::TokenRule;
using Ids = std::vector<std::int32_t>;
using List = std::shared_ptr<const Ids>;  // the tokens of all sentences, ascending

/// Place of a token in an ascending list that has it.
std::int32_t place_in(const Ids& list, std::int32_t token) {
  return static_cast<std::int32_t>(std::ranges::lower_bound(list, token) - list.begin());
}

Ids places_of(Ids tokens, const Ids& list) {
  for (std::int32_t& token : tokens) token = place_in(list, token);
  return tokens;
}

Ids tokens_at(Ids places, const Ids& list) {
  for (std::int32_t& place : places) place = list[to_size(place)];
  return places;
}

class ListedState : public DecodingState {
 public:
  ListedState(std::unique_ptr<DecodingState> state, List list, Index sources)
      : DecodingState(sources), state_(std::move(state)), list_(std::move(list)) {}

 private:
  Tensor step(const std::vector<Continuation>& continuations, const std::vector<Index>&) override {
    std::vector<Continuation> whole = continuations;
    for (Continuation& continuation : whole) continuation.tokens = tokens_at(continuation.tokens, *list_);
    return state_->advance(whole);
  }

  std::unique_ptr<DecodingState> state_;
  List list_;
};

/// The decoder of the whole model, which reads the tokens of a list by their places.
class ListedDecoder : public transformer::Decoder {
 public:
  ListedDecoder(transformer::Decoder& decoder, List list) : decoder_(decoder), list_(std::move(list)) {}
  Tensor decode(const transformer::PackedSequences& target, const Memory& memory) override {
    transformer::PackedSequences whole = target;
    whole.ids = tokens_at(whole.ids, *list_);
    return decoder_.decode(whole, memory);
  }
  std::unique_ptr<DecodingState> begin(const Memory& memory) override {
    return std::make_unique<ListedState>(decoder_.begin(memory), list_, memory.sources());
  }
  Index width() const override { return decoder_.width(); }
  Index memory_width() const override { return decoder_.memory_width(); }
  void visit(nn::Visitor&) override {}  // the whole model shows its parameters

 private:
  transformer::Decoder& decoder_;
  List list_;
};

/// The rule of one sentence.
class ListedRule : public TokenRule {
 public:
  /// `rule` may be null.
  ListedRule(List list, const Ids& of_sentence, std::shared_ptr<const TokenRule> rule)
      : list_(std::move(list)), others_(list_->size(), true), rule_(std::move(rule)) {
    for (const std::int32_t token : of_sentence) others_[to_size(place_in(*list_, token))] = false;
  }

  void exclude(std::span<Real> logits) const override {
    for (std::size_t place = 0; place < logits.size(); ++place)
      if (others_[place]) logits[place] = transformer::never_predicted;
  }

  bool allows(std::span<const std::int32_t> places, std::int32_t next) const override {
    return rule_ == nullptr ||
           rule_->allows(tokens_at({places.begin(), places.end()}, *list_), (*list_)[to_size(next)]);
  }

  Ids before_end(std::span<const std::int32_t> places) const override {
    if (rule_ == nullptr) return {};
    return places_of(rule_->before_end(tokens_at({places.begin(), places.end()}, *list_)), *list_);
  }

  Index need(std::span<const std::int32_t> places) const override {
    return rule_ == nullptr ? 0 : rule_->need(tokens_at({places.begin(), places.end()}, *list_));
  }
  Index banks() const override { return rule_ == nullptr ? 1 : rule_->banks(); }
  Index bank(std::span<const std::int32_t> places, std::int32_t next) const override {
    if (rule_ == nullptr) return 0;
    return rule_->bank(tokens_at({places.begin(), places.end()}, *list_), (*list_)[to_size(next)]);
  }
  Ids wanted(std::span<const std::int32_t> places) const override {
    if (rule_ == nullptr) return {};
    return places_of(rule_->wanted(tokens_at({places.begin(), places.end()}, *list_)), *list_);
  }

 private:
  List list_;
  std::vector<bool> others_;  ///< for each place: the sentence does not have this token
  std::shared_ptr<const TokenRule> rule_;
};

transformer::EncoderDecoder listed(transformer::EncoderDecoder& model, const List& list) {
  const NoGrad no_grad;
  const Tensor& bias = model.generator.bias;
  const std::shared_ptr<transformer::Encoder> same(std::shared_ptr<void>(),
                                                   &model.encoder());  // owns nothing
  transformer::EncoderDecoder result(same, std::make_unique<ListedDecoder>(model.decoder(), list),
                                     transformer::Generator(gather(model.generator.weight, 0, *list),
                                                            bias ? gather(bias, 0, *list) : Tensor()));
  result.eval();
  return result;
}

}  // namespace

ShortlistedModel shortlisted(transformer::EncoderDecoder& model, const Shortlist& shortlist,
                             const transformer::Source& batch, const transformer::MakeTokenRule& make_rule,
                             std::span<const std::int32_t> also) {
  struct OfSentence {
    Ids tokens;
    std::shared_ptr<const TokenRule> rule;
  };
  std::map<Ids, OfSentence> sentences;  // by their source tokens
  Ids all;
  for (Index i = 0; i < batch.sentences(); ++i) {
    const auto begin = batch.ids.begin() + batch.offsets[to_size(i)];
    const Ids source(begin, begin + batch.length(i));
    auto& [tokens, rule] = sentences[source];
    if (make_rule) rule = make_rule(source);
    tokens = shortlist.tokens(std::span(source).first(source.size() - 1));  // without </s>
    tokens.insert(tokens.end(), also.begin(), also.end());
    if (rule != nullptr) std::ranges::copy(rule->demands(), std::back_inserter(tokens));
    all.insert(all.end(), tokens.begin(), tokens.end());
  }
  sort_once(all);
  const List list = std::make_shared<const Ids>(std::move(all));
  std::map<Ids, std::shared_ptr<const TokenRule>> rules;
  for (const auto& [source, sentence] : sentences)
    rules[source] = std::make_shared<ListedRule>(list, sentence.tokens, sentence.rule);
  return {list, listed(model, list), [rules](std::span<const std::int32_t> source) {
            return rules.at({source.begin(), source.end()});
          }};
}

Ids ShortlistedModel::places(Ids tokens) const { return places_of(std::move(tokens), *list); }

Ids ShortlistedModel::tokens(Ids places) const { return tokens_at(std::move(places), *list); }

/// The one place where ids become places in the list, and places ids again.
Hypotheses Shortlist::search_with(transformer::EncoderDecoder& whole,
                                  const transformer::PackedSequences& batch,
                                  transformer::SearchOptions options, const transformer::Prefix& prefix,
                                  const SearchBatch& search,
                                  std::vector<transformer::SearchTree>* trees) const {
  ShortlistedModel listed = shortlisted(whole, *this, batch, options.make_rule, prefix);
  options.make_rule = listed.make_rule;
  Hypotheses found = search(listed.model, options, listed.places(prefix));
  for (auto& of_sentence : found)
    for (transformer::Hypothesis& hypothesis : of_sentence)
      hypothesis.tokens = listed.tokens(std::move(hypothesis.tokens));
  if (trees != nullptr)
    for (transformer::SearchTree& tree : *trees)
      for (auto& step : tree)
        for (transformer::SearchNode& node : step) node.token = listed.tokens({node.token}).front();
  return found;
}

}  // namespace regard::translation
