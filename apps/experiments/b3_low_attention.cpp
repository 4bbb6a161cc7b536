#include <algorithm>
#include <fmt/format.h>

#include "apps/experiments/attention.h"
#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"

namespace regard::experiments {

Experiment low_attention() {
  return {
      .id = "B3",
      .claim = "Source words with little attention can be dropped.",
      .source = "lecture notes; Serrano and Smith 2019 on classifiers",
      .published = "",
      .method =
          "Bahdanau's model and a Transformer learn the toy sentences. The weights that a source word gets "
          "from all words of the reference (last layer, mean of the heads) are summed. Then 1 to 4 words of "
          "each sentence are left out, those with the lowest sums, random ones, or those with the highest "
          "sums, and the rest is translated. Sentences have at least 6 words; the word that names the target "
          "language stays.",
      .rule =
          "Words can be dropped if the one word with the lowest sum costs at most 5 BLEU in every seed. The "
          "weights are a guide if in every seed it costs less than a random word. The claim holds if both "
          "are true of both models, in part if the weights of a model are a guide, and otherwise not. It "
          "cannot be decided if a model is below 90 BLEU on whole sentences.",
      .minutes = 4,
      .variants = {{"lowest weight"}, {"random"}, {"highest weight"}},
      .run =
          [](const Job& job) {
            const toys::Corpus corpus = corpus_for(job, toys::find_toy("sentences"), {20000, 100, 400});
            Pairs pairs;
            std::ranges::copy_if(corpus.test, std::back_inserter(pairs), [](const toys::SentencePair& pair) {
              return std::ranges::count(pair.source, ' ') >= 5;
            });
            Measurements measured;
            for (const std::string model : {"bahdanau", "transformer"}) {
              const char* const preset =
                  model == "bahdanau" ? "model.preset=bahdanau2015" : "model.preset=toy";
              Trained trained = train(job, corpus,
                                      {preset, "model.d_model=64", "model.dropout=0.1", "training.steps=2000",
                                       "training.learning_rate=0.006"});
              const std::vector<WordMatrix> weights = attention_to_words(trained, encoded(trained, pairs));
              toys::Random random(to_size(job.seed));
              for (std::size_t count = 0; count <= 4; ++count)
                measured[model].push_back(
                    translate(trained, without_words(pairs, weights, count, job.variant, random)).bleu());
            }
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        int cheap = 0, guides = 0;
        bool undecided = false;
        std::string numbers;
        for (const char* const model : {"bahdanau", "transformer"}) {
          const Range whole = results.range("lowest weight", model),
                      lowest = results.range("lowest weight", model, 1),
                      random = results.range("random", model, 1);
          cheap += std::ranges::all_of(results.of("lowest weight").runs, [&](const Results::Run& run) {
            return run.measurements.at(model)[0] - run.measurements.at(model)[1] <= 5;
          });
          undecided = undecided || whole.least < 90;
          guides += above(lowest, random);
          numbers +=
              fmt::format(" {}: BLEU {}, without the word of the lowest weight {}, without a random word {}.",
                          model, text(whole, 1), text(lowest, 1), text(random, 1));
        }
        return {undecided                   ? Verdict::cannot_be_decided
                : cheap == 2 && guides == 2 ? Verdict::holds
                : guides > 0                ? Verdict::holds_in_part
                                            : Verdict::does_not_hold,
                numbers.substr(1, numbers.size() - 2)};
      },
      .columns = {{"BLEU, Bahdanau, 0 words dropped", "bahdanau"},
                  {"1 word", "bahdanau", 1, 1},
                  {"2 words", "bahdanau", 1, 2},
                  {"BLEU, Transformer, 0 words dropped", "transformer"},
                  {"1 word", "transformer", 1, 1},
                  {"2 words", "transformer", 1, 2}},
      .figures =
          {{"Bahdanau", "bahdanau", "BLEU, Bahdanau's model", "source words dropped", {0, 1, 2, 3, 4}},
           {"Transformer", "transformer", "BLEU, Transformer", "source words dropped", {0, 1, 2, 3, 4}}}};
}

}  // namespace regard::experiments
