#include "apps/translation/settings/settings_description.h"

#include <algorithm>

#include "apps/translation/files/choices.h"
#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/subwords/subwords.h"
#include "apps/translation/text/tokeniser.h"

namespace regard::translation {
namespace {

bool always(const Settings&) { return true; }
/// The number of steps, or of epochs, is part of the shape of a cosine schedule.
bool unless_cosine(const Settings& now) { return now.training.schedule != nn::Schedule::cosine; }
bool unless_cosine_of_epochs(const Settings& now) { return unless_cosine(now) || now.training.steps > 0; }
/// Scores that need a search cannot be compared if the search is another one.
bool unless_searched(const Settings& now) { return now.validation.metric == ValidationMetric::loss; }

const Need validation_corpus{{{"data.validation_source", ""}, {"data.validation_target", ""}},
                             {{"data.validation_tsv", ""}}};

void describe_data(const Section& all, DataSettings& data) {
  const Section table = all.section("data", "The corpora. Relative paths begin at the current directory.");
  const Section corpora = table.with({.may_change = always}),
                vocabulary = table.with({.inheritance = Inheritance::equal});
  const Kind path = text("a path, or \"\" for none");
  corpora.add("source", data.source, files(),
              "Training corpus, source side: one sentence per line, UTF-8, plain or gzip. Several files are "
              "read one after the other.");
  corpora.add("target", data.target, files(),
              "Training corpus, target side: line i translates line i of source, in as many files.");
  corpora.add("tsv", data.tsv, files(),
              "Files with lines 'source TAB target'. They replace source and target. For a model that reads "
              "images, a source is the path of an image, relative to the directory of the file.");
  corpora.add("validation_source", data.validation_source, files(), "Validation corpus, source side.");
  corpora.add("validation_target", data.validation_target, files(), "Validation corpus, target side.");
  corpora.add("validation_tsv", data.validation_tsv, files(),
              "Files with both sides. They replace validation_source and validation_target.");
  vocabulary.add(
      "tokeniser", data.tokeniser, one_of(tokeniser_names()),
      "word: blanks separate the tokens. subword-nmt: the same, and translations are joined at "
      "the marks @@. char: every character is a token. sentencepiece: subwords of raw text. marian: "
      "the two SentencePiece models of an imported model (regard import).");
  table.add("max_length", data.max_length, whole(1),
            "Most tokens of a sentence, without </s>. Longer pairs are left out of the training. An image "
            "has no tokens.",
            {.inheritance = Inheritance::free});
  vocabulary.add("joint_vocabulary", data.joint_vocabulary, flag(), "One vocabulary for both languages.");
  vocabulary.add("vocabulary_size", data.vocabulary_size, whole(0),
                 "Most entries of a vocabulary, with the 4 special tokens; 0: all tokens.");
  vocabulary.add("minimum_frequency", data.minimum_frequency, whole(1),
                 "Tokens that occur less often than this in the training corpus are unknown words.");

  const Need sentencepiece{{{"data.tokeniser", "sentencepiece"}}};
  table.add(
      "cache", data.cache, text("the path of a directory, or \"\" for none"),
      "A directory that keeps the learnt subwords and the corpus as numbers for the next start. The files "
      "are made anew if the corpus or the settings have changed.",
      {.may_change = always, .need = sentencepiece});

  const Section subwords =
      table.section("subwords", "Subwords, for tokeniser sentencepiece (Kudo and Richardson 2018).",
                    {.inheritance = Inheritance::equal, .need = sentencepiece});
  subwords.add(
      "type", data.subwords.type, subword_types,
      "bpe: byte-pair encoding (Sennrich et al. 2016). unigram: a unigram language model (Kudo 2018).");
  subwords.add("size", data.subwords.size, whole(subword_sizes.least, subword_sizes.most),
               "Entries of the vocabulary, with the 4 special tokens.");
  subwords.add(
      "model", data.subwords.model, path,
      "A model from regard vocabulary or SentencePiece; its type, size, normalisation, keep_blanks and "
      "byte_fallback replace these settings. \"\": learn a model from both sides together.",
      {.may_change = always, .inheritance = Inheritance::none});
  subwords.add("character_coverage", data.subwords.character_coverage,
               from_to(character_coverages.least, character_coverages.most),
               "Share of the corpus' characters that the model knows; the rarest characters become <unk>.");
  subwords.add(
      "normalisation", data.subwords.normalisation,
      text(in_quotes(std::vector<std::string>(std::begin(normalisations), std::end(normalisations)))),
      "How the text is changed before it is cut. nfkc: Unicode's NFKC (… becomes three full stops). "
      "nmt_nfkc: this, and other blanks become spaces, and control characters are left out. _cf: and "
      "capitals become small letters. none: not at all.");
  subwords.add("keep_blanks", data.subwords.keep_blanks, flag(),
               "true: keep blanks at both ends of a sentence and several in a row. false: leave them out.");
  subwords.add("symbols", data.subwords.symbols, list_of_texts(),
               "Texts that are never cut, such as placeholders and tags: each is one piece.");
  subwords.add(
      "symbol_patterns", data.subwords.symbol_patterns, list_of_texts("a list of regular expressions"),
      "Each text of the training corpus that one of these regular expressions (RE2) matches is a symbol, "
      "if it is frequent enough.");
  const Section free = subwords.with({.may_change = always, .inheritance = Inheritance::free});
  free.add("symbol_frequency", data.subwords.symbol_frequency, whole(1),
           "A match of symbol_patterns that occurs less often is cut like other text.");
  subwords.add("byte_fallback", data.subwords.byte_fallback, flag(),
               "true: a character that the model does not know becomes the pieces of its UTF-8 bytes, so "
               "nothing is <unk>. Takes 256 entries.");
  free.add("sample_lines", data.subwords.sample_lines, whole(0),
           "Learn from so many lines of the corpus, chosen at random; 0: from all.");
  subwords.add(
      "sampling", data.subwords.sampling, from_to(0, 100),
      "Cuts the words differently in each epoch. bpe: probability of skipping a merge (BPE-dropout, "
      "Provilkov et al. 2020). unigram: alpha of Kudo 2018, which draws by P^alpha. 0: always the same cut.",
      {.inheritance = Inheritance::free});
  subwords.add("sampling_n_best", data.subwords.sampling_n_best, whole(-1, 512),
               "unigram: number of best segmentations that sampling draws from; -1: all.",
               {.inheritance = Inheritance::free});

  const Section images = table.section(
      "images", "Images, for an encoder that reads them.",
      {.inheritance = Inheritance::equal, .need = Need{{{"model.encoder", "convolutional patches"}}}});
  images.add("height", data.images.height, whole(1, 4096), "Height of the model's images, in pixels.");
  images.add("width", data.images.width, whole(1, 4096), "Width of the model's images, in pixels.");
  images.add("resize", data.images.resize, flag(),
             "true: images of another size are resized. false: they are refused.");
}

void describe_training(const Section& all, TrainingSettings& training) {
  const Section table = all.section("training", "How the model learns."),
                free = table.with({.may_change = always});
  using nn::Schedule;
  // At most 2^53 - 1: every JSON reader keeps such a number exactly.
  const Kind exact = whole(0, 9007199254740991);
  table.add("steps", training.steps, exact, "Stop after this number of updates; 0: no limit.",
            {.may_change = unless_cosine});
  free.add("epochs", training.epochs, or_null(exact),
           "Stop after this number of passes over the corpus; 0: no limit; null: 10, or no limit if steps or "
           "tokens is set.",
           {.may_change = unless_cosine_of_epochs});
  free.add("tokens", training.tokens, exact,
           "Stop after this number of tokens, source and target together, with </s>; 0: no limit.");
  table.add("batch_tokens", training.batch_tokens, whole(1),
            "Most tokens of a batch on each side (with </s>; there is no padding). An image counts as the "
            "positions of its memory, and one more.");
  table.add("label_smoothing", training.label_smoothing, from_to_below(0, 1),
            "Share of the target distribution that is spread over the whole vocabulary.");
  table.add(
      "scheduled_sampling", training.scheduled_sampling, from_to(0, 1),
      "Share of the tokens read by the decoder that are replaced by the model's own predictions (Bengio "
      "et al. 2015; Mihaylova and Martins 2019); 0: none.");
  table.add("scheduled_sampling_steps", training.scheduled_sampling_steps, whole(0),
            "Updates in which this share rises from 0, on a line; 0: it does not rise.");
  table.add("optimiser", training.optimiser, {{"adam", OptimiserKind::adam}, {"sgd", OptimiserKind::sgd}},
            "The method that updates the weights.");
  table.add("learning_rate", training.learning_rate, or_null(above(0)),
            "noam: a factor, 1 if null. Other schedules: the highest rate, which is required.");
  table.add("schedule", training.schedule,
            {{"noam", Schedule::noam},
             {"inverse_sqrt", Schedule::inverse_sqrt},
             {"cosine", Schedule::cosine},
             {"constant", Schedule::constant}},
            "noam: equation 3 of Vaswani et al. 2017. inverse_sqrt: the same shape, but learning_rate is its "
            "peak. cosine: falls to minimum_learning_rate at the last of `steps`, or of `epochs`."
            " constant: no change.");
  table.add("warmup_steps", training.warmup_steps, whole(1),
            "Updates until the learning rate is highest (noam, inverse_sqrt, cosine).");
  table.add("minimum_learning_rate", training.minimum_learning_rate, at_least(0),
            "cosine: the learning rate of the last update.",
            {.need = Need{{{"training.schedule", "cosine"}}}});
  const Section adam = table.with({.need = Need{{{"training.optimiser", "adam"}}}});
  adam.add("beta1", training.beta1, from_to_below(0, 1), "Adam: decay of the mean gradient.");
  adam.add("beta2", training.beta2, from_to_below(0, 1), "Adam: decay of the mean squared gradient.");
  adam.add("epsilon", training.epsilon, above(0),
           "Adam: added to the root of the mean squared gradient, after the correction of its bias.");
  table.add("momentum", training.momentum, from_to_below(0, 1),
            "sgd: share of the earlier updates in the next one.",
            {.need = Need{{{"training.optimiser", "sgd"}}}});
  table.add("gradient_clip_norm", training.gradient_clip_norm, at_least(0),
            "A gradient with a larger norm is scaled down to this norm; 0: never.");
  table.add("precision", training.precision,
            {{"float32", Precision::float32}, {"bfloat16", Precision::bfloat16}},
            "Rounding of the operands of the products with weights. Sums, weights and everything else stay "
            "float32. bfloat16 needs oneDNN and a processor with AVX512-BF16; regard --version says if they "
            "are there.");
  table.add("accumulate", training.accumulate, whole(1), "Number of batches per update.");
  table.add("shards", training.shards, whole(1, 65536),
            "Each batch is cut into this number of pieces, which processes started by mpirun divide among "
            "them. The weights depend on it in their last bits, but not on the number of processes, which "
            "can be at most this number.");
  table.add("seed", training.seed, exact, "Seed of all random numbers.");
  free.add("threads", training.threads, or_null(whole(1, 1024)),
           "Number of threads; null: one per physical core, or the share of each process if several run on a "
           "machine.");
  free.add("unequal_kernels", training.unequal_kernels, flag(),
           "Processes on several machines may compute with different instruction sets or versions of "
           "OpenBLAS. The weights are then not the same bits as those of one process.");
  free.add("log_every", training.log_every, whole(1), "Updates between two lines of the log.");
  table.add("average_decay", training.average_decay, from_to_below(0, 1),
            "Validate and keep an exponential moving average of the weights, with this decay per update "
            "(0.999 averages about 1,000 updates); 0: the weights themselves.");
  table.add(
      "initial_weights", training.initial_weights, text("a path, or \"\" for none"),
      "Start from the weights in this file, or from the weights and vocabularies of this model directory, "
      "whose settings of model, tokeniser, data.max_length and decoding then replace the defaults; \"\": "
      "from "
      "random weights.");
  table.add("freeze", training.freeze, list_of_texts("a list of names"),
            "Parameters that the training does not change. [\"encoder\"] freezes all parameters with names "
            "that begin with \"encoder.\".");
}

void describe_validation(const Section& all, ValidationSettings& validation) {
  const Section table = all.section("validation", "How the model is measured on the validation corpus.");
  table.add("every_steps", validation.every_steps, whole(0),
            "Updates between two validations; 0: every_epochs applies.", {.may_change = always});
  table.add("every_epochs", validation.every_epochs, whole(1), "Epochs between two validations.",
            {.may_change = always});
  table.add("beam", validation.beam, whole(1),
            "Beam of the translations that are compared with the references; 1: greedy. The other options of "
            "the search are in decoding.",
            {.may_change = unless_searched});
  table.add("bleu_tokeniser", validation.bleu.tokeniser, bleu_tokenisers,
            "How BLEU cuts words, as in sacreBLEU; none: at blanks, for text that is tokenised already; "
            "char: each character, for text without blanks.");
  table.add("metric", validation.metric,
            {{"loss", ValidationMetric::loss},
             {"bleu", ValidationMetric::bleu},
             {"exact_match", ValidationMetric::exact_match}},
            "The score that compares validations; perplexity gives the same order as loss.",
            {.need = validation_corpus});
  table.add("patience", validation.patience, whole(0),
            "Stop after this number of validations without a better one; 0: never.",
            {.may_change = always, .need = validation_corpus});
}

void describe_checkpoints(const Section& all, CheckpointSettings& checkpoints) {
  const Section table =
      all.section("checkpoints", "What a training saves, and when.", {.may_change = always});
  table.add("save_every", checkpoints.save_every, whole(1),
            "Updates between two saves of the state that a training can resume from. The state is also saved "
            "at each validation and at the end.");
  table.add("keep_last", checkpoints.keep_last, whole(0),
            "Number of last validations; their weights are kept in checkpoints/.");
  table.add("keep_best", checkpoints.keep_best, whole(0),
            "Number of best validations; their weights are kept in checkpoints/.",
            {.need = validation_corpus});
  table.add("average", checkpoints.average,
            {{"none", Averaging::none}, {"last", Averaging::last}, {"best", Averaging::best}},
            "At the end, compute the mean of the keep_last or keep_best weights. If it validates better than "
            "the best weights, it replaces them. Without a validation corpus, it always does.");
}

void describe_decoding(const Section& all, transformer::SearchOptions& decoding) {
  const Section table = all.section("decoding", "How the model translates.",
                                    {.may_change = unless_searched, .inheritance = Inheritance::free});
  table.add("beam", decoding.beam, whole(1), "Hypotheses kept at each step of a search; 1: greedy.",
            {.may_change = always});
  table.add("length_penalty", decoding.length_penalty, length_penalties,
            "wu: a log-probability is divided by ((5 + n)/6)^alpha (Wu et al. 2016). power: by n^alpha. n is "
            "the number of tokens, with </s>.");
  table.add("alpha", decoding.alpha, from_to(-transformer::greatest_alpha, transformer::greatest_alpha),
            "Exponent of the length penalty; 0: none.");
  table.add("patience", decoding.patience, at_least(0),
            "The search of a sentence ends when patience * beam translations are finished and no unfinished "
            "one is better; 0: when no unfinished one can become better.");
  table.add(
      "max_length_ratio", decoding.max_length_ratio, at_least(0),
      "A translation ends after max_length_ratio * (source tokens) + max_length_constant tokens. Both 0: "
      "no such limit.");
  table.add("max_length_constant", decoding.max_length_constant, whole(0),
            "The constant in the limit of max_length_ratio.");
  table.add("min_length", decoding.min_length, whole(0, transformer::longest_translation),
            "Fewest tokens of a translation, without </s>.");
  table.add("max_length", decoding.max_length, whole(0),
            "Most tokens of a translation; max_length_ratio cannot raise it. 0: no such limit.");
  table.add("no_repeat_ngram", decoding.no_repeat_ngram, whole(0),
            "A translation never repeats an n-gram of this length. 0 allows repetition.");
  table.add("repetition_penalty", decoding.repetition_penalty,
            from_to(transformer::least_repetition_penalty, transformer::greatest_repetition_penalty),
            "Makes tokens of the translation so far less likely (Keskar et al. 2019); 1: off.");
  table.add("generate_unk", decoding.generate_unk, flag(), "Translations may contain <unk>.");
}

}  // namespace

Section Section::section(const std::string& name, const std::string& documentation, const Rules& rules,
                         bool takes_number) const {
  KnownSetting added = entry(name, documentation, rules);
  added.section = true;
  added.takes_number = takes_number;
  return {table_, table_.emplace_back(added)};
}

Section Section::with(const Rules& rules) const {
  KnownSetting same = entry("", "", rules);
  same.place = entry_.place;
  return {table_, same};
}

void Section::add(const std::string& name, const Kind& kind, std::function<void(const Json&)> read,
                  std::function<Json()> write, const std::string& documentation, const Rules& rules) const {
  KnownSetting added = entry(name, fmt::format("{} [{}]", documentation, kind.allowed), rules);
  added.kind = kind;
  added.read = std::move(read);
  added.write = std::move(write);
  table_.push_back(std::move(added));
}

KnownSetting Section::entry(const std::string& name, const std::string& documentation,
                            const Rules& rules) const {
  return {.place = entry_.place.empty() ? name : entry_.place + "." + name,
          .documentation = documentation,
          .may_change = rules.may_change ? rules.may_change : entry_.may_change,
          .inheritance = rules.inheritance.value_or(entry_.inheritance),
          .need = rules.need.value_or(entry_.need),
          .identity = rules.identity};
}

std::vector<KnownSetting> describe(Settings& settings) {
  std::vector<KnownSetting> table;
  const Section all(table, {});
  describe_data(all, settings.data);
  describe_model(all, settings.model);
  describe_training(all, settings.training);
  describe_validation(all, settings.validation);
  describe_checkpoints(all, settings.checkpoints);
  describe_decoding(all, settings.decoding);
  return table;
}

const std::vector<KnownSetting>& known_settings() {
  static Settings defaults;
  static const std::vector<KnownSetting> all = describe(defaults);
  return all;
}

}  // namespace regard::translation
