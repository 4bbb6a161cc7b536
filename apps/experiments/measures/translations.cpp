#include <cmath>
#include <limits>

#include "apps/experiments/measures/task.h"
#include "autograd/graph.h"

// What a trained model writes, and how much of it is right.

namespace regard::experiments {

namespace {
double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : std::nan(""); }
}  // namespace

translation::ParallelCorpus encoded(Trained& trained, const Pairs& pairs) {
  const translation::TranslationModel& model = trained.translator.model();
  translation::ParallelText text{.source = {}, .target = {}, .name = "the pairs of an experiment"};
  for (const toys::SentencePair& pair : pairs) {
    text.source.push_back(pair.source);
    text.target.push_back(pair.target);
  }
  const auto files = model.settings.source_files();
  return translation::encode(text, {.tokeniser = *model.tokeniser,
                                    .source_vocabulary = model.vocabularies.source,
                                    .target_vocabulary = model.vocabularies.target,
                                    .files = files.get()});
}

Translations translate(Trained& trained, const Pairs& pairs, const transformer::SearchOptions& options) {
  std::vector<std::string> sources;
  Translations translations;
  const translation::Tokeniser& tokeniser = *trained.translator.model().tokeniser;
  for (const toys::SentencePair& pair : pairs) {
    sources.push_back(pair.source);
    translations.expected.push_back(tokeniser.split_target(pair.target));
    translations.expected_text.push_back(tokeniser.plain(pair.target));
  }
  for (const translation::Translator::Result& result : trained.translator.translate(sources, options)) {
    translations.found.push_back(trained.translator.target_tokens(result.n_best.front()));
    translations.found_text.push_back(result.n_best.front().text);
  }
  return translations;
}

double Translations::exact_match() const {
  Index right = 0;
  for (std::size_t i = 0; i < found.size(); ++i) right += found[i] == expected[i];
  return percent(static_cast<double>(right), static_cast<double>(found.size()));
}

double Translations::bleu() const { return translation::corpus_bleu(found_text, expected_text, {}).score; }

double Translations::right_at(Index place) const {
  Index right = 0, all = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto at = place < 0 ? expected[i].size() - 1 : to_size(place);
    if (at >= expected[i].size()) continue;
    ++all;
    right += at < found[i].size() && found[i][at] == expected[i][at];
  }
  return percent(static_cast<double>(right), static_cast<double>(all));
}

double Translations::token_accuracy() const {
  Index right = 0, all = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t at = 0; at < expected[i].size(); ++at) {
      ++all;
      right += at < found[i].size() && found[i][at] == expected[i][at];
    }
  return percent(static_cast<double>(right), static_cast<double>(all));
}

double Translations::length_ratio() const {
  std::size_t ours = 0, theirs = 0;
  for (const auto& tokens : found) ours += tokens.size();
  for (const auto& tokens : expected) theirs += tokens.size();
  return static_cast<double>(ours) / static_cast<double>(theirs);
}

std::vector<std::vector<bool>> forced_right(Trained& trained, const Pairs& pairs, End end) {
  const NoGrad no_grad;
  const translation::ParallelCorpus corpus = encoded(trained, pairs);
  std::vector<std::vector<bool>> right;
  for (std::size_t i = 0; i < corpus.source.size(); ++i) {
    const transformer::Batch batch = transformer::make_batch({&corpus.source[i], 1}, {&corpus.target[i], 1});
    const Tensor logits = trained.model().logits(batch);
    for (Index at = 0; end == End::at_the_end && at + 1 < logits.size(0); ++at)
      logits.data()[at * logits.size(1) + transformer::sentence_end_id] = std::numeric_limits<Real>::lowest();
    const std::vector<std::int32_t> likeliest = argmax(logits);
    std::vector<bool>& of_pair = right.emplace_back();
    for (std::size_t at = 0; at < likeliest.size(); ++at)
      of_pair.push_back(likeliest[at] == batch.target_output[at]);
  }
  return right;
}

}  // namespace regard::experiments
