#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

#include "apps/experiments/measures/measures.h"
#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "transformer/attention_layers.h"

// Measures of the toy pronouns: how an encoder connects "it" with its noun.

namespace regard::experiments {

namespace {

using transformer::AttentionKind;

/// The pairs of the toy pronouns whose pronoun is "it". With a `distance`, those whose noun follows it so
/// many words later or more.
Pairs with_it(const Pairs& pairs, std::size_t distance = 0) {
  Pairs found;
  for (const toys::SentencePair& pair : pairs) {
    if (pair.alignment.empty()) fail("this measure needs the toy pronouns");
    const toys::PronounLink link = toys::pronoun_link(pair);
    if (words(pair.source)[link.pronoun] == "it" &&
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
    nouns[words(pair.target)[link.translation]].insert(words(pair.source)[link.antecedent]);
  }
  SplitMix64 random = random_for(trial.job, Draw::other);
  double pairs = 0, changed = 0, by_pronoun = 0, by_noun = 0;
  const auto distance = static_cast<std::size_t>(trial.option("distance", 8));
  transformer::EncoderDecoder& model = trial.trained().model();
  for (const toys::SentencePair& pair : with_it(trial.test(), distance)) {
    const toys::PronounLink link = toys::pronoun_link(pair);
    std::vector<std::string> source = words(pair.source), target = words(pair.target);
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

std::vector<Measure> measures_of_pronouns() {
  return {{"pronouns", "it others it_without others_without head",
           "\"it\" and other words right, with the encoder's heads and without; the best head looks at the "
           "noun; in % (distance)",
           pronouns, "distance"},
          {"changed_noun", "changed by_pronoun by_noun",
           "pronouns that follow another noun, in %; by one row (distance)", changed_noun, "distance"}};
}

}  // namespace regard::experiments
