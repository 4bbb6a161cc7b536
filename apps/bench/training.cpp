#include "apps/bench/training.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "apps/translation/model/make_model.h"
#include "apps/translation/model/precisions.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/blas.h"
#include "autograd/machine/error.h"
#include "autograd/machine/memory.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/profile.h"
#include "nn/optimisers.h"
#include "transformer/captions/image.h"

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

constexpr const char* clip_norm = "training.gradient_clip_norm";
constexpr const char* precision = "training.precision";
}  // namespace

translation::Settings model_to_train(const TrainingSettings& settings) {
  translation::Json json{
      {"model",
       {{"preset", settings.preset}, {"dropout", settings.dropout}, {"final_norm", settings.final_norm}}}};
  translation::Settings result = translation::parse_settings(json, "--preset, --dropout", settings.overrides);
  for (const std::string& assignment : settings.overrides)
    if (!assignment.starts_with("model.") && !assignment.starts_with(clip_norm) &&
        !assignment.starts_with(precision))
      fail(
          "{}: a benchmark does not use this setting; give settings of the model, such as model.d_model, or "
          "{} or {}",
          translation::override_name(assignment), clip_norm, precision);
  if (!settings.final_norm && !result.model.has_transformer())
    fail("--no-final-norm: {} has no Transformer layers, so it has no LayerNorm to leave out",
         result.model.preset);
  check(result.model);
  return result;
}

Training::Training(const TrainingSettings& settings)
    : settings_(checked(settings)),
      model_settings_(model_to_train(settings)),
      corpus_(load(settings, model_settings_.model.reads_files())),
      model_(translation::make_model(model_settings_, {corpus_.vocabulary, corpus_.vocabulary}, Random(1))),
      optimiser_(model_.parameters()),
      plan_(make_plan(settings, corpus_, model_settings_.model.reads_files())) {
  transformer::Config& config = model_settings_.model.config;
  config.source_vocabulary = config.target_vocabulary = corpus_.vocabulary.size();
}

// The same numbers of images and words as in apps/bench/pytorch_captions.py.
Training::Corpus Training::random_captions(const TrainingSettings& settings) {
  constexpr Index words = 60, batches = 8, shortest = 8, longest = 24;
  translation::TokenCounts counts;
  for (Index i = 0; i < words; ++i) counts.add(fmt::format("word{}", i));
  Corpus corpus{translation::Vocabulary::from_counts(counts), {}};
  Random random(1);
  for (Index i = 0; i < batches * settings.batch_images; ++i) {
    transformer::Image image{.height = settings.image_size, .width = settings.image_size};
    for (Index byte = 0; byte < 3 * image.height * image.width; ++byte)
      image.pixels.push_back(static_cast<std::uint8_t>(random.below(256)));
    corpus.pairs.source.push_back(as_source(image));
    std::vector<std::int32_t>& caption = corpus.pairs.target.emplace_back();
    for (Index word = 0; word < shortest + i % (longest - shortest + 1); ++word)
      caption.push_back(translation::special::count + static_cast<std::int32_t>(random.below(words)));
    corpus.pairs.lines.push_back(i);
  }
  return corpus;
}

Training::Corpus Training::load(const TrainingSettings& settings, bool images) {
  if (images) return random_captions(settings);
  if (settings.source.empty() || settings.target.empty())
    fail("--source and --target are required: {} reads sentences", settings.preset);
  const auto tokeniser = translation::make_tokeniser("word");
  const translation::ParallelText text = translation::read_parallel_files(settings.source, settings.target);
  translation::TokenCounts counts;
  count_tokens(counts, text.source, *tokeniser);
  count_tokens(counts, text.target, *tokeniser);
  auto vocabulary = translation::Vocabulary::from_counts(counts);
  auto pairs = encode(text, {*tokeniser, vocabulary, vocabulary, 1000});
  return {std::move(vocabulary), std::move(pairs)};
}

