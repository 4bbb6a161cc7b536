#pragma once

#include <string>
#include <vector>

#include "apps/experiments/measures/job.h"
#include "apps/toys/toys.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/metrics/bleu.h"
#include "apps/translation/translator/translator.h"
#include "nn/attention_module.h"
#include "transformer/search/search_options.h"

// What experiments share: a corpus, a training on it, and what is measured with the trained model.

namespace regard::experiments {

using Pairs = std::vector<toys::SentencePair>;

/// The toy of a task.
toys::Toy toy_of(const Task& task);

/// The corpus of --corpus (train.source, train.target, the same for validation and test), or else one of the
/// task's toy. With --quick it is small.
toys::Corpus corpus_for(const Job& job, const Task& task);

/// The random numbers of a job for its data. The seed of the job decides them, and no two parts share them.
enum class Draw { corpus, train, validation, test, other, forms };
SplitMix64 random_for(const Job& job, Draw draw);

/// The settings of all experiments, before those of the job.
std::vector<std::string> common_settings(const Job& job);

/// Pairs of a toy, all different.
Pairs sample(const Job& job, const toys::Toy& toy, Index count, Draw draw);

/// A trained model.
struct Trained {
  translation::Translator translator;
  /// "validation_loss" (the least, of the weights in the model), "parameters"; and at places of the training
  /// that have equal distances: "loss" and "gradient_norm" at 20, "validation_curve" at 10.
  Measurements training;

  transformer::EncoderDecoder& model() { return translator.model().model; }
};

/// Where a job keeps its model, and the measurements of its training, which are there if it is complete.
std::string model_directory(const Job& job);
std::string kept_training(const std::string& job_directory);

/// Trains a model on a corpus, on one thread, with the seed and the settings of the job. `further` settings
/// are stronger. The model directory is named `name`, in that of the job. The heads of `off` take no part.
Trained train(const Job& job, const toys::Corpus& corpus, const std::vector<std::string>& further = {},
              const std::string& name = "model", const std::vector<nn::Head>& off = {});

/// Gives the model of a job the mean of its last checkpoints (Task::average).
void average_checkpoints(const Job& job, Trained& trained);

/// A model with its first weights, in evaluation mode, over a joint vocabulary of so many words, whose ids
/// begin with transformer::first_word_id.
transformer::EncoderDecoder untrained(const Job& job, Index words);

/// Pairs as numbers.
translation::ParallelCorpus encoded(Trained& trained, const Pairs& pairs);

/// Translations and what they should be, as tokens and as text.
struct Translations {
  std::vector<std::vector<std::string>> found, expected;
  std::vector<std::string> found_text, expected_text;

  double exact_match() const;  ///< sentences that are right, in %
  double bleu() const;
  /// Of the sentences that have a token at this place, those with the right token there, in %; place -1 is
  /// the last token.
  double right_at(Index place) const;
  double token_accuracy() const;  ///< over all places
  double length_ratio() const;    ///< tokens found / tokens expected
};
Translations translate(Trained& trained, const Pairs& pairs,
                       const transformer::SearchOptions& options = {.beam = 1});

/// Where </s> may be the likeliest token: at each place, or only after the last word.
enum class End { anywhere, at_the_end };
/// With teacher forcing, for each target token of each pair, </s> counted: true if it is the likeliest.
std::vector<std::vector<bool>> forced_right(Trained& trained, const Pairs& pairs, End end = End::anywhere);

/// The parameter with this name. Throws Error if there is none.
Tensor parameter_named(transformer::EncoderDecoder& model, const std::string& name);

}  // namespace regard::experiments
