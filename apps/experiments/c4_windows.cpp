#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "apps/experiments/timing.h"
#include "autograd/graph.h"
#include "nn/attention.h"

namespace regard::experiments {

namespace {

/// Milliseconds in which 32 queries look at a source of this many words, under the window of these settings.
double looking_milliseconds(Index calls, Index words, const translation::Settings& settings) {
  const NoGrad no_grad;
  Random random(1);
  const transformer::RecurrentAttention& of = settings.model.recurrent.attention;
  constexpr Index width = 64, queries = 32;
  const nn::Attention attention({.query_width = width,
                                 .memory_width = width,
                                 .score = of.score,
                                 .window = of.window,
                                 .radius = of.radius},
                                random);
  const Tensor query = Tensor::normal({queries, width}, 0, 1, random);
  const nn::Attention::KeysAndValues memory = attention.prepare(Tensor::normal({words, width}, 0, 1, random));
  std::vector<std::int32_t> positions;
  for (Index i = 0; i < queries; ++i) positions.push_back(static_cast<std::int32_t>(i * words / queries));
  return milliseconds(calls, [&] { attention(query, memory, {{0, queries, 0, words}}, positions); });
}

}  // namespace

Experiment windows() {
  const std::vector<double> lengths{16, 32, 64, 128, 256, 512, 1024};
  const auto local = [](const char* window, Index radius) {
    return Variant{
        fmt::format("{}, D = {}", window, radius),
        {fmt::format("model.attention.window={}", window), fmt::format("model.attention.radius={}", radius)}};
  };
  return {
      .id = "C4",
      .claim = "Windows make long sources cheap and lose little.",
      .source = "Luong et al. 2015, section 3.2",
      .published =
          "Global attention with the general score 17.3 BLEU, local-m 18.6, local-p 19.0, D = 10 "
          "(table 4); no times.",
      .method =
          "Luong's model of width 64 translates the toy sentences of up to 24 words with global attention "
          "and "
          "with windows. Beside it, the time in which 32 queries look at a source of 16 to 1024 words. One "
          "learning rate for all.",
      .rule =
          "It is cheap if, at 1024 words, both windows of D = 5 take less than half of the time of global "
          "attention. It loses little if local-p with D = 5 is at most 1 point of BLEU below global "
          "attention "
          "in the mean. It holds if both are so, and in part if one is.",
      .minutes = 8,
      .alone = true,
      .takes_corpus = true,
      .variants =
          {{"global"}, local("local_m", 2), local("local_m", 5), local("local_p", 2), local("local_p", 5)},
      .run =
          [=](const Job& job) {
            Measurements measured = on_sentences(
                {.settings = {"model.preset=luong2015", "model.cell=gru", "model.bidirectional=true",
                              "model.d_model=64", "model.dropout=0.05", "training.steps=1500"}})(job);
            Trained model{translation::Translator::load(job.directory + "/model"), {}};
            for (const double words : lengths)
              measured["ms"].push_back(looking_milliseconds(job.many(51, 1), static_cast<Index>(words),
                                                            model.translator.model().settings));
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const double whole = results.mean("global", "ms", 6);
        const double m = results.mean("local_m, D = 5", "ms", 6), p = results.mean("local_p, D = 5", "ms", 6);
        const double lost = results.mean("global", "bleu") - results.mean("local_p, D = 5", "bleu");
        const bool cheap = m < whole / 2 && p < whole / 2;
        return {
            cheap && lost <= 1   ? Verdict::holds
            : cheap || lost <= 1 ? Verdict::holds_in_part
                                 : Verdict::does_not_hold,
            fmt::format("At 1024 words, 32 looks take {:.2f} ms with global attention, {:.2f} with local-m "
                        "and {:.2f} with local-p. Local-p with D = 5 loses {:.1f} points of BLEU.",
                        whole, m, p, lost)};
      },
      .columns = {{"BLEU", "bleu"}, {"ms, 64 words", "ms", 3, 2}, {"ms, 1024 words", "ms", 3, 6}},
      .figures = {{.title = "Quality", .measurement = "bleu", .y_label = "BLEU"},
                  {.title = "Time by length",
                   .measurement = "ms",
                   .y_label = "ms for 32 queries",
                   .x_label = "words of the source",
                   .x = lengths,
                   .x_logarithmic = true,
                   .y_logarithmic = true}}};
}

}  // namespace regard::experiments
