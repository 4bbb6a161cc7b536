#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "apps/experiments/measures/measures.h"
#include "autograd/graph.h"
#include "autograd/ops.h"
#include "transformer/recurrent/recurrent_decoder.h"
#include "transformer/teacher_forcing.h"

// Do attention weights tell which source words a model used?

namespace regard::experiments {

namespace {

using Sentence = std::vector<std::int32_t>;
/// A number for each source word of each target word, [target words][source words], </s> left out.
using WordMatrix = std::vector<std::vector<double>>;

/// The weights of a target word on the source words, </s> left out.
std::vector<double> weights_of(const Tensor& weights, std::size_t target) {
  const Real* const row = weights.data() + to_index(target) * weights.size(1);
  return {row, row + weights.size(1) - 1};
}

/// What becomes of each target word of a pair without one of the source words; the first source word, which
/// names the language, is always there.
struct Erased {
  WordMatrix effect;   ///< absolute change of its log-probability
  WordMatrix changed;  ///< 1 if another word becomes the likeliest
};

Erased erased(Trained& trained, const translation::ParallelCorpus& corpus, std::size_t pair) {
  const Sentence& source = corpus.source[pair];
  std::vector<Sentence> sources(source.size(), source);  // the first is the whole source
  for (std::size_t word = 1; word < source.size(); ++word)
    sources[word].erase(sources[word].begin() + static_cast<std::ptrdiff_t>(word));
  const std::vector<Sentence> targets(sources.size(), corpus.target[pair]);
  const transformer::Batch batch = transformer::make_batch(sources, targets);
  const std::vector<transformer::ForcedScore> scores = transformer::score(trained.model(), batch);
  const std::vector<std::int32_t> likeliest = argmax(trained.model().logits(batch));
  Erased result{WordMatrix(targets.front().size()), WordMatrix(targets.front().size())};
  for (std::size_t target = 0; target < result.effect.size(); ++target)
    for (std::size_t word = 1; word < source.size(); ++word) {
      result.effect[target].push_back(
          std::abs(scores[0].token_log_probabilities[target] - scores[word].token_log_probabilities[target]));
      result.changed[target].push_back(likeliest[target] !=
                                       likeliest[word * (targets.front().size() + 1) + target]);
    }
  return result;
}

/// Kendall's tau among the places where `a` is at least `least`: the pairs of them in the same order minus
/// those in the other order, divided by all pairs. Nothing if there is no pair.
std::optional<double> kendall_tau(const std::vector<double>& a, const std::vector<double>& b, double least) {
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (a[i] >= least && a[j] >= least) {
        ++pairs;
        sum += (a[i] > a[j]) == (b[i] > b[j]) ? 1 : -1;
      }
  if (pairs == 0) return std::nullopt;
  return sum / pairs;
}

constexpr std::array fillers{"um", "uh", "er", "hm", "eh", "oh", "ah", "huh", "hey", "mhm"};

/// A pair with so many fillers at random places of the source. The first word stays first.
toys::SentencePair with_fillers(const toys::SentencePair& pair, std::size_t count, SplitMix64& random) {
  const std::vector<std::string> source = words(pair.source);
  std::vector<std::uint8_t> is_filler(source.size() - 1 + count, 0);
  std::fill_n(is_filler.begin(), count, std::uint8_t{1});
  random.shuffle(is_filler);
  std::string mixed = source.front();
  auto next = source.begin() + 1;
  for (const std::uint8_t filler : is_filler) {
    mixed += " ";
    mixed += filler != 0 ? fillers[random.below(fillers.size())] : *next++;
  }
  return {mixed, pair.target};
}

struct Dropped {
  double fillers = 0, words = 0;  ///< of them all
};

/// The pairs without so many quarters of their source words, but the first one: those with the least weight,
/// summed over the target words, or random ones. Counts the dropped words.
Pairs without_words(const Pairs& pairs, const std::vector<Tensor>& weights, std::size_t quarters,
                    bool least_weight, SplitMix64& random, Dropped& found) {
  Pairs shorter = pairs;
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    std::vector<double> sums = weights_of(weights[pair], 0);  // of each source word over the target words
    for (std::size_t target = 1; target + 1 < to_size(weights[pair].size(0)); ++target)
      std::ranges::transform(sums, weights_of(weights[pair], target), sums.begin(), std::plus<>());
    std::vector<std::size_t> order(sums.size() - 1);  // the first to go is first
    std::iota(order.begin(), order.end(), 1);
    random.shuffle(order);
    if (least_weight) std::ranges::sort(order, {}, [&](std::size_t word) { return sums[word]; });
    order.resize(order.size() * quarters / 4);
    const std::vector<std::string> source = words(pairs[pair].source);
    std::string& kept = shorter[pair].source = "";
    for (std::size_t i = 0; i < source.size(); ++i)
      if (std::ranges::count(order, i) == 0) {
        kept += (kept.empty() ? "" : " ") + source[i];
      } else {
        ++found.words;
        found.fillers += static_cast<double>(std::count(fillers.begin(), fillers.end(), source[i]));
      }
  }
  return shorter;
}

Index largest(const std::vector<double>& of) { return std::ranges::max_element(of) - of.begin(); }

void erasure_and_weights(Trial& trial) {
  const NoGrad no_grad;
  const translation::ParallelCorpus test = trial.first_pairs();
  const std::vector<Tensor> weights = source_weights(trial.trained(), test);
  std::vector<double> taus, top, other;
  for (std::size_t pair = 0; pair < test.source.size(); ++pair) {
    if (test.source[pair].size() < 3) continue;  // the top word has no other beside it
    const Erased without = erased(trial.trained(), test, pair);
    for (std::size_t target = 0; target < without.effect.size(); ++target) {
      std::vector<double> of_words = weights_of(weights[pair], target);
      of_words.erase(of_words.begin());
      if (const auto tau = kendall_tau(of_words, without.effect[target], 0.01)) taus.push_back(*tau);
      std::vector<double> changed = without.changed[target];
      const auto place = changed.begin() + largest(of_words);
      top.push_back(100 * *place);
      changed.erase(place);
      other.push_back(100 * mean(changed));
    }
  }
  trial.measured = {{"tau", {mean(taus)}}, {"top", {mean(top)}}, {"other", {mean(other)}}};
}

/// The weights of one step go to other rows of the memory at random (Jain and Wallace 2019, section 4.2.1):
/// the keys stay, the values change places. For recurrent decoders.
void permuted_weights(Trial& trial) {
  const NoGrad no_grad;
  const translation::ParallelCorpus test = trial.first_pairs();
  transformer::EncoderDecoder& model = trial.trained().model();
  auto& decoder = dynamic_cast<transformer::RecurrentDecoder&>(model.decoder());
  using Decoder = transformer::RecurrentDecoder;
  SplitMix64 random = random_for(trial.job, Draw::other);
  std::vector<double> changes;
  for (std::size_t pair = 0; pair < test.source.size(); ++pair) {
    const transformer::Batch batch =
        transformer::make_batch(std::span(&test.source[pair], 1), std::span(&test.target[pair], 1));
    const transformer::Memory memory = model.encode(batch.source);
    const Decoder::PreparedMemory prepared = decoder.prepare(memory);
    Decoder::State state = decoder.first_state(memory);
    std::vector<std::int32_t> rows(to_size(memory.rows.size(0)));
    std::iota(rows.begin(), rows.end(), 0);
    for (Index at = 0; at < batch.target_input.tokens(); ++at) {
      transformer::PackedSequences token;
      token.append({&batch.target_input.ids[to_size(at)], 1});
      const auto likeliest = [&](const Decoder::PreparedMemory& read, Decoder::State& from) {
        const std::vector<Index> sources{0};
        const std::vector<std::int32_t> positions{static_cast<std::int32_t>(at)};
        return argmax(model.generator(
            decoder.run({token, sources, positions, read}, from, Decoder::Keep::last_state, {})));
      };
      random.shuffle(rows);
      Decoder::PreparedMemory permuted = prepared;
      permuted.keys.value = gather(prepared.keys.value, 0, rows);
      Decoder::State other = state;
      const std::vector<std::int32_t> with_permuted = likeliest(permuted, other);
      changes.push_back(100.0 * (with_permuted != likeliest(prepared, state)));
    }
  }
  trial.measured["permuted"] = {mean(changes)};
}

/// Training and validation have from no filler to twice as many as words, the test as many as words.
void words_dropped(Trial& trial) {
  toys::Corpus corpus = trial.corpus();
  corpus.has_alignments = false;  // the fillers move the words
  SplitMix64 random = random_for(trial.job, Draw::other);
  for (Pairs* const part : {&corpus.train, &corpus.validation, &corpus.test})
    for (toys::SentencePair& pair : *part) {
      const std::size_t count = words(pair.source).size() - 1;
      pair = with_fillers(pair, part == &corpus.test ? count : random.below(2 * count + 1), random);
    }
  Trained trained = train(trial.job, corpus, {}, "other");
  trial.measured = trained.training;
  const std::vector<Tensor> weights = source_weights(trained, encoded(trained, corpus.test));
  for (const char* const name : {"lowest", "random"})
    for (std::size_t quarters = 0; quarters < 4; ++quarters) {
      Dropped found;
      const bool lowest = name == std::string("lowest");
      trial.measured[name].push_back(
          translate(trained, without_words(corpus.test, weights, quarters, lowest, random, found)).bleu());
      if (lowest && quarters == 2)
        trial.measured["fillers"] = {100 * found.fillers / std::max(found.words, 1.0)};
    }
  trial.measured["clean"] = {translate(trained, trial.test()).bleu()};
}

}  // namespace

std::vector<Measure> measures_of_explanation() {
  return {{"erasure_and_weights", "tau top other",
           "tau of weights and erasure; other words predicted without the top word or another, in % (pairs)",
           erasure_and_weights, "pairs"},
          {"permuted_weights", "permuted", "other words predicted, in % (pairs)", permuted_weights, "pairs"},
          {"words_dropped", "lowest random clean fillers validation_loss parameters",
           "BLEU of sources with fillers without 0 to 3 quarters of the words; without the fillers; fillers "
           "among half of the words, in %",
           words_dropped, "", Model::own}};
}

}  // namespace regard::experiments
