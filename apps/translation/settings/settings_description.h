#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/settings/model_description.h"
#include "apps/translation/settings/names.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_kinds.h"
#include "apps/translation/subwords/subwords.h"
#include "apps/translation/text/tokeniser.h"

namespace regard::translation {

// This is the only description of the settings. Visitors read, write, print and list them. A visitor has
//   field(key, reference, kind, documentation)
//   section(key, shorthand, documentation, inside): `inside()` visits the settings in the section
//   preset_values(inside): the same for fields whose default depends on the preset

template <class Visitor>
void describe_subwords(Visitor& visit, SubwordSettings& subwords) {
  visit.field(
      "type", subwords.type, subword_types,
      "bpe: byte-pair encoding (Sennrich et al. 2016). unigram: a unigram language model (Kudo 2018).");
  visit.field("size", subwords.size, from_to(subword_sizes.least, subword_sizes.most),
              "Entries of the vocabulary, with the 4 special tokens.");
  visit.field(
      "model", subwords.model, Text{.what = "a path, or \"\" for none"},
      "A model from regard vocabulary or SentencePiece; its type and size replace the two settings above. "
      "\"\": learn a model from both sides together.");
  visit.field("character_coverage", subwords.character_coverage,
              from_to(character_coverages.least, character_coverages.most),
              "Share of the corpus' characters that the model knows; the rarest characters become <unk>.");
  visit.field(
      "sampling", subwords.sampling, from_to(0, 100),
      "Cuts the words differently in each epoch. bpe: probability of skipping a merge (BPE-dropout, "
      "Provilkov et al. 2020). unigram: alpha of Kudo 2018, which draws by P^alpha. 0: always the same cut.");
  visit.field("sampling_n_best", subwords.sampling_n_best, from_to(-1, 512),
              "unigram: number of best segmentations that sampling draws from; -1: all.");
}

template <class Visitor>
void describe_data(Visitor& visit, DataSettings& data) {
  const Files files;
  visit.field("source", data.source, files,
              "Training corpus, source side: one sentence per line, UTF-8, plain or gzip. Several files are "
              "read one after the other.");
  visit.field("target", data.target, files,
              "Training corpus, target side: line i translates line i of source, in as many files.");
  visit.field(
      "tsv", data.tsv, files,
      "Files with lines 'source TAB target'. They replace source and target. For a model that reads images, "
      "a source is the path of an image, relative to the directory of the file.");
  visit.field("validation_source", data.validation_source, files, "Validation corpus, source side.");
  visit.field("validation_target", data.validation_target, files, "Validation corpus, target side.");
  visit.field("validation_tsv", data.validation_tsv, files,
              "Files with both sides. They replace validation_source and validation_target.");
  visit.field("tokeniser", data.tokeniser, one_of(tokeniser_names()),
              "word: blanks separate the tokens. subword-nmt: the same, and translations are joined at the "
              "marks @@. char: every character is a token. sentencepiece: subwords of raw text.");
  visit.field(
      "max_length", data.max_length, at_least(1),
      "Most tokens of a sentence, without </s>. Longer pairs are left out of the training. An image has no "
      "tokens.");
  visit.field("joint_vocabulary", data.joint_vocabulary, Flag{}, "One vocabulary for both languages.");
  visit.field("vocabulary_size", data.vocabulary_size, at_least(0),
              "Most entries of a vocabulary, with the 4 special tokens; 0: all tokens.");
  visit.field("minimum_frequency", data.minimum_frequency, at_least(1),
              "Tokens that occur less often than this in the training corpus are unknown words.");
  visit.section("subwords", Shorthand::none,
                "Subwords, for tokeniser sentencepiece (Kudo and Richardson 2018).",
                [&] { describe_subwords(visit, data.subwords); });
  visit.section("images", Shorthand::none, "Images, for an encoder that reads them.", [&] {
    visit.field("height", data.images.height, from_to(1, 4096), "Height of the model's images, in pixels.");
    visit.field("width", data.images.width, from_to(1, 4096), "Width of the model's images, in pixels.");
    visit.field("resize", data.images.resize, Flag{},
                "true: images of another size are resized. false: they are refused.");
  });
}

template <class Visitor>
void describe_training(Visitor& visit, TrainingSettings& training) {
  using nn::Schedule;
  // At most 2^53 - 1: every JSON reader keeps such a number exactly.
  const Range exact = from_to(0, 9007199254740991);
  visit.field("steps", training.steps, exact, "Stop after this number of updates; 0: no limit.");
  visit.field("epochs", training.epochs, exact,
              "Stop after this number of passes over the corpus; 0: no limit; null: 10, or no limit if steps "
              "or tokens is set.");
  visit.field("tokens", training.tokens, exact,
              "Stop after this number of tokens, source and target together, with </s>; 0: no limit.");
  visit.field("batch_tokens", training.batch.tokens, at_least(1),
              "Most tokens of a batch on each side (with </s>; there is no padding). An image counts as the "
              "positions "
              "of its memory, and one more.");
  visit.field("batch_order", training.batch.order,
              Choices<BatchOrder>{{{"bucketed", BatchOrder::bucketed}, {"mixed", BatchOrder::mixed}}},
              "bucketed: the sentences of a batch have similar lengths. mixed: they have any length.");
  visit.field("label_smoothing", training.label_smoothing, from_to_below(0, 1),
              "Share of the target distribution that is spread over the whole vocabulary.");
  visit.field("optimiser", training.optimiser,
              Choices<Optimiser>{{{"adam", Optimiser::adam}, {"sgd", Optimiser::sgd}}},
              "The method that updates the weights.");
  visit.field("learning_rate", training.learning_rate, above(0),
              "noam: a factor, 1 if null. Other schedules: the highest rate, which is required.");
  visit.field(
      "schedule", training.schedule,
      Choices<Schedule>{{{"noam", Schedule::noam},
                         {"inverse_sqrt", Schedule::inverse_sqrt},
                         {"cosine", Schedule::cosine},
                         {"constant", Schedule::constant}}},
      "noam: equation 3 of Vaswani et al. 2017. inverse_sqrt: the same shape, but learning_rate is its "
      "peak. cosine: falls to minimum_learning_rate at the last of `steps`. constant: no change.");
  visit.field("warmup_steps", training.warmup_steps, at_least(1),
              "Updates until the learning rate is highest (noam, inverse_sqrt, cosine).");
  visit.field("minimum_learning_rate", training.minimum_learning_rate, at_least(0),
              "cosine: the learning rate of the last update.");
  visit.field("beta1", training.beta1, from_to_below(0, 1), "Adam: decay of the mean gradient.");
  visit.field("beta2", training.beta2, from_to_below(0, 1), "Adam: decay of the mean squared gradient.");
  visit.field("epsilon", training.epsilon, above(0), "Adam: added to the root of the mean squared gradient.");
  visit.field("momentum", training.momentum, from_to_below(0, 1),
              "sgd: share of the earlier updates in the next one.");
  visit.field("gradient_clip_norm", training.gradient_clip_norm, at_least(0),
              "A gradient with a larger norm is scaled down to this norm; 0: never.");
  visit.field("accumulate", training.accumulate, at_least(1), "Number of batches per update.");
  visit.field("shards", training.shards, from_to(1, 65536),
              "Each batch is cut into this number of pieces, which processes started by mpirun divide among "
              "them. The weights depend on it in their last bits, but not on the number of processes, which "
              "can be at most this number.");
  visit.field("seed", training.seed, exact, "Seed of all random numbers.");
  visit.field(
      "threads", training.threads, from_to(1, 1024),
      "Number of threads; null: all processors, or the share of each process if several run on a machine.");
  visit.field("unequal_kernels", training.unequal_kernels, Flag{},
              "Processes on several machines may compute with different instruction sets or versions of "
              "OpenBLAS. The "
              "weights are then not the same bits as those of one process.");
  visit.field("log_every", training.log_every, at_least(1), "Updates between two lines of the log.");
  visit.field(
      "average_decay", training.average_decay, from_to_below(0, 1),
      "Validate and keep an exponential moving average of the weights, with this decay per update (0.999 "
      "averages about 1,000 updates); 0: the weights themselves.");
  visit.field("initial_weights", training.initial_weights, Text{.what = "a path, or \"\" for none"},
              "Start from the weights in this file, or from the weights and vocabularies of this model "
              "directory, whose settings of model and tokeniser then replace the defaults; \"\": from random "
              "weights.");
  visit.field("freeze", training.freeze, Texts{.what = "a list of names"},
              "Parameters that the training does not change. [\"encoder\"] freezes all parameters with names "
              "that begin with \"encoder.\".");
}

template <class Visitor>
void describe_validation(Visitor& visit, ValidationSettings& validation) {
  visit.field("every_steps", validation.every_steps, at_least(0),
              "Updates between two validations; 0: every_epochs applies.");
  visit.field("every_epochs", validation.every_epochs, at_least(1), "Epochs between two validations.");
  visit.field("beam", validation.beam, at_least(1),
              "Beam of the translations that are compared with the references; 1: greedy. The other options "
              "of the search are in decoding.");
  visit.field("bleu_tokeniser", validation.bleu.tokeniser, bleu_tokenisers,
              "How BLEU cuts words, as in sacreBLEU; none: at blanks, for text that is tokenised already.");
  visit.field("bleu_lowercase", validation.bleu.lowercase, Flag{}, "BLEU compares both texts in lower case.");
  visit.field("metric", validation.metric,
              Choices<ValidationMetric>{{{"loss", ValidationMetric::loss},
                                         {"bleu", ValidationMetric::bleu},
                                         {"exact_match", ValidationMetric::exact_match}}},
              "The score that compares validations; perplexity gives the same order as loss.");
  visit.field("patience", validation.patience, at_least(0),
              "Stop after this number of validations without a better one; 0: never.");
}

template <class Visitor>
void describe_checkpoints(Visitor& visit, CheckpointSettings& checkpoints) {
  visit.field("save_every", checkpoints.save_every, at_least(1),
              "Updates between two saves of the state that a training can resume from. The state is also "
              "saved at each validation and at the end.");
  visit.field("keep_last", checkpoints.keep_last, at_least(0),
              "Number of last validations; their weights are kept in checkpoints/.");
  visit.field("keep_best", checkpoints.keep_best, at_least(0),
              "Number of best validations; their weights are kept in checkpoints/.");
  visit.field(
      "average", checkpoints.average,
      Choices<Averaging>{{{"none", Averaging::none}, {"last", Averaging::last}, {"best", Averaging::best}}},
      "At the end, compute the mean of the keep_last or keep_best weights. If it validates better than the "
      "best weights, it replaces them. Without a validation corpus, it always does.");
}

template <class Visitor>
void describe_decoding(Visitor& visit, transformer::SearchOptions& decoding) {
  visit.field("beam", decoding.beam, at_least(1), "Hypotheses kept at each step of a search; 1: greedy.");
  visit.field(
      "length_penalty", decoding.length_penalty, length_penalties,
      "wu: a log-probability is divided by ((5 + n)/6)^alpha (Wu et al. 2016). power: by n^alpha. n is the "
      "number of tokens, with </s>.");
  visit.field("alpha", decoding.alpha, from_to(-transformer::greatest_alpha, transformer::greatest_alpha),
              "Exponent of the length penalty; 0: none.");
  visit.field(
      "patience", decoding.patience, at_least(0),
      "The search of a sentence ends when patience * beam translations are finished and no unfinished "
      "one is better; 0: when no unfinished one can become better.");
  visit.field("max_length_ratio", decoding.max_length_ratio, at_least(0),
              "A translation ends after max_length_ratio * (source tokens) + max_length_constant tokens.");
  visit.field("max_length_constant", decoding.max_length_constant, at_least(0), "See max_length_ratio.");
  visit.field("min_length", decoding.min_length,
              from_to(0, static_cast<double>(transformer::longest_translation)),
              "Fewest tokens of a translation, without </s>.");
  visit.field("max_length", decoding.max_length, at_least(0),
              "Most tokens of a translation; max_length_ratio cannot raise it. 0: no such limit.");
  visit.field("no_repeat_ngram", decoding.no_repeat_ngram, at_least(0),
              "A translation never repeats an n-gram of this length. 0 allows repetition.");
  visit.field("repetition_penalty", decoding.repetition_penalty,
              from_to(transformer::least_repetition_penalty, transformer::greatest_repetition_penalty),
              "Makes tokens of the translation so far less likely (Keskar et al. 2019); 1: off.");
  visit.field("generate_unk", decoding.generate_unk, Flag{}, "Translations may contain <unk>.");
}

template <class Visitor>
void describe(Visitor& visit, Settings& settings) {
  visit.section("data", Shorthand::none, "The corpora. Relative paths begin at the current directory.",
                [&] { describe_data(visit, settings.data); });
  visit.section("model", Shorthand::none, "The shape of the model.",
                [&] { describe_model(visit, settings.model); });
  visit.section("training", Shorthand::none, "How the model learns.",
                [&] { describe_training(visit, settings.training); });
  visit.section("validation", Shorthand::none, "How the model is measured on the validation corpus.",
                [&] { describe_validation(visit, settings.validation); });
  visit.section("checkpoints", Shorthand::none, "What a training saves, and when.",
                [&] { describe_checkpoints(visit, settings.checkpoints); });
  visit.section("decoding", Shorthand::none, "How the model translates.",
                [&] { describe_decoding(visit, settings.decoding); });
}

/// A place in a configuration, such as "training.steps".
struct KnownSetting {
  std::string place;
  bool section = false;  ///< contains settings
  Shorthand shorthand = Shorthand::none;
};

/// Returns all places, in the order of the description.
const std::vector<KnownSetting>& known_settings();

/// Returns the entry for a place, or null.
const KnownSetting* find_setting(std::string_view place);

/// True if a place is this setting, or lies in this section.
inline bool is_in(std::string_view place, std::string_view entry) {
  return place.starts_with(entry) && (place.size() == entry.size() || place[entry.size()] == '.');
}

/// Throws Error: there is no such setting. The message contains `name`, the source of the wrong setting, and
/// the setting that means the same as in other programs (other_names.h), or else the most similar one.
[[noreturn]] void fail_unknown_setting(const std::string& name, const std::string& place);

}  // namespace regard::translation