translation::BatchPlan Training::make_plan(const TrainingSettings& settings, const Corpus& corpus,
                                           bool images) {
  if (images) {
    translation::BatchPlan plan;
    for (std::size_t i = 0; i < corpus.pairs.source.size(); ++i) {
      if (i % to_size(settings.batch_images) == 0) plan.emplace_back();
      plan.back().push_back(i);
    }
    return plan;
  }
  translation::BatchPlan plan = settings.batches.empty()
                                    ? plan_epoch(pair_lengths(corpus.pairs), settings.batch_tokens, 1, 1)
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
  auto products = translation::precisions().for_training(model_settings_.training.precision);
  const Tensor loss = model_.loss(batch, {.label_smoothing = Real(0.1)});
  loss.backward();
  products.reset();  // the update changes the weights
  optimiser_.step(
      {.learning_rate = nn::learning_rate(
           {.schedule = nn::Schedule::inverse_sqrt, .learning_rate = 0.005, .warmup_steps = 2000}, steps_),
       .clip_norm = model_settings_.training.gradient_clip_norm});
  return {
      {batch.source.sentences(), batch.source.tokens(), batch.target_input.tokens()}, batching_seconds, loss};
}

std::string Training::description() {
  const translation::ModelSettings& model = model_settings_.model;
  std::string text = fmt::format("model        {}, {} parameters, vocabulary {}, dropout {}", model.preset,
                                 model_.parameter_count(), corpus_.vocabulary.size(), settings_.dropout);
  if (model.has_transformer())
    text += fmt::format(", final norm {}", model.config.has_final_norm() ? "on" : "off");
  if (!settings_.overrides.empty()) text += fmt::format("; {}", fmt::join(settings_.overrides, ", "));
  return text + fmt::format("\nmachine      {}, {}, OpenBLAS core {}\n",
                            translation::counted(threads(), "thread"), to_string(simd()),
                            blas::information().core);
}

namespace {

/// Sums over the steps after the warm-up.
struct Sums {
  double seconds = 0, batching_seconds = 0, floor_seconds = 0, flops = 0, tokens = 0, loss = 0;
};

/// Bytes before the first floor. The floor has whole matrices of logits, which a training never has.
struct PeakMemory {
  double process = 0, tensors = 0;
};

void print(const TrainingSettings& settings, Training& training, const Sums& sums, const PeakMemory& peak) {
  fmt::print("{}", training.description());
  const double steps = static_cast<double>(settings.steps);
  fmt::print("steps        {} after {} of warm-up, {:.0f} tokens each (source + target), last loss {:.4f}\n",
             settings.steps, settings.warmup_steps, sums.tokens / steps, sums.loss);
  fmt::print("training     {:8.0f} tokens/s   {:7.1f} ms per step   {:6.1f} GFLOP/s\n",
             sums.tokens / sums.seconds, 1e3 * sums.seconds / steps, 1e-9 * sums.flops / sums.seconds);
  fmt::print("floor        {:8.0f} tokens/s   {:7.1f} ms per step   {:6.1f} GFLOP/s   (the products alone)\n",
             sums.tokens / sums.floor_seconds, 1e3 * sums.floor_seconds / steps,
             1e-9 * sums.flops / sums.floor_seconds);
  fmt::print("share        {:.1f} % of the floor\n", 100 * sums.floor_seconds / sums.seconds);
  fmt::print("batching     {:.3f} ms per step, {:.2f} % of a step\n", 1e3 * sums.batching_seconds / steps,
             100 * sums.batching_seconds / sums.seconds);
  fmt::print("peak memory  {:.2f} GB, of which tensors {:.2f} GB\n", 1e-9 * peak.process,
             1e-9 * peak.tensors);
}

}  // namespace

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void bench_training(const TrainingSettings& settings) {
  Training training(settings);
  Sums sums;
  PeakMemory peak;
  for (Index step = 1; step <= settings.warmup_steps + settings.steps; ++step) {
    const TimePoint begin = now();
    const Training::Step done = training.step();
    const double seconds = seconds_since(begin);
    if (step <= settings.warmup_steps) continue;
    if (step == settings.warmup_steps + 1)
      peak = {peak_memory(), static_cast<double>(memory_statistics().peak_in_use)};
    const std::vector<Product> products = training.products(done.size);
    sums.seconds += seconds;
    sums.batching_seconds += done.batching_seconds;
    sums.floor_seconds += floor_seconds(products);
    sums.flops += floor_flops(products);
    sums.tokens += static_cast<double>(done.size.tokens());
    sums.loss = static_cast<double>(done.loss.item());
  }
  print(settings, training, sums, peak);
}

}  // namespace regard::bench
