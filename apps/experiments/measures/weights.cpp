#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "apps/experiments/measures/measures.h"
#include "apps/gold/gold_alignments.h"
#include "apps/head_importance/head_importance.h"
#include "apps/translation/translator/alignment.h"
#include "apps/translation/translator/attention_json.h"
#include "autograd/machine/error.h"
#include "transformer/attention_layers.h"

// Measures of attention weights: what they look like, what they align, and which heads are needed.

namespace regard::experiments {

std::vector<Tensor> source_weights(Trained& trained, const translation::ParallelCorpus& corpus) {
  std::vector<Tensor> weights;
  for (std::size_t i = 0; i < corpus.source.size(); ++i) {
    const transformer::Batch batch = transformer::make_batch({&corpus.source[i], 1}, {&corpus.target[i], 1});
    weights.push_back(translation::source_attention(trained.model(), batch).front().weights);
  }
  return weights;
}

namespace {

/// One sentence of 6 to 8 words: what the model makes of it, and where it looks when it reads the reference.
void one_sentence(Trial& trial) {
  const Pairs& pairs = trial.test();
  auto found_pair = std::ranges::find_if(pairs, [](const toys::SentencePair& pair) {
    const auto words = std::ranges::count(pair.target, ' ') + 1;
    return words >= 6 && words <= 8;
  });
  const toys::SentencePair& pair = found_pair == pairs.end() ? pairs.front() : *found_pair;
  trial.texts["source"] = pair.source;
  trial.texts["reference"] = pair.target;
  std::string found = translate(trial.trained(), {pair}).found_text.front();
  std::size_t end = 0;  // a broken model may not stop
  for (int words = 0; words < 16 && end != std::string::npos; ++words) end = found.find(' ', end + 1);
  trial.texts["translation"] = end == std::string::npos ? found : found.substr(0, end) + " ...";
  const Tensor weights = source_weights(trial.trained(), encoded(trial.trained(), {pair})).front();
  for (Index target = 0; target + 1 < weights.size(0); ++target)
    for (Index source = 0; source + 1 < weights.size(1); ++source)
      trial.measured["attention"].push_back(static_cast<double>(weights.at({target, source})));
}

void entropy(Trial& trial) {
  double sum = 0;
  const std::vector<Tensor> all = source_weights(trial.trained(), encoded(trial.trained(), trial.test()));
  for (const Tensor& weights : all)
    sum += translation::entropy(weights.view({1, weights.size(0), weights.size(1)}), 0);
  trial.measured["entropy"] = {sum / static_cast<double>(all.size())};
}

void zeros(Trial& trial) {
  Index zeros = 0, all = 0;
  for (const Tensor& weights : source_weights(trial.trained(), encoded(trial.trained(), trial.test()))) {
    zeros += std::ranges::count(weights.values(), Real{0});
    all += weights.size();
  }
  trial.measured["zeros"] = {100 * static_cast<double>(zeros) / static_cast<double>(all)};
}

/// The mean, over pairs and source tokens, of the greatest minus the least weight that a target token gives
/// to it.
void query_dependence(Trial& trial) {
  double sum = 0, tokens = 0;
  for (const Tensor& weights : source_weights(trial.trained(), encoded(trial.trained(), trial.test())))
    for (Index source = 0; source < weights.size(1); ++source, ++tokens) {
      Real least = 1, most = 0;
      for (Index target = 0; target < weights.size(0); ++target) {
        least = std::min(least, weights.at({target, source}));
        most = std::max(most, weights.at({target, source}));
      }
      sum += static_cast<double>(most - least);
    }
  trial.measured["difference"] = {sum / tokens};
}

/// The alignment error rate in % (Och and Ney 2003) if one function chooses the source word of each target
/// word, or -1.
template <class Choose>
double error_of(const Pairs& pairs, const Choose& choose) {
  translation::AlignmentCounts counts;
  for (const toys::SentencePair& pair : pairs) {
    const translation::GoldAlignment gold = translation::parse_gold(pair.alignment, "gold");
    const Index sources = std::ranges::count(pair.source, ' ') + 1;
    const Index targets = std::ranges::count(pair.target, ' ') + 1;
    translation::Alignment found;
    for (Index target = 0; target < targets; ++target)
      if (const Index source = choose(gold, sources, target, targets); source >= 0)
        found.push_back({source, target});
    counts += translation::alignment_counts(found, gold);
  }
  return 100 * translation::alignment_quality(counts).error_rate.value_or(1);
}

/// The test pairs, with gold alignments.
const Pairs& aligned_pairs(Trial& trial) {
  if (!trial.corpus().has_alignments) fail("this measure needs gold alignments, which this task has not");
  return trial.test();
}

void alignment(Trial& trial) {
  const Pairs& pairs = aligned_pairs(trial);
  const std::vector<translation::Alignment> found =
      translation::align_all(trial.trained().model(), encoded(trial.trained(), pairs));
  translation::AlignmentCounts counts;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    counts += translation::alignment_counts(found[i], translation::parse_gold(pairs[i].alignment, "gold"));
  trial.measured["error"] = {100 * translation::alignment_quality(counts).error_rate.value_or(1)};

  SplitMix64 random(to_size(trial.job.seed));
  trial.measured["random"] = {error_of(pairs, [&](const auto&, Index sources, Index, Index) {
    return static_cast<Index>(random.below(to_size(sources)));
  })};
  // The first source token names the language.
  trial.measured["diagonal"] = {error_of(pairs, [](const auto&, Index sources, Index target, Index targets) {
    return 1 + (2 * target + 1) * (sources - 1) / (2 * targets);
  })};
  trial.measured["best_possible"] = {error_of(pairs, [](const auto& gold, Index, Index target, Index) {
    const auto link = std::ranges::find(gold.sure, target, &translation::Link::target);
    return link == gold.sure.end() ? -1 : link->source;
  })};
}

/// Of the words, those in % that look at the word before, the word after, themselves, the first and the last
/// token.
using Shares = std::array<double, 5>;

double neighbour(const Shares& head) { return std::max(head[0], head[1]); }

/// For each head of a Transformer's encoder: the share of the words whose largest weight lies at each place.
/// Words that have no neighbour there do not count.
std::vector<Shares> place_shares(Trained& trained, const Pairs& pairs) {
  const translation::ParallelCorpus corpus = encoded(trained, pairs);
  const transformer::ForcedPass pass =
      forced_pass(trained.model(), transformer::make_batch(corpus.source, corpus.target));
  std::vector<Shares> heads;
  for (const transformer::AttentionLayer& layer : pass.of(transformer::AttentionKind::encoder))
    for (Index head = 0; head < layer.attention->heads(); ++head) {
      Shares shares{}, words{};
      for (const Tensor& weights : layer.weights) {
        const Index keys = weights.size(2);
        for (Index query = 0; query < keys; ++query) {
          const Real* const row = weights.data() + (head * keys + query) * keys;
          const Index looks_at = std::max_element(row, row + keys) - row;
          const std::array<Index, 5> places{query - 1, query + 1, query, 0, keys - 1};
          for (std::size_t i = 0; i < places.size(); ++i) {
            shares[i] += looks_at == places[i];
            words[i] += places[i] >= 0 && places[i] < keys;
          }
        }
      }
      for (std::size_t i = 0; i < shares.size(); ++i) shares[i] *= words[i] > 0 ? 100 / words[i] : 0;
      heads.push_back(shares);
    }
  return heads;
}

void positional_heads(Trial& trial) {
  Trained first_weights = trial.trained_for(1);
  const std::vector<Shares> heads = place_shares(trial.trained(), trial.test());
  std::vector<double>& shares = trial.measured["shares"];
  for (const Shares& head : heads) shares.push_back(neighbour(head));
  std::ranges::sort(shares, std::greater<>());
  trial.measured["neighbour"] = {shares.front()};
  double before = 0;
  for (const Shares& head : place_shares(first_weights, trial.test()))
    before = std::max(before, neighbour(head));
  trial.measured["neighbour_before"] = {before};
  for (std::size_t place = 0; place < std::tuple_size_v<Shares>; ++place)
    trial.measured["best"].push_back(
        std::ranges::max(heads, {}, [&](const Shares& head) { return head[place]; })[place]);
}

/// BLEU without the first 0, 1/8, ... 8/8 of these heads.
std::vector<double> bleu_without(Trial& trial, const std::vector<nn::Head>& heads) {
  std::vector<double> bleu;
  for (std::size_t part = 0; part <= 8; ++part) {
    const auto count = static_cast<std::ptrdiff_t>(heads.size() * part / 8);
    const nn::HeadsOff off(trial.trained().model(), {heads.begin(), heads.begin() + count});
    bleu.push_back(translate(trial.trained(), trial.test()).bleu());
  }
  return bleu;
}

/// BLEU after a further training without the first of these heads (Voita et al. 2019, section 6).
double bleu_retrained(Trial& trial, std::vector<nn::Head> heads, std::size_t count) {
  heads.resize(count);
  const double rate = trial.trained().translator.model().settings.training.learning_rate.value();
  Trained again = train(trial.job, trial.corpus(),
                        {"training.initial_weights=" + model_directory(trial.job),
                         fmt::format("training.steps={}", static_cast<Index>(trial.option("steps", 1000))),
                         fmt::format("training.learning_rate={}", rate / trial.option("slower", 1))},
                        "other", heads);
  const nn::HeadsOff off(again.model(), heads);
  return translate(again, trial.test()).bleu();
}

void heads_off(Trial& trial) {
  std::map<std::string, std::vector<nn::Head>> heads;  // the least important first
  for (const auto& without :
       head_importance(trial.trained().model(), encoded(trial.trained(), trial.corpus().validation)).heads)
    for (const char* const kind : {"all", translation::name_of(without.kind)})
      heads[kind].insert(heads[kind].begin(), without.head);
  for (const auto& [kind, of_kind] : heads) trial.measured[kind] = bleu_without(trial, of_kind);
  std::vector<nn::Head>& all = heads["all"];
  trial.measured["longer"] = {bleu_retrained(trial, all, 0)};
  trial.measured["retrained"] = {bleu_retrained(trial, all, all.size() * 5 / 8)};
  trial.measured["encoder_retrained"] = {
      bleu_retrained(trial, heads["encoder"], heads["encoder"].size() * 6 / 8)};
  SplitMix64 random(to_size(trial.job.seed));
  random.shuffle(all);
  trial.measured["at_random"] = bleu_without(trial, all);
}

}  // namespace

std::vector<Measure> measures_of_weights() {
  return {
      {"one_sentence", "attention", "a map of a short test pair; the sentences", one_sentence, "",
       Model::trained, "source reference translation"},
      {"entropy", "entropy", "of the weights of the source, in nats", entropy},
      {"zeros", "zeros", "weights that are exactly 0, in %", zeros},
      {"query_dependence", "difference", "of the weights between queries", query_dependence},
      {"alignment", "error random diagonal best_possible", "error rate in %; the others without a model",
       alignment},
      {"positional_heads", "neighbour neighbour_before best shares",
       "words that look at a neighbour in the best head, in %; before the training; at the word before, "
       "after, itself, first, last; by head",
       positional_heads},
      {"heads_off", "all encoder decoder source at_random longer retrained encoder_retrained",
       "BLEU without 0/8 ... 8/8 of the heads; after more steps, with the learning rate divided by slower, "
       "with all, without 5/8, without 6/8 of the encoder's",
       heads_off, "steps slower"}};
}

}  // namespace regard::experiments
