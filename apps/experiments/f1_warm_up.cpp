#include <cmath>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

namespace {

/// The norm of the gradient of linear2.weight in the last decoder layer, divided by that in the first one,
/// for random sentences and the first weights.
double last_to_first(const Job& job, const std::vector<std::string>& settings) {
  constexpr Index words = 100;
  transformer::EncoderDecoder model = untrained(job, settings, words);
  toys::Random random(static_cast<std::uint64_t>(job.seed));
  transformer::Batch batch;
  for (int pair = 0; pair < 32; ++pair) {
    std::vector<std::int32_t> sentence;
    for (int i = 0; i < 16; ++i)
      sentence.push_back(static_cast<std::int32_t>(transformer::first_word_id + random.below(words)));
    batch.append(sentence, sentence);
  }
  model.loss(batch).backward();
  std::vector<double> norms;
  for (const nn::NamedParameter& parameter : model.parameters()) {
    if (!parameter.name.starts_with("decoder.layers.") || !parameter.name.ends_with("linear2.weight"))
      continue;
    double sum = 0;
    for (const Real value : parameter.tensor.grad().values()) sum += std::pow(static_cast<double>(value), 2);
    norms.push_back(std::sqrt(sum));
  }
  return norms.back() / norms.front();
}

}  // namespace

Experiment warm_up() {
  const auto variant = [](const char* norm, Index layers, Index warm_up_steps) {
    return Variant{fmt::format("{}, {} layers, warm-up {}", norm, layers, warm_up_steps),
                   {fmt::format("model.norm={}", norm), fmt::format("model.encoder_layers={}", layers),
                    fmt::format("model.decoder_layers={}", layers),
                    fmt::format("training.warmup_steps={}", warm_up_steps)}};
  };
  return {
      .id = "F1",
      .claim = "A Transformer with post-norm needs warm-up; with pre-norm it does not.",
      .source = "Xiong et al. 2020",
      .published =
          "German to English, post-norm: about 34 BLEU with 4,000 steps of warm-up and 8.45 without; "
          "pre-norm without reaches about 34 (sections 3.2 to 4.2).",
      .method =
          "Transformers of width 32 with 6 + 6 and 12 + 12 layers copy letters, with 200 steps of warm-up or "
          "with 1. Before the first step, the gradient of the last decoder layer is compared with that of "
          "the first.",
      .rule =
          "Post-norm needs warm-up if, with 6 or with 12 layers, every seed without has at least 1.5 times "
          "the "
          "validation loss of every seed with it and more than 0.5 nats. Pre-norm needs it by the same rule. "
          "The claim holds if post-norm needs it and pre-norm does not; it does not hold if post-norm does "
          "not "
          "need it; it holds in part otherwise.",
      .minutes = 8,
      .variants = {variant("post", 6, 200), variant("post", 6, 1), variant("pre", 6, 200),
                   variant("pre", 6, 1), variant("post", 12, 200), variant("post", 12, 1),
                   variant("pre", 12, 200), variant("pre", 12, 1)},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.006"}},
      .run =
          [](const Job& job) {
            const std::vector<std::string> shape{"model.d_model=32", "model.d_ff=64", "model.dropout=0"};
            std::vector<std::string> settings{"training.steps=600", "training.schedule=cosine",
                                              "training.gradient_clip_norm=0"};
            settings.insert(settings.end(), shape.begin(), shape.end());
            const toys::Corpus corpus = corpus_for(job, toys::find_toy("copy"), {10000, 100, 1});
            Measurements measured = train(job, corpus, settings).training;
            measured["last_to_first"] = {last_to_first(job, shape)};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const auto loss = [&](const char* norm, int layers, int steps) {
          return results.range(fmt::format("{}, {} layers, warm-up {}", norm, layers, steps),
                               "validation_loss");
        };
        const auto needs = [&](const char* norm) {
          for (const int layers : {6, 12})
            if (const Range without = loss(norm, layers, 1);
                without.least > 0.5 && without.least > 1.5 * loss(norm, layers, 200).most)
              return true;
          return false;
        };
        return {!needs("post")  ? Verdict::does_not_hold
                : !needs("pre") ? Verdict::holds
                                : Verdict::holds_in_part,
                fmt::format("12 + 12 layers without warm-up: validation loss {} with post-norm and {} with "
                            "pre-norm; with warm-up {} and {}.",
                            text(loss("post", 12, 1), 3), text(loss("pre", 12, 1), 3),
                            text(loss("post", 12, 200), 3), text(loss("pre", 12, 200), 3))};
      },
      .columns = {{"validation loss", "validation_loss", 3},
                  {"gradient of last / first layer at the start", "last_to_first", 2}},
      .figures = {{.title = "6 + 6 layers",
                   .measurement = "loss",
                   .y_label = "training loss, 6 + 6 layers",
                   .x_label = "steps",
                   .x = steps_of_curve(600),
                   .variants = {"post, 6 layers, warm-up 200", "post, 6 layers, warm-up 1",
                                "pre, 6 layers, warm-up 200", "pre, 6 layers, warm-up 1"}},
                  {.title = "12 + 12 layers",
                   .measurement = "loss",
                   .y_label = "training loss, 12 + 12 layers",
                   .x_label = "steps",
                   .x = steps_of_curve(600),
                   .variants = {"post, 12 layers, warm-up 200", "post, 12 layers, warm-up 1",
                                "pre, 12 layers, warm-up 200", "pre, 12 layers, warm-up 1"}}}};
}

}  // namespace regard::experiments
