#include "apps/translation/settings/settings_description.h"

#include <algorithm>

#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/settings/names.h"
#include "apps/translation/subwords/subwords.h"
#include "apps/translation/text/tokeniser.h"

namespace regard::translation {
namespace {

const Rules resumable{.change = Change::allowed}, of_model{.inheritance = Inheritance::equal};

const Need validation_corpus{{{"data.validation_source", ""}, {"data.validation_target", ""}},
                             {{"data.validation_tsv", ""}}};

void describe_data(Description& table, DataSettings& data) {
  table.section("data", "The corpora. Relative paths begin at the current directory.");
  const Text files{"a path, a list of paths, or \"\" for none"}, path{"a path, or \"\" for none"};
  table.field("data.source", data.source, files,
              "Training corpus, source side: one sentence per line, UTF-8, plain or gzip. Several files are "
              "read one after the other.",
              resumable);
  table.field("data.target", data.target, files,
              "Training corpus, target side: line i translates line i of source, in as many files.",
              resumable);
  table.field("data.tsv", data.tsv, files,
              "Files with lines 'source TAB target'. They replace source and target. For a model that reads "
              "images, a source is the path of an image, relative to the directory of the file.",
              resumable);
  table.field("data.validation_source", data.validation_source, files, "Validation corpus, source side.",
              resumable);
  table.field("data.validation_target", data.validation_target, files, "Validation corpus, target side.",
              resumable);
  table.field("data.validation_tsv", data.validation_tsv, files,
              "Files with both sides. They replace validation_source and validation_target.", resumable);
  table.field("data.tokeniser", data.tokeniser, one_of(tokeniser_names()),
              "word: blanks separate the tokens. subword-nmt: the same, and translations are joined at the "
              "marks @@. char: every character is a token. sentencepiece: subwords of raw text.",
              of_model);
  table.field("data.max_length", data.max_length, at_least(1),
              "Most tokens of a sentence, without </s>. Longer pairs are left out of the training. An image "
              "has no tokens.");
  table.field("data.joint_vocabulary", data.joint_vocabulary, Flag{}, "One vocabulary for both languages.",
              of_model);
  table.field("data.vocabulary_size", data.vocabulary_size, at_least(0),
              "Most entries of a vocabulary, with the 4 special tokens; 0: all tokens.", of_model);
  table.field("data.minimum_frequency", data.minimum_frequency, at_least(1),
              "Tokens that occur less often than this in the training corpus are unknown words.", of_model);

  SubwordSettings& subwords = data.subwords;
  table.section("data.subwords", "Subwords, for tokeniser sentencepiece (Kudo and Richardson 2018).",
                {.inheritance = Inheritance::equal, .need = Need{{{"data.tokeniser", "sentencepiece"}}}});
  table.field(
      "data.subwords.type", subwords.type, subword_types,
      "bpe: byte-pair encoding (Sennrich et al. 2016). unigram: a unigram language model (Kudo 2018).");
  table.field("data.subwords.size", subwords.size, from_to(subword_sizes.least, subword_sizes.most),
              "Entries of the vocabulary, with the 4 special tokens.");
  table.field("data.subwords.model", subwords.model, path,
              "A model from regard vocabulary or SentencePiece; its type and size replace the two settings "
              "above. \"\": learn a model from both sides together.",
              {.change = Change::allowed, .inheritance = Inheritance::none});
  table.field("data.subwords.character_coverage", subwords.character_coverage,
              from_to(character_coverages.least, character_coverages.most),
              "Share of the corpus' characters that the model knows; the rarest characters become <unk>.");
  table.field(
      "data.subwords.sampling", subwords.sampling, from_to(0, 100),
      "Cuts the words differently in each epoch. bpe: probability of skipping a merge (BPE-dropout, "
      "Provilkov et al. 2020). unigram: alpha of Kudo 2018, which draws by P^alpha. 0: always the same cut.",
      {.inheritance = Inheritance::free});
  table.field("data.subwords.sampling_n_best", subwords.sampling_n_best, from_to(-1, 512),
              "unigram: number of best segmentations that sampling draws from; -1: all.",
              {.inheritance = Inheritance::free});

  table.section(
      "data.images", "Images, for an encoder that reads them.",
      {.inheritance = Inheritance::equal, .need = Need{{{"model.encoder", "convolutional patches"}}}});
  table.field("data.images.height", data.images.height, from_to(1, 4096),
              "Height of the model's images, in pixels.");
  table.field("data.images.width", data.images.width, from_to(1, 4096),
              "Width of the model's images, in pixels.");
  table.field("data.images.resize", data.images.resize, Flag{},
              "true: images of another size are resized. false: they are refused.");
}

void describe_training(Description& table, TrainingSettings& training) {
  table.section("training", "How the model learns.");
  using nn::Schedule;
  // At most 2^53 - 1: every JSON reader keeps such a number exactly.
  const Range exact = from_to(0, 9007199254740991);
  table.field("training.steps", training.steps, exact, "Stop after this number of updates; 0: no limit.",
              {.change = Change::unless_cosine});
  table.field("training.epochs", training.epochs, exact,
              "Stop after this number of passes over the corpus; 0: no limit; null: 10, or no limit if steps "
              "or tokens is set.",
              resumable);
  table.field("training.tokens", training.tokens, exact,
              "Stop after this number of tokens, source and target together, with </s>; 0: no limit.",
              resumable);
  table.field("training.batch_tokens", training.batch.tokens, at_least(1),
              "Most tokens of a batch on each side (with </s>; there is no padding). An image counts as the "
              "positions of its memory, and one more.");
  table.field("training.batch_order", training.batch.order,
              Choices<BatchOrder>{{{"bucketed", BatchOrder::bucketed}, {"mixed", BatchOrder::mixed}}},
              "bucketed: the sentences of a batch have similar lengths. mixed: they have any length.");
  table.field("training.label_smoothing", training.label_smoothing, from_to_below(0, 1),
              "Share of the target distribution that is spread over the whole vocabulary.");
  table.field("training.optimiser", training.optimiser,
              Choices<OptimiserKind>{{{"adam", OptimiserKind::adam}, {"sgd", OptimiserKind::sgd}}},
              "The method that updates the weights.");
  table.field("training.learning_rate", training.learning_rate, above(0),
              "noam: a factor, 1 if null. Other schedules: the highest rate, which is required.");
  table.field(
      "training.schedule", training.schedule,
      Choices<Schedule>{{{"noam", Schedule::noam},
                         {"inverse_sqrt", Schedule::inverse_sqrt},
                         {"cosine", Schedule::cosine},
                         {"constant", Schedule::constant}}},
      "noam: equation 3 of Vaswani et al. 2017. inverse_sqrt: the same shape, but learning_rate is its peak. "
      "cosine: falls to minimum_learning_rate at the last of `steps`. constant: no change.");
  table.field("training.warmup_steps", training.warmup_steps, at_least(1),
              "Updates until the learning rate is highest (noam, inverse_sqrt, cosine).");
  table.field("training.minimum_learning_rate", training.minimum_learning_rate, at_least(0),
              "cosine: the learning rate of the last update.",
              {.need = Need{{{"training.schedule", "cosine"}}}});
  table.field("training.beta1", training.beta1, from_to_below(0, 1), "Adam: decay of the mean gradient.");
  table.field("training.beta2", training.beta2, from_to_below(0, 1),
              "Adam: decay of the mean squared gradient.");
  table.field("training.epsilon", training.epsilon, above(0),
              "Adam: added to the root of the mean squared gradient.");
  table.field("training.momentum", training.momentum, from_to_below(0, 1),
              "sgd: share of the earlier updates in the next one.",
              {.need = Need{{{"training.optimiser", "sgd"}}}});
  table.field("training.gradient_clip_norm", training.gradient_clip_norm, at_least(0),
              "A gradient with a larger norm is scaled down to this norm; 0: never.");
  table.field("training.accumulate", training.accumulate, at_least(1), "Number of batches per update.");
  table.field("training.shards", training.shards, from_to(1, 65536),
              "Each batch is cut into this number of pieces, which processes started by mpirun divide among "
              "them. The weights depend on it in their last bits, but not on the number of processes, which "
              "can be at most this number.");
  table.field("training.seed", training.seed, exact, "Seed of all random numbers.");
  table.field(
      "training.threads", training.threads, from_to(1, 1024),
      "Number of threads; null: all processors, or the share of each process if several run on a machine.",
      resumable);
  table.field("training.unequal_kernels", training.unequal_kernels, Flag{},
              "Processes on several machines may compute with different instruction sets or versions of "
              "OpenBLAS. The weights are then not the same bits as those of one process.",
              resumable);
  table.field("training.log_every", training.log_every, at_least(1), "Updates between two lines of the log.",
              resumable);
  table.field("training.average_decay", training.average_decay, from_to_below(0, 1),
              "Validate and keep an exponential moving average of the weights, with this decay per update "
              "(0.999 averages about 1,000 updates); 0: the weights themselves.");
  table.field(
      "training.initial_weights", training.initial_weights, Text{"a path, or \"\" for none"},
      "Start from the weights in this file, or from the weights and vocabularies of this model directory, "
      "whose settings of model and tokeniser then replace the defaults; \"\": from random weights.");
  table.field("training.freeze", training.freeze, Text{"a list of names"},
              "Parameters that the training does not change. [\"encoder\"] freezes all parameters with names "
              "that begin with \"encoder.\".");
}

void describe_validation(Description& table, ValidationSettings& validation) {
  table.section("validation", "How the model is measured on the validation corpus.");
  table.field("validation.every_steps", validation.every_steps, at_least(0),
              "Updates between two validations; 0: every_epochs applies.", resumable);
  table.field("validation.every_epochs", validation.every_epochs, at_least(1),
              "Epochs between two validations.", resumable);
  table.field("validation.beam", validation.beam, at_least(1),
              "Beam of the translations that are compared with the references; 1: greedy. The other options "
              "of the search are in decoding.",
              {.change = Change::unless_searched});
  table.field("validation.bleu_tokeniser", validation.bleu.tokeniser, bleu_tokenisers,
              "How BLEU cuts words, as in sacreBLEU; none: at blanks, for text that is tokenised already.");
  table.field("validation.bleu_lowercase", validation.bleu.lowercase, Flag{},
              "BLEU compares both texts in lower case.");
  table.field("validation.metric", validation.metric,
              Choices<ValidationMetric>{{{"loss", ValidationMetric::loss},
                                         {"bleu", ValidationMetric::bleu},
                                         {"exact_match", ValidationMetric::exact_match}}},
              "The score that compares validations; perplexity gives the same order as loss.",
              {.need = validation_corpus});
  table.field("validation.patience", validation.patience, at_least(0),
              "Stop after this number of validations without a better one; 0: never.",
              {.change = Change::allowed, .need = validation_corpus});
}

void describe_checkpoints(Description& table, CheckpointSettings& checkpoints) {
  table.section("checkpoints", "What a training saves, and when.", resumable);
  table.field("checkpoints.save_every", checkpoints.save_every, at_least(1),
              "Updates between two saves of the state that a training can resume from. The state is also "
              "saved at each validation and at the end.");
  table.field("checkpoints.keep_last", checkpoints.keep_last, at_least(0),
              "Number of last validations; their weights are kept in checkpoints/.");
  table.field("checkpoints.keep_best", checkpoints.keep_best, at_least(0),
              "Number of best validations; their weights are kept in checkpoints/.",
              {.need = validation_corpus});
  table.field(
      "checkpoints.average", checkpoints.average,
      Choices<Averaging>{{{"none", Averaging::none}, {"last", Averaging::last}, {"best", Averaging::best}}},
      "At the end, compute the mean of the keep_last or keep_best weights. If it validates better than the "
      "best weights, it replaces them. Without a validation corpus, it always does.");
}

void describe_decoding(Description& table, transformer::SearchOptions& decoding) {
  table.section("decoding", "How the model translates.", {.change = Change::unless_searched});
  table.field("decoding.beam", decoding.beam, at_least(1),
              "Hypotheses kept at each step of a search; 1: greedy.", resumable);
  table.field("decoding.length_penalty", decoding.length_penalty, length_penalties,
              "wu: a log-probability is divided by ((5 + n)/6)^alpha (Wu et al. 2016). power: by n^alpha. n "
              "is the number of tokens, with </s>.");
  table.field("decoding.alpha", decoding.alpha,
              from_to(-transformer::greatest_alpha, transformer::greatest_alpha),
              "Exponent of the length penalty; 0: none.");
  table.field("decoding.patience", decoding.patience, at_least(0),
              "The search of a sentence ends when patience * beam translations are finished and no "
              "unfinished one is better; 0: when no unfinished one can become better.");
  table.field("decoding.max_length_ratio", decoding.max_length_ratio, at_least(0),
              "A translation ends after max_length_ratio * (source tokens) + max_length_constant tokens.");
  table.field("decoding.max_length_constant", decoding.max_length_constant, at_least(0),
              "See max_length_ratio.");
  table.field("decoding.min_length", decoding.min_length,
              from_to(0, static_cast<double>(transformer::longest_translation)),
              "Fewest tokens of a translation, without </s>.");
  table.field("decoding.max_length", decoding.max_length, at_least(0),
              "Most tokens of a translation; max_length_ratio cannot raise it. 0: no such limit.");
  table.field("decoding.no_repeat_ngram", decoding.no_repeat_ngram, at_least(0),
              "A translation never repeats an n-gram of this length. 0 allows repetition.");
  table.field("decoding.repetition_penalty", decoding.repetition_penalty,
              from_to(transformer::least_repetition_penalty, transformer::greatest_repetition_penalty),
              "Makes tokens of the translation so far less likely (Keskar et al. 2019); 1: off.");
  table.field("decoding.generate_unk", decoding.generate_unk, Flag{}, "Translations may contain <unk>.");
}

}  // namespace

KnownSetting& Description::add(const std::string& place, const std::string& documentation,
                               const Rules& rules) {
  KnownSetting added{.place = place, .documentation = documentation};
  for (const KnownSetting& outer : settings)  // the innermost section comes last
    if (outer.section && is_in(place, outer.place)) {
      added.change = outer.change;
      added.inheritance = outer.inheritance;
      added.need = outer.need;
    }
  added.change = rules.change.value_or(added.change);
  added.inheritance = rules.inheritance.value_or(added.inheritance);
  added.need = rules.need.value_or(added.need);
  return settings.emplace_back(std::move(added));
}

KnownSetting& Description::section(const std::string& place, const std::string& documentation,
                                   const Rules& rules) {
  KnownSetting& added = add(place, documentation, rules);
  added.section = true;
  return added;
}

std::vector<KnownSetting> describe(Settings& settings) {
  Description table;
  describe_data(table, settings.data);
  describe_model(table, settings.model);
  describe_training(table, settings.training);
  describe_validation(table, settings.validation);
  describe_checkpoints(table, settings.checkpoints);
  describe_decoding(table, settings.decoding);
  return table.settings;
}

const std::vector<KnownSetting>& known_settings() {
  static Settings defaults;
  static const std::vector<KnownSetting> all = describe(defaults);
  return all;
}

const KnownSetting* find_setting(std::string_view place) {
  const auto found = std::ranges::find(known_settings(), place, &KnownSetting::place);
  return found == known_settings().end() ? nullptr : &*found;
}

}  // namespace regard::translation
