#include "apps/bench/training.h"

#include <algorithm>

#include "apps/bench/timing.h"
#include "autograd/blas.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/parallel.h"
#include "autograd/profile.h"
#include "autograd/simd.h"
#include "nn/schedules.h"

namespace regard::bench {

namespace {
const TrainingSettings& checked(const TrainingSettings& settings) {
  if (settings.steps < 1) fail("--steps {}: give a number of at least 1", settings.steps);
  if (settings.warmup_steps < 0)
    fail("--warmup-steps {}: give a number of at least 0", settings.warmup_steps);
  constexpr Index most = 1'000'000'000;  // their sum is a number too
  if (std::max(settings.steps, settings.warmup_steps) > most)
    fail("--steps {} after --warmup-steps {}: give at most {} each", settings.steps, settings.warmup_steps,
         most);
  return settings;
}
}  // namespace

Training::Training(const TrainingSettings& settings)
    : settings_(checked(settings)),
      corpus_(load(settings)),
      config_(make_config(settings, corpus_)),
      model_(make_model(config_)),
      optimiser_(model_.parameters()),
      plan_(make_plan(settings, corpus_)) {}

Training::Corpus Training::load(const TrainingSettings& settings) {
  const auto tokeniser = translation::make_tokeniser("word");
  const translation::ParallelText text = translation::read_parallel_files(settings.source, settings.target);
  translation::TokenCounts counts;
  count_tokens(counts, text.source, *tokeniser);
  count_tokens(counts, text.target, *tokeniser);
  auto vocabulary = translation::Vocabulary::from_counts(counts);
  auto pairs = encode(text, {*tokeniser, vocabulary, vocabulary, 1000});
  return {std::move(vocabulary), std::move(pairs)};
}

transformer::Config Training::make_config(const TrainingSettings& settings, const Corpus& corpus) {
  transformer::Config config = transformer::preset(settings.preset);
  config.source_vocabulary = config.target_vocabulary = corpus.vocabulary.size();
  config.final_norm = settings.final_norm;
  config.dropout = transformer::DropoutRates::all(settings.dropout);
  return config;
}

transformer::EncoderDecoder Training::make_model(const transformer::Config& config) {
  Random random(1);
  return make_transformer(config, random);
}

translation::BatchPlan Training::make_plan(const TrainingSettings& settings, const Corpus& corpus) {
  translation::BatchPlan plan = settings.batches.empty() ? plan_epoch(pair_lengths(corpus.pairs),
                                                                      {.tokens = settings.batch_tokens}, 1, 1)
                                                         : read_batch_plan(settings.batches, corpus.pairs);
  if (plan.empty()) fail("{} holds no batches", settings.batches);
  return plan;
}

Training::Step Training::step() {
  const Span span("step", Span::Kind::region);
  const TimePoint begin = now();
  const transformer::Batch batch = make_batch(corpus_.pairs, plan_[to_size(steps_++) % plan_.size()]);
  const double batching_seconds = seconds_since(begin);
  model_.set_random(1, static_cast<std::uint32_t>(steps_));
  const Tensor loss = model_.loss(batch, {.label_smoothing = Real(0.1)});
  loss.backward();
  optimiser_.step(
      {.learning_rate = nn::learning_rate(
           {.schedule = nn::Schedule::inverse_sqrt, .learning_rate = 0.005, .warmup_steps = 2000}, steps_)});
  return {batch.source.tokens(), batch.target_input.tokens(), batching_seconds, loss};
}

std::string Training::description() {
  const std::string model =
      fmt::format("model        {}, {} parameters, vocabulary {}, dropout {}, final norm {}\n",
                  settings_.preset, model_.parameter_count(), config().source_vocabulary, settings_.dropout,
                  settings_.final_norm ? "on" : "off");
  return model + fmt::format("machine      {} threads, {}, OpenBLAS core {}\n", threads(), to_string(simd()),
                             blas::information().core);
}

}  // namespace regard::bench
