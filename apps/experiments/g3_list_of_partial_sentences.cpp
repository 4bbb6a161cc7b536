#include <algorithm>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "transformer/search/search.h"

namespace regard::experiments {

Experiment list_of_partial_sentences() {
  // The places of the winner's beginnings in the lists of the search; 0: first.
  const auto places = [](const transformer::SearchTree& tree, const transformer::Hypothesis& winner) {
    std::vector<std::pair<transformer::SearchNode, Index>>
        nodes;  // with their places; an id is the place in this list
    for (const auto& step : tree)
      for (const auto& node : step) nodes.emplace_back(node, node.id - step.front().id);
    const auto end = std::ranges::find_if(nodes, [&](const auto& node) {
      const auto& last = node.first;
      return last.state == transformer::SearchNode::State::ended &&
             last.log_probability == winner.log_probability;
    });
    std::vector<Index> path;
    for (Index id = end == nodes.end() ? -1 : end->first.id; id >= 0; id = nodes[to_size(id)].first.parent)
      path.insert(path.begin(), nodes[to_size(id)].second);
    path.resize(std::max<std::size_t>(path.size(), 3));  // a short one is first in the missing steps
    return path;
  };
  return {
      .id = "G3",
      .claim = "A list of the best partial sentences repairs early mistakes.",
      .source = "lecture notes",
      .published = "",
      .method =
          "Transformers learn the toy sentences for 300 to 1,500 steps and translate 3,000 sentences with a "
          "beam of 5 and greedily. A sentence whose winner was not first in the list after 1, 2 or 3 words "
          "is repaired if the beam is right and greedy search wrong, and broken if the other way round.",
      .rule =
          "The list repairs mistakes if in every seed more sentences are repaired than broken. The claim "
          "holds if it does so for all models, in part if for some, and otherwise not. It cannot be decided "
          "if in a seed fewer than 5 sentences are repaired or broken.",
      .minutes = 2,
      .variants = {{"300 steps", {"training.steps=300"}},
                   {"600 steps", {"training.steps=600"}},
                   {"1500 steps", {"training.steps=1500"}}},
      .run =
          [places](const Job& job) {
            const toys::Corpus corpus = corpus_for(job, toys::find_toy("sentences"), {20000, 100, 3000});
            Trained trained = train(job, corpus, {"model.preset=toy"});
            const translation::ParallelCorpus test = encoded(trained, corpus.test);
            const transformer::Source source = transformer::pack_sources(test.source);
            std::vector<transformer::SearchTree> trees;
            const auto found = transformer::beam_search(trained.model(), source, {.beam = 5}, {}, &trees);
            const auto greedy = transformer::greedy_search(trained.model(), source);
            Measurements measured = std::move(trained.training);
            std::vector<double>& not_first = measured["not_first"] = {0, 0, 0};
            for (const char* const name : {"beam", "greedy", "repaired", "broken"}) measured[name] = {0};
            const double one = 100 / static_cast<double>(test.source.size());
            for (std::size_t i = 0; i < test.source.size(); ++i) {
              const std::vector<Index> path = places(trees[i], found[i].front());
              for (std::size_t step = 0; step < 3; ++step) not_first[step] += path[step] > 0 ? one : 0;
              const bool early = path[0] > 0 || path[1] > 0 || path[2] > 0;
              const bool beam = found[i].front().tokens == test.target[i],
                         without = greedy[i].tokens == test.target[i];
              measured["beam"][0] += beam ? one : 0;
              measured["greedy"][0] += without ? one : 0;
              measured["repaired"][0] += early && beam && !without ? one : 0;
              measured["broken"][0] += early && !beam && without ? one : 0;
            }
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        std::size_t repairs = 0, undecided = 0;
        std::string numbers;
        for (const Results::OfVariant& model : results.variants) {
          bool more = true;
          for (const auto& [seed, m] : model.runs) {
            more = more && m.at("repaired")[0] > m.at("broken")[0];
            undecided += m.at("repaired")[0] + m.at("broken")[0] < 100 * 5 / 3000.0;
          }
          repairs += more;
          numbers += fmt::format("{}{}: {} % repaired, {} % broken", numbers.empty() ? "" : "; ", model.name,
                                 text(results.range(model.name, "repaired"), 1),
                                 text(results.range(model.name, "broken"), 1));
        }
        return {undecided > 0                        ? Verdict::cannot_be_decided
                : repairs == results.variants.size() ? Verdict::holds
                : repairs > 0                        ? Verdict::holds_in_part
                                                     : Verdict::does_not_hold,
                numbers + "."};
      },
      .columns = {{"winner not first after 3 words, %", "not_first", 1, 2},
                  {"repaired, %", "repaired"},
                  {"broken, %", "broken"},
                  {"greedy right, %", "greedy"},
                  {"beam right, %", "beam"}},
      .figures = {{"Not first", "not_first", "winners that were not first, %", "words so far", {1, 2, 3}}}};
}

}  // namespace regard::experiments
