#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "apps/experiments/experiments.h"
#include "apps/experiments/probe.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment context_by_layer() {
  const std::vector<double> layers{0, 1, 2, 3, 4};
  return {.id = "H3",
          .claim = "Each layer of the encoder mixes more context into a word.",
          .source = "lecture notes; Abnar and Zuidema 2020",
          .published = "",
          .method =
              "Transformers with an encoder of 4 layers learn the toy sentences. After the embedding and "
              "after each layer, linear probes learn to tell from the row of a word which word it is, which "
              "word stands before it and which after it, and its position. Each probe sees the rows of 400 "
              "sentences, and is tested on 200 others. The control is the same model before its training.",
          .rule =
              "The claim holds if in every seed the mean accuracy for the two neighbours rises from each "
              "layer to the next, and in part if it is higher after layer 4 than in the embedding. Otherwise "
              "it does not hold here. It cannot be decided if a trained model is below 80 % exact match.",
          .minutes = 5,
          .variants = {{"trained", {"training.steps=1500"}}, {"not trained", {"training.steps=1"}}},
          .run =
              [](const Job& job) {
                const toys::Corpus corpus = corpus_for(job, toys::find_toy("sentences"), {20000, 100, 600});
                Trained trained = train(job, corpus, {"model.preset=toy", "model.encoder_layers=4"});
                const transformer::Source source =
                    transformer::pack_sources(encoded(trained, corpus.test).source);
                const std::vector<std::int32_t> place = transformer::positions(source);
                std::map<std::string, std::vector<std::int32_t>> labels{{"word", source.ids},
                                                                        {"position", place}};
                for (std::size_t i = 0; i < place.size(); ++i) {
                  const bool last = source.ids[i] == transformer::sentence_end_id;
                  labels["previous"].push_back(place[i] == 0 ? -1 : source.ids[i - 1]);
                  labels["next"].push_back(last ? -1 : source.ids[i + 1]);
                }
                Measurements measured = std::move(trained.training);
                for (const Tensor& rows : rows_by_layer(trained.model(), source)) {
                  for (const auto& [name, of_rows] : labels)
                    measured[name].push_back(linear_probe(rows, of_rows, job.many(200)));
                  measured["context"].push_back((measured["previous"].back() + measured["next"].back()) / 2);
                }
                measured["exact"] = {translate(trained, corpus.test).exact_match()};
                return measured;
              },
          .decide = [](const Results& results) -> Decision {
            bool each = true, whole = true;
            for (const Results::Run& run : results.of("trained").runs) {
              const std::vector<double>& context = run.measurements.at("context");
              each = each && std::ranges::is_sorted(context, std::less_equal<>());
              whole = whole && context.back() > context.front();
            }
            const auto known = [&](Index layer) { return results.mean("trained", "context", layer); };
            return {results.range("trained", "exact").least < 80 ? Verdict::cannot_be_decided
                    : each                                       ? Verdict::holds
                    : whole                                      ? Verdict::holds_in_part
                                                                 : Verdict::does_not_hold,
                    fmt::format("The probes know {:.0f} % of the neighbours from the embedding, and {:.0f}, "
                                "{:.0f}, {:.0f} and {:.0f} % after the layers.",
                                known(0), known(1), known(2), known(3), known(4))};
          },
          .columns = {{"neighbours known, embedding, %", "context"},
                      {"layer 1", "context", 1, 1},
                      {"layer 2", "context", 1, 2},
                      {"layer 3", "context", 1, 3},
                      {"layer 4", "context", 1, 4},
                      {"word itself, layer 4", "word", 1, 4},
                      {"position, layer 4", "position", 1, 4}},
          .figures = {{"Previous", "previous", "previous word known, %", "layer", layers},
                      {"Next", "next", "next word known, %", "layer", layers},
                      {"Word", "word", "the word itself known, %", "layer", layers},
                      {"Position", "position", "position known, %", "layer", layers}}};
}

}  // namespace regard::experiments
