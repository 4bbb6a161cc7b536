#include "apps/bench/train_bench.h"

#include <algorithm>
#include <chrono>

#include "apps/translation/batching.h"
#include "apps/translation/corpus.h"
#include "autograd/blas.h"
#include "autograd/error.h"
#include "autograd/memory.h"
#include "autograd/parallel.h"
#include "autograd/simd.h"
#include "nn/optimisers.h"
#include "nn/schedules.h"
#include "transformer/model.h"

namespace regard::bench {

namespace {

struct Corpus {
  translation::Vocabulary vocabulary;
  translation::ParallelCorpus pairs;
};

Corpus load(const TrainBench& bench) {
  const auto tokeniser = translation::make_tokeniser("word");
  const translation::ParallelText text = translation::read_parallel_files(bench.source, bench.target);
  translation::TokenCounts counts;
  count_tokens(counts, text.source, *tokeniser);
  count_tokens(counts, text.target, *tokeniser);
  auto vocabulary = translation::Vocabulary::from_counts(counts);
  auto pairs = encode(text, {*tokeniser, vocabulary, vocabulary, 1000});
  return {std::move(vocabulary), std::move(pairs)};
}

/// Figures of the steps after the warm-up.
struct Sums {
  double seconds = 0, floor_seconds = 0, flops = 0, tokens = 0, loss = 0;
};

void print(const TrainBench& bench, const transformer::Config& config, transformer::Transformer& model,
           const Sums& sums) {
  const blas::Information& blas = blas::information();
  fmt::print("model        {}, {} parameters, vocabulary {}, dropout {}, final norm {}\n", bench.preset,
             model.parameter_count(), config.source_vocabulary, bench.dropout,
             bench.final_norm ? "on" : "off");
  fmt::print("machine      {} threads, {}, OpenBLAS core {}\n", threads(), to_string(simd()), blas.core);
  const double steps = static_cast<double>(bench.steps);
  fmt::print("steps        {} after {} of warm-up, {:.0f} tokens each (source + target), last loss {:.4f}\n",
             bench.steps, bench.warmup_steps, sums.tokens / steps, sums.loss);
  fmt::print("training     {:8.0f} tokens/s   {:7.1f} ms a step   {:6.1f} GFLOP/s\n",
             sums.tokens / sums.seconds, 1e3 * sums.seconds / steps, 1e-9 * sums.flops / sums.seconds);
  fmt::print("floor        {:8.0f} tokens/s   {:7.1f} ms a step   {:6.1f} GFLOP/s   (the products alone)\n",
             sums.tokens / sums.floor_seconds, 1e3 * sums.floor_seconds / steps,
             1e-9 * sums.flops / sums.floor_seconds);
  fmt::print("share        {:.1f} % of the floor\n", 100 * sums.floor_seconds / sums.seconds);
  fmt::print("peak memory  {:.2f} GB, of which tensors {:.2f} GB\n", 1e-9 * peak_memory(),
             1e-9 * static_cast<double>(memory_statistics().peak_in_use));
}

}  // namespace

void run(const TrainBench& bench) {
  if (bench.steps < 1) fail("--steps {}: give a number of at least 1", bench.steps);
  if (bench.warmup_steps < 0) fail("--warmup-steps {}: give a number of at least 0", bench.warmup_steps);
  const Corpus corpus = load(bench);
  transformer::Config config = transformer::preset(bench.preset);
  config.source_vocabulary = config.target_vocabulary = corpus.vocabulary.size();
  config.final_norm = bench.final_norm;
  config.dropout = transformer::DropoutRates::all(bench.dropout);
  Random random(1);
  transformer::Transformer model(config, random);
  nn::Adam optimiser(model.parameters());
  const translation::BatchPlan plan =
      bench.batches.empty() ? plan_epoch(pair_lengths(corpus.pairs), {.tokens = bench.batch_tokens}, 1, 1)
                            : read_batch_plan(bench.batches, corpus.pairs);
  if (plan.empty()) fail("{} holds no batches", bench.batches);

  Sums sums;
  for (std::int64_t step = 1; step <= bench.warmup_steps + bench.steps; ++step) {
    const auto begin = std::chrono::steady_clock::now();
    const transformer::Batch batch =
        make_batch(corpus.pairs, plan[static_cast<std::size_t>(step - 1) % plan.size()]);
    model.set_random(1, static_cast<std::uint32_t>(step));
    const Tensor loss = model.loss(batch, {.label_smoothing = Real(0.1)});
    loss.backward();
    optimiser.step(
        {.learning_rate = nn::learning_rate(
             {.schedule = nn::Schedule::inverse_sqrt, .learning_rate = 0.005, .warmup_steps = 2000}, step)});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::int64_t source = batch.source.tokens(), target = batch.target_input.tokens();
    const double floor = floor_seconds(config, source, target);
    if (step <= bench.warmup_steps) continue;
    sums.seconds += seconds;
    sums.floor_seconds += floor;
    sums.flops += floor_flops(config, source, target);
    sums.tokens += static_cast<double>(source + target);
    sums.loss = static_cast<double>(loss.item());
  }
  print(bench, config, model, sums);
}

}  // namespace regard::bench
