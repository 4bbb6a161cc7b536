#include "apps/ensembles/ensemble.h"

#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

using Models = std::vector<EncoderDecoder*>;

/// log(1/M sum_m p_m) of each token in each row, plus the log-sum-exp of the first model's logits.
///
/// With the most probable model b of a token, log p_m = l_m - lse_m gives
///   l_b + (lse_1 - lse_b) + log(1/M sum_m exp(log p_m - log p_b))
/// which overflows nowhere, and is l_1 to the last bit if all models agree.
Tensor mean_of(const std::vector<Tensor>& logits) {
  const Index rows = logits.front().size(0), vocabulary = logits.front().size(1);
  const std::size_t models = logits.size();
  std::vector<std::vector<Real>> sums;
  for (const Tensor& of_model : logits) sums.push_back(largest_logits(of_model, 1).log_sum_exp);
  Tensor result = Tensor::zeros({rows, vocabulary});
  parallel_for(rows, 4, [&](Index begin, Index end) {
    std::vector<const Real*> from(models);
    std::vector<double> sum_of(models), log_p(models);
    for (Index row = begin; row < end; ++row) {
      for (std::size_t m = 0; m < models; ++m) {
        from[m] = logits[m].data() + row * vocabulary;
        sum_of[m] = static_cast<double>(sums[m][to_size(row)]);
      }
      Real* const to = result.data() + row * vocabulary;
      for (Index token = 0; token < vocabulary; ++token) {
        std::size_t best = 0;
        for (std::size_t m = 0; m < models; ++m) {
          log_p[m] = static_cast<double>(from[m][token]) - sum_of[m];
          if (log_p[m] > log_p[best]) best = m;
        }
        Real sum = 0;
        for (std::size_t m = 0; m < models; ++m)
          sum += m == best ? Real{1} : std::exp(static_cast<Real>(log_p[m] - log_p[best]));
        to[token] = static_cast<Real>(static_cast<double>(from[best][token]) + (sum_of[0] - sum_of[best])) +
                    std::log(sum / static_cast<Real>(models));
      }
    }
  });
  return result;
}

/// All encoders read the source. Their rows stand side by side, and their final states one after another.
class Encoders : public Encoder {
 public:
  explicit Encoders(Models models) : models_(std::move(models)) {}

  Memory encode(const Source& source) override {
    Memory all = models_.front()->encode(source);
    std::vector<Tensor> rows{all.rows};
    for (std::size_t m = 1; m < models_.size(); ++m) {
      Memory one = models_[m]->encode(source);
      if (one.offsets != all.offsets) fail("ensemble: the encoders have memories of different lengths");
      rows.push_back(one.rows);
      all.final_states.insert(all.final_states.end(), one.final_states.begin(), one.final_states.end());
    }
    all.rows = concat(rows, 1);
    return all;
  }
  Index width() const override {
    Index sum = 0;
    for (EncoderDecoder* model : models_) sum += model->encoder().width();
    return sum;
  }
  std::vector<Index> state_widths() const override {
    std::vector<Index> all;
    for (EncoderDecoder* model : models_)
      for (const Index one : model->encoder().state_widths()) all.push_back(one);
    return all;
  }
  Index length(const Source& source, Index i) const override {
    return models_.front()->encoder().length(source, i);
  }
  void visit(nn::Visitor&) override {}  // the models show their parameters

 private:
  Models models_;
};

/// All decoders read the same tokens.
class DecodingStates : public DecodingState {
 public:
  DecodingStates(const Models& models, const std::vector<Memory>& memories)
      : DecodingState(memories.front().sources()), models_(models) {
    for (std::size_t m = 0; m < models.size(); ++m)
      states_.push_back(models[m]->decoder().begin(memories[m]));
  }

 private:
  Tensor step(const std::vector<Continuation>& continuations, const std::vector<Index>&) override {
    std::vector<Tensor> logits;
    for (std::size_t m = 0; m < models_.size(); ++m)
      logits.push_back(models_[m]->generator(states_[m]->advance(continuations)));
    return mean_of(logits);
  }

  Models models_;
  std::vector<std::unique_ptr<DecodingState>> states_;
};

/// Its rows are logits, so the ensemble needs no projection.
class Decoders : public Decoder {
 public:
  explicit Decoders(Models models) : models_(std::move(models)) {}

  Tensor decode(const PackedSequences& target, const Memory& memory) override {
    const NoGrad no_grad;
    const std::vector<Memory> memories = apart(memory);
    std::vector<Tensor> logits;
    for (std::size_t m = 0; m < models_.size(); ++m)
      logits.push_back(models_[m]->generator(models_[m]->decode(target, memories[m])));
    return mean_of(logits);
  }
  std::unique_ptr<DecodingState> begin(const Memory& memory) override {
    return std::make_unique<DecodingStates>(models_, apart(memory));
  }
  Index width() const override { return models_.front()->target_vocabulary(); }
  Index memory_width() const override { return Encoders(models_).width(); }
  void visit(nn::Visitor&) override {}

 private:
  /// The memory of each model.
  std::vector<Memory> apart(const Memory& all) const {
    std::vector<Memory> memories;
    Index column = 0;
    auto state = all.final_states.begin();
    for (EncoderDecoder* model : models_) {
      const Index width = model->encoder().width();
      const auto states = std::ssize(model->encoder().state_widths());
      memories.push_back(
          {slice(all.rows, 1, column, column + width), all.offsets, {state, state + states}, all.planes});
      column += width;
      state += states;
    }
    return memories;
  }

  Models models_;
};

}  // namespace

EncoderDecoder ensemble_of(const std::vector<EncoderDecoder*>& models) {
  if (models.empty()) fail("ensemble: there is no model; give at least one");
  for (const EncoderDecoder* model : models)
    if (model->target_vocabulary() != models.front()->target_vocabulary())
      fail("ensemble: the target vocabularies have {} and {} entries; they must be the same",
           models.front()->target_vocabulary(), model->target_vocabulary());
  return {std::make_shared<Encoders>(models), std::make_shared<Decoders>(models), Generator({})};
}

}}}  // namespace regard::REGARD_PRECISION::transformer
