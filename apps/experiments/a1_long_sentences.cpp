#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "apps/translation/text/utf8.h"

namespace regard::experiments {

namespace {
constexpr std::array<Index, 6> first_words{2, 8, 14, 20, 26, 32};  ///< at which a range of lengths begins

Index words(const std::string& line) { return std::ranges::count(line, ' ') + 1; }
}  // namespace

Experiment long_sentences() {
  return {
      .id = "A1",
      .claim = "One vector for a sentence fails on long sentences; attention does not.",
      .source = "Cho et al. 2014b; Bahdanau et al. 2015, figure 2",
      .published =
          "English to French, trained on sentences of up to 50 words: 17.8 BLEU without and 26.8 with "
          "attention (table 1). Sutskever et al. 2014 saw no loss below 35 words with a large LSTM.",
      .method =
          "Four models with about 240,000 parameters learn sentences of up to 37 English words in French "
          "and Korean. BLEU of 200 new sentences in each range of lengths.",
      .rule =
          "It holds if the model without attention loses at least 20 points of BLEU from the shortest to "
          "the longest sentences, and every model with attention loses less than half as much, in the mean "
          "over the seeds. It holds in part if only some models with attention do.",
      .minutes = 8,
      .takes_corpus = true,
      .variants = four_models({"model.dropout=0.05"}),
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.005"}},
      .run =
          [](const Job& job) {
            const toys::Corpus corpus = corpus_for(job, toys::long_sentences(36), {20000, 100, 2400});
            Trained trained = train(job, corpus, {"training.steps=3000"});
            Measurements measured = std::move(trained.training);
            for (std::size_t range = 0; range < first_words.size(); ++range) {
              Pairs pairs;
              for (const toys::SentencePair& pair : corpus.test)
                if (words(pair.source) >= first_words[range] && words(pair.source) < first_words[range] + 6 &&
                    pairs.size() < 200)
                  pairs.push_back(pair);
              measured["bleu"].push_back(pairs.empty() ? 0 : translate(trained, pairs).bleu());
            }
            measured["shortest"] = {measured["bleu"].front()};
            measured["longest"] = {measured["bleu"].back()};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const auto loss = [&](const char* model) {
          return results.mean(model, "shortest") - results.mean(model, "longest");
        };
        const double without = loss("no attention");
        int fewer = 0;
        for (const char* const model : {"Bahdanau", "Luong", "Transformer"})
          fewer += loss(model) < without / 2;
        return {without < 20 ? Verdict::does_not_hold
                : fewer == 3 ? Verdict::holds
                : fewer > 0  ? Verdict::holds_in_part
                             : Verdict::does_not_hold,
                fmt::format("From the shortest to the longest sentences, BLEU falls by {:.1f} points "
                            "without attention, {:.1f} with Bahdanau's, {:.1f} with Luong's, and {:.1f} "
                            "with the Transformer.",
                            without, loss("Bahdanau"), loss("Luong"), loss("Transformer"))};
      },
      .columns = {{"parameters", "parameters", 0},
                  {"BLEU, up to 7 words", "shortest"},
                  {"BLEU, 32 to 37 words", "longest"}},
      .figures = {{.title = "Quality by length",
                   .measurement = "bleu",
                   .y_label = "BLEU",
                   .x_label = "English words",
                   .x = {4.5, 10.5, 16.5, 22.5, 28.5, 34.5}}}};
}

}  // namespace regard::experiments
