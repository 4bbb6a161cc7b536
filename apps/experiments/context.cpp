#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

#include "apps/experiments/measures.h"
#include "apps/translation/translator/head_importance.h"
#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "transformer/attention_layers.h"
#include "transformer/self_attention/transformer.h"

// Measures of context: what the rows of an encoder know of other words, how it connects a pronoun with its
// noun, and what its heads have in common.

namespace regard::experiments {

namespace {

using Sentence = std::vector<std::int32_t>;
using transformer::AttentionKind;

/// The first pairs of the test, 100 or as many as the option says.
translation::ParallelCorpus first_pairs(Trial& trial) {
  Pairs pairs = trial.test();
  pairs.resize(std::min(pairs.size(), static_cast<std::size_t>(trial.option("pairs", 100))));
  return encoded(trial.trained(), pairs);
}

/// The model of the job before its training, but for one step.
Trained before_training(Trial& trial) {
  return trial.trained_with({"training.steps=1", "training.schedule=inverse_sqrt"});
}

/// The rows after the embedding and after each layer, [source tokens, d_model].
std::vector<Tensor> rows_by_layer(transformer::EncoderDecoder& model, const transformer::Source& source) {
  const NoGrad no_grad;
  auto& encoder = dynamic_cast<transformer::TransformerEncoder&>(model.encoder());
  const Segments sentences = segments(source.offsets, source.offsets);
  std::vector<Tensor> rows{encoder.input(source)};
  for (transformer::EncoderLayer& layer : encoder.stack.layers) rows.push_back(layer(rows.back(), sentences));
  return rows;
}

double distance(const Tensor& rows, Index a, Index b) {
  double sum = 0;
  for (Index c = 0; c < rows.size(1); ++c) {
    const auto difference = static_cast<double>(rows.at({a, c}) - rows.at({b, c}));
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

/// For each layer, the part of the changes of a row that comes from other words, and from those at least
/// `far_from` places away, in %. One word of a sentence after the other is replaced by a random word. The
/// first token, which names the language, stays.
struct Mixing {
  std::vector<double> others, far;
};
Mixing mixing_of(transformer::EncoderDecoder& model, const std::vector<Sentence>& sentences) {
  constexpr Index far_from = 4;
  SplitMix64 random(1);
  Mixing mixing;
  double words = 0;
  for (const Sentence& sentence : sentences) {
    const Index n = to_index(sentence.size());
    std::vector<Sentence> changed(sentence.size(), sentence);  // changed[0] is the sentence itself
    for (std::size_t word = 1; word < sentence.size(); ++word)
      while (changed[word][word] == sentence[word]) {
        const Sentence& other = random.pick(sentences);
        changed[word][word] = other[1 + random.below(other.size() - 1)];
      }
    const std::vector<Tensor> rows = rows_by_layer(model, transformer::pack_sources(changed));
    mixing.others.resize(rows.size());
    mixing.far.resize(rows.size());
    words += static_cast<double>(n - 1);
    for (std::size_t layer = 0; layer < rows.size(); ++layer)
      for (Index row = 1; row < n; ++row) {
        double all = 0, others = 0, far = 0;
        for (Index word = 1; word < n; ++word) {
          const double change = distance(rows[layer], word * (n + 1) + row, row);
          all += change;
          others += word != row ? change : 0;
          far += std::abs(word - row) >= far_from ? change : 0;
        }
        mixing.others[layer] += 100 * others / all;
        mixing.far[layer] += 100 * far / all;
      }
  }
  for (auto* const shares : {&mixing.others, &mixing.far})
    for (double& share : *shares) share /= words;
  return mixing;
}

void mixing(Trial& trial) {
  const std::vector<Sentence> sentences = first_pairs(trial).source;
  const Mixing after = mixing_of(trial.trained().model(), sentences);
  Trained untrained = before_training(trial);
  trial.measured = {{"others", after.others},
                    {"far", after.far},
                    {"before", mixing_of(untrained.model(), sentences).others}};
}

/// What the weights of two heads of a layer have in common, the sum of the lesser of both, in %: the mean
/// over all pairs of heads and all queries with at least 4 keys. A decoder's query sees the tokens up to its
/// own.
double overlap_of(const transformer::ForcedPass& pass, AttentionKind kind) {
  double sum = 0, count = 0;
  for (const transformer::AttentionLayer& layer : pass.of(kind))
    for (const Tensor& weights : layer.weights) {  // [heads, queries, keys]
      const Index queries = weights.size(1), keys = weights.size(2);
      for (Index query = kind == AttentionKind::decoder ? 3 : 0; query < queries && keys >= 4; ++query)
        for (Index a = 0; a < weights.size(0); ++a)
          for (Index b = 0; b < a; ++b, ++count)
            for (Index key = 0; key < keys; ++key)
              sum += static_cast<double>(std::min(weights.at({a, query, key}), weights.at({b, query, key})));
    }
  return 100 * sum / count;
}

std::array<double, 3> overlaps(Trained& trained, const translation::ParallelCorpus& corpus) {
  const transformer::ForcedPass pass =
      forced_pass(trained.model(), transformer::make_batch(corpus.source, corpus.target));
  return {overlap_of(pass, AttentionKind::encoder), overlap_of(pass, AttentionKind::decoder),
          overlap_of(pass, AttentionKind::source)};
}

/// A head is idle if the loss of the validation set rises by less than this without it, in nats.
constexpr double idle_below = 0.01;

void overlap(Trial& trial) {
  const translation::ParallelCorpus corpus = first_pairs(trial);
  const auto [encoder, decoder, source] = overlaps(trial.trained(), corpus);
  Trained untrained = before_training(trial);
  const auto [encoder_before, decoder_before, source_before] = overlaps(untrained, corpus);
  const translation::HeadImportance importance =
      head_importance(trial.trained().model(), encoded(trial.trained(), trial.corpus().validation));
  std::vector<double> cost;
  for (const auto& without : importance.heads) cost.push_back(without.loss - importance.loss);
  const auto idle = std::ranges::count_if(cost, [](double nats) { return nats < idle_below; });
  trial.measured = {{"encoder", {encoder}},
                    {"decoder", {decoder}},
                    {"source", {source}},
                    {"before", {(encoder_before + decoder_before + source_before) / 3}},
                    {"idle", {100 * static_cast<double>(idle) / static_cast<double>(cost.size())}},
                    {"cost", cost}};
}

std::vector<std::string> words_of(const std::string& line) { return words(line.c_str()); }

/// The pairs of the toy pronouns whose pronoun is "it". With a `distance`, those whose noun follows it so
/// many words later or more.
Pairs with_it(const Pairs& pairs, std::size_t distance = 0) {
  Pairs found;
  for (const toys::SentencePair& pair : pairs) {
    if (pair.alignment.empty()) fail("this measure needs the toy pronouns");
    const toys::PronounLink link = toys::pronoun_link(pair);
    if (words_of(pair.source)[link.pronoun] == "it" &&
        (distance == 0 || link.antecedent >= link.pronoun + distance))
      found.push_back(pair);
  }
  return found;
}

/// With teacher forcing: the translations of "it", and the other words, that are right, in %.
struct Right {
  double it = 0, others = 0;
};
Right right_words(Trained& trained, const Pairs& pairs) {
  Right right;
  double words = 0;
  const std::vector<std::vector<bool>> forced = forced_right(trained, pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::size_t pronoun = toys::pronoun_link(pairs[i]).translation;
    right.it += forced[i][pronoun];
    right.others += static_cast<double>(std::ranges::count(forced[i], true)) - forced[i][pronoun];
    words += static_cast<double>(forced[i].size()) - 1;
  }
  return {100 * right.it / static_cast<double>(pairs.size()), 100 * right.others / words};
}

/// For each head of the encoder, by layer and head: how often it gives the noun its largest weight from the
/// pronoun, in %.
std::map<std::pair<Index, Index>, double> looks_at_noun(Trained& trained, const Pairs& pairs) {
  const translation::ParallelCorpus corpus = encoded(trained, pairs);
  const transformer::ForcedPass pass =
      forced_pass(trained.model(), transformer::make_batch(corpus.source, corpus.target));
  std::map<std::pair<Index, Index>, double> heads;
  for (const transformer::AttentionLayer& layer : pass.of(AttentionKind::encoder))
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const toys::PronounLink link = toys::pronoun_link(pairs[i]);
      const Tensor& weights = layer.weights[i];
      const Index keys = weights.size(2);
      for (Index head = 0; head < weights.size(0); ++head) {
        const Real* const row = weights.data() + (head * keys + to_index(link.pronoun)) * keys;
        const bool looks = to_size(std::max_element(row, row + keys) - row) == link.antecedent;
        heads[{layer.layer, head}] += looks ? 100 / static_cast<double>(pairs.size()) : 0;
      }
    }
  return heads;
}

/// The head that looks at the noun is chosen on the validation set.
void pronouns(Trial& trial) {
  const auto distance = static_cast<std::size_t>(trial.option("distance", 0));
  const Pairs test = with_it(trial.test(), distance);
  transformer::EncoderDecoder& model = trial.trained().model();
  const auto looking = looks_at_noun(trial.trained(), with_it(trial.corpus().validation, distance));
  if (looking.empty()) fail("this measure needs an encoder with heads");
  const auto best =
      std::ranges::max_element(looking, {}, [](const auto& head) { return head.second; })->first;
  const double head = looks_at_noun(trial.trained(), test)[best];
  const Right whole = right_words(trial.trained(), test);
  std::vector<nn::Head> heads;
  for (const transformer::AttentionLayer& layer : attention_layers(model))
    for (Index i = 0; layer.kind == AttentionKind::encoder && i < layer.attention->heads(); ++i)
      heads.push_back({layer.name, i});
  const nn::HeadsOff off(model, heads);
  const Right without = right_words(trial.trained(), test);
  trial.measured = {{"it", {whole.it}},
                    {"others", {whole.others}},
                    {"it_without", {without.it}},
                    {"others_without", {without.others}},
                    {"head", {head}}};
}

/// True if the likeliest token at a place of a target is `word`.
bool says(transformer::EncoderDecoder& model, const transformer::Batch& batch,
          const transformer::Memory& memory, std::size_t place) {
  const std::vector<std::int32_t> likeliest =
      argmax(model.generator(model.decode(batch.target_input, memory)));
  return likeliest[place] == batch.target_output[place];
}

/// A noun that comes after "it" becomes one of the other gender. How often does the pronoun follow, in %: if
/// the decoder sees all rows of the new sentence, or the old rows with a new one of the pronoun, or of the
/// noun.
void changed_noun(Trial& trial) {
  const NoGrad no_grad;
  std::map<std::string, std::set<std::string>> nouns;  // by the pronoun that stands for them
  for (const toys::SentencePair& pair : with_it(trial.corpus().train)) {
    const toys::PronounLink link = toys::pronoun_link(pair);
    nouns[words_of(pair.target)[link.translation]].insert(words_of(pair.source)[link.antecedent]);
  }
  SplitMix64 random = random_for(trial.job, Draw::other);
  double pairs = 0, changed = 0, by_pronoun = 0, by_noun = 0;
  const auto distance = static_cast<std::size_t>(trial.option("distance", 8));
  transformer::EncoderDecoder& model = trial.trained().model();
  for (const toys::SentencePair& pair : with_it(trial.test(), distance)) {
    const toys::PronounLink link = toys::pronoun_link(pair);
    std::vector<std::string> source = words_of(pair.source), target = words_of(pair.target);
    const std::string& other = target[link.translation] == "il" ? "elle" : "il";
    if (nouns[other].empty()) continue;
    source[link.antecedent] =
        *std::next(nouns[other].begin(), static_cast<std::ptrdiff_t>(random.below(nouns[other].size())));
    target[link.translation] = other;
    const translation::ParallelCorpus corpus = encoded(
        trial.trained(),
        {pair, {fmt::format("{}", fmt::join(source, " ")), fmt::format("{}", fmt::join(target, " "))}});
    const transformer::Batch batch = transformer::make_batch({&corpus.source[1], 1}, {&corpus.target[1], 1});
    const transformer::Memory after = model.encode(batch.source);
    const transformer::Memory before = model.encode(transformer::pack_sources({&corpus.source[0], 1}));
    const auto says_other = [&](std::size_t row) {
      transformer::Memory mixed = before;
      mixed.rows = before.rows.clone();
      const auto width = mixed.rows.size(1), begin = to_index(row) * width;
      std::copy_n(after.rows.data() + begin, width, mixed.rows.data() + begin);
      return says(model, batch, mixed, link.translation);
    };
    ++pairs;
    changed += says(model, batch, after, link.translation);
    by_pronoun += says_other(link.pronoun);
    by_noun += says_other(link.antecedent);
  }
  trial.measured = {{"changed", {100 * changed / pairs}},
                    {"by_pronoun", {100 * by_pronoun / pairs}},
                    {"by_noun", {100 * by_noun / pairs}}};
}

}  // namespace

std::vector<Measure> measures_of_context() {
  return {{"mixing", "others far before",
           "share of other words in the changes of a row, of far ones, and before the training, in %, by "
           "layer (pairs)",
           mixing, "pairs"},
          {"overlap", "encoder decoder source before idle cost",
           "of the weights of two heads, in %; idle heads, in %; loss without each head (pairs)", overlap,
           "pairs"},
          {"pronouns", "it others it_without others_without head",
           "\"it\" and other words right, with the encoder's heads and without; the best head looks at the "
           "noun; in % (distance)",
           pronouns, "distance"},
          {"changed_noun", "changed by_pronoun by_noun",
           "pronouns that follow another noun, in %; by one row (distance)", changed_noun, "distance"}};
}

}  // namespace regard::experiments
