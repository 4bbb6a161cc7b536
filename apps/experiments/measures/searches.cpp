#include <algorithm>
#include <utility>

#include "apps/exact_search/exact_search.h"
#include "apps/experiments/measures/measures.h"
#include "transformer/search/search.h"

// Measures of the search.

namespace regard::experiments {

namespace {

/// Forms of a word (Task::forms) count as equal. Translations are compared by the sum of log p, and for
/// normalised_bleu by this sum divided by the length.
void beams(Trial& trial) {
  const auto search = [&](double beam, double alpha) {
    Translations result = translate(trial.trained(), trial.test(),
                                    {.beam = trial.job.many(static_cast<Index>(beam), 10),
                                     .length_penalty = transformer::LengthPenalty::power,
                                     .alpha = alpha});
    for (auto* const texts : {&result.found_text, &result.expected_text})
      for (std::string& text : *texts) std::erase(text, '*');
    return result;
  };
  for (const double beam : trial.options("beams")) {
    const Translations result = search(beam, 0);
    trial.measured["bleu"].push_back(result.bleu());
    trial.measured["length"].push_back(result.length_ratio());
    trial.measured["normalised_bleu"].push_back(search(beam, 1).bleu());
  }
}

/// At most 20,000 expansions a sentence.
void exact_search(Trial& trial) {
  transformer::EncoderDecoder& model = trial.trained().model();
  const auto found = transformer::exact_search(
      model, transformer::pack_sources(trial.first_pairs().source),
      {.search = {.beam = 5, .alpha = 0}, .most_expansions = trial.job.many(20000, 200)});
  double empty = 0, complete = 0;
  const double one = 100 / static_cast<double>(found.size());
  for (const auto& result : found) {
    empty += result.best.tokens.empty() ? one : 0;
    complete += result.complete ? one : 0;
  }
  trial.measured["empty"] = {empty};
  trial.measured["complete"] = {complete};
}

/// The places of the winner's beginnings in the lists of the search; 0: first.
std::vector<Index> places_of(const transformer::SearchTree& tree, const transformer::Hypothesis& winner) {
  std::vector<std::pair<transformer::SearchNode, Index>> nodes;  // with their places; an id is the place here
  for (const auto& step : tree)
    for (const auto& node : step) nodes.emplace_back(node, node.id - step.front().id);
  const auto end = std::ranges::find_if(nodes, [&](const auto& node) {
    return node.first.state == transformer::SearchNode::State::ended &&
           node.first.log_probability == winner.log_probability;
  });
  std::vector<Index> path;
  for (Index id = end == nodes.end() ? -1 : end->first.id; id >= 0; id = nodes[to_size(id)].first.parent)
    path.insert(path.begin(), nodes[to_size(id)].second);
  path.resize(std::max<std::size_t>(path.size(), 3));  // a short one is first in the missing steps
  return path;
}

/// At most three.
std::vector<std::int32_t> first_words(std::vector<std::int32_t> tokens) {
  tokens.resize(std::min<std::size_t>(tokens.size(), 3));
  return tokens;
}

/// A sentence counts as repaired or broken if beam and greedy search differ within the first words.
void repairs(Trial& trial) {
  transformer::EncoderDecoder& model = trial.trained().model();
  const translation::ParallelCorpus test = encoded(trial.trained(), trial.test());
  const transformer::Source source = transformer::pack_sources(test.source);
  std::vector<transformer::SearchTree> trees;
  const auto found = transformer::beam_search(model, source, {.beam = 5}, {}, &trees);
  const auto greedy = transformer::greedy_search(model, source);
  Measurements& measured = trial.measured;
  measured["not_first"] = {0, 0, 0};
  for (const char* const name : {"beam", "greedy", "repaired", "broken"}) measured[name] = {0};
  const double one = 100 / static_cast<double>(test.source.size());
  const auto count = [&](const char* name, bool is) { measured[name][0] += is ? one : 0; };
  for (std::size_t i = 0; i < test.source.size(); ++i) {
    const std::vector<Index> path = places_of(trees[i], found[i].front());
    for (std::size_t step = 0; step < 3; ++step) measured["not_first"][step] += path[step] > 0 ? one : 0;
    const std::vector<std::int32_t>&of_beam = found[i].front().tokens, &of_greedy = greedy[i].tokens;
    const bool early = first_words(of_beam) != first_words(of_greedy);
    const bool beam = of_beam == test.target[i], without = of_greedy == test.target[i];
    count("beam", beam);
    count("greedy", without);
    count("repaired", early && beam && !without);
    count("broken", early && !beam && without);
  }
}

}  // namespace

std::vector<Measure> measures_of_search() {
  return {{"beams", "bleu length normalised_bleu", "for each of beams; with scores divided by the length",
           beams, "beams"},
          {"exact_search", "empty complete", "in % of the most probable translations (pairs)", exact_search,
           "pairs"},
          {"repairs", "repaired broken beam greedy not_first",
           "in % of all; repaired and broken ones differ within 3 words; not_first after 1 to 3", repairs}};
}

}  // namespace regard::experiments
