#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/settings/names.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_kinds.h"
#include "apps/translation/subwords/subwords.h"
#include "apps/translation/text/tokeniser.h"

namespace regard::translation {

/// May one number stand for all that is in the section?
enum class Shorthand { none, number };

// The one description of all settings. Reading, writing, printing and listing them are visitors, which have
//   field(key, reference, kind, documentation)
//   section(key, shorthand, documentation, inside): `inside()` visits what is in the section
//   preset_values(inside): the same for fields whose default depends on the preset

template <class Visitor>
void describe_subwords(Visitor& visit, SubwordSettings& subwords) {
  visit.field(
      "type", subwords.type, subword_types,
      "bpe: byte-pair encoding (Sennrich et al. 2016). unigram: a unigram language model (Kudo 2018).");
  visit.field("size", subwords.size, from_to(subword_sizes.least, subword_sizes.most),
              "Entries of the vocabulary, the 4 special tokens included.");
  visit.field(
      "model", subwords.model, Text{.what = "a path, or \"\" for none"},
      "A model from regard vocabulary or SentencePiece, whose type and size these then are. None: learn "
      "it from both sides together.");
  visit.field("character_coverage", subwords.character_coverage,
              from_to(character_coverages.least, character_coverages.most),
              "Share of the corpus' characters to be known; the rarest of the others become <unk>.");
  visit.field(
      "sampling", subwords.sampling, from_to(0, 100),
      "Other subwords in each epoch. bpe: probability to leave out a merge (BPE-dropout, Provilkov et al. "
      "2020). unigram: alpha of Kudo 2018, which draws by P^alpha. 0: always the same.");
  visit.field("sampling_n_best", subwords.sampling_n_best, from_to(-1, 512),
              "unigram: sampling draws among so many best segmentations; -1: among all.");
}

template <class Visitor>
void describe_data(Visitor& visit, DataSettings& data) {
  const Text path{.what = "a path, or \"\" for none"};
  visit.field("source", data.source, path, "Training corpus, source side: one sentence a line, UTF-8.");
  visit.field("target", data.target, path,
              "Training corpus, target side: line i translates line i of source.");
  visit.field("tsv", data.tsv, path,
              "Instead of source and target: one file with lines 'source TAB target'.");
  visit.field("validation_source", data.validation_source, path, "Validation corpus, source side.");
  visit.field("validation_target", data.validation_target, path, "Validation corpus, target side.");
  visit.field("validation_tsv", data.validation_tsv, path, "Instead of those two: one file.");
  visit.field("tokeniser", data.tokeniser, one_of(tokeniser_names()),
              "word: tokens stand between blanks. subword-nmt: they do, and translations are joined at the "
              "marks @@. char: every character is a token. sentencepiece: subwords of raw text.");
  visit.field("max_length", data.max_length, at_least(1),
              "Most tokens of a sentence, </s> not counted. Longer pairs are left out of training.");
  visit.field("joint_vocabulary", data.joint_vocabulary, Flag{}, "One vocabulary for both languages.");
  visit.field("vocabulary_size", data.vocabulary_size, at_least(0),
              "Most entries of a vocabulary, the 4 special tokens included; 0: all tokens.");
  visit.field("minimum_frequency", data.minimum_frequency, at_least(1),
              "Tokens that occur less often than this in the training corpus are unknown words.");
  visit.section("subwords", Shorthand::none, "Of tokeniser sentencepiece (Kudo and Richardson 2018).",
                [&] { describe_subwords(visit, data.subwords); });
}

template <class Visitor>
void describe_model(Visitor& visit, ModelSettings& model) {
  using transformer::SharedEmbeddings;
  transformer::Config& config = model.config;
  visit.preset_values([&] {
    visit.field("encoder", model.encoder, Choices<EncoderKind>{{{"transformer", EncoderKind::transformer}}},
                "Kind of the encoder.");
    visit.field("decoder", model.decoder, Choices<DecoderKind>{{{"transformer", DecoderKind::transformer}}},
                "Kind of the decoder.");
    visit.field("d_model", config.d_model, at_least(1), "Width of the model.");
    visit.field("heads", config.heads, at_least(1), "Attention heads; they divide d_model.");
    visit.field("d_ff", config.d_ff, at_least(1), "Inner width of the feed-forward networks.");
    visit.field("encoder_layers", config.encoder_layers, at_least(1), "Layers of the encoder.");
    visit.field("decoder_layers", config.decoder_layers, at_least(1), "Layers of the decoder.");
    visit.field(
        "activation", config.activation, activations,
        "Activation of the feed-forward networks: max(0, x), or x Phi(x) (Hendrycks and Gimpel 2016).");
    visit.field("norm", config.norm, norms,
                "LayerNorm after each residual sum (Vaswani et al. 2017), or before each sublayer.");
    visit.field("final_norm", config.final_norm, Flag{},
                "One more LayerNorm after the last layers; null: for norm \"pre\" only.");
    visit.field("shared_embeddings", config.shared_embeddings,
                Choices<SharedEmbeddings>{{{"none", SharedEmbeddings::none},
                                           {"target_output", SharedEmbeddings::target_output},
                                           {"all", SharedEmbeddings::all}}},
                "Which are one matrix: none; target embedding and output; or source embedding as well.");
    visit.section(
        "dropout", Shorthand::number, "Probability of dropping a value. One number sets all four.", [&] {
          const Range probability = from_to_below(0, 1);
          visit.field("embedding", config.dropout.embedding, probability,
                      "Of the sum of embedding and position.");
          visit.field("sublayer", config.dropout.sublayer, probability,
                      "Of a sublayer's output, before the residual sum.");
          visit.field("attention", config.dropout.attention, probability, "Of the attention weights.");
          visit.field("feed_forward", config.dropout.feed_forward, probability,
                      "Inside the feed-forward networks.");
        });
  });
  visit.field("preset", model.preset, one_of({"base", "tiny", "toy"}),
              "Where those settings of the model come from that are not given.");
}

template <class Visitor>
void describe_training(Visitor& visit, TrainingSettings& training) {
  using nn::Schedule;
  visit.field("steps", training.steps, at_least(0), "Stop after so many updates; 0: no limit.");
  visit.field(
      "epochs", training.epochs, at_least(0),
      "Stop after so many passes over the corpus; 0: no limit; null: 10, or none if steps or tokens is set.");
  visit.field("tokens", training.tokens, at_least(0),
              "Stop after so many tokens, source and target, </s> counted; 0: no limit.");
  visit.field("batch_tokens", training.batch.tokens, at_least(1),
              "Most tokens of a batch on either side (</s> counted; there is no padding).");
  visit.field("batch_order", training.batch.order,
              Choices<BatchOrder>{{{"bucketed", BatchOrder::bucketed}, {"mixed", BatchOrder::mixed}}},
              "Sentences of a batch have similar lengths, or any.");
  visit.field("label_smoothing", training.label_smoothing, from_to_below(0, 1),
              "Share of the target distribution that is spread over the whole vocabulary.");
  visit.field("optimiser", training.optimiser,
              Choices<Optimiser>{{{"adam", Optimiser::adam}, {"sgd", Optimiser::sgd}}},
              "How weights are updated.");
  visit.field("learning_rate", training.learning_rate, above(0),
              "noam: a factor, 1 if null. Other schedules: the highest rate, which must be given.");
  visit.field("schedule", training.schedule,
              Choices<Schedule>{{{"noam", Schedule::noam},
                                 {"inverse_sqrt", Schedule::inverse_sqrt},
                                 {"cosine", Schedule::cosine},
                                 {"constant", Schedule::constant}}},
              "noam: equation 3 of Vaswani et al. 2017. inverse_sqrt: the same shape, its peak given. "
              "cosine: falls to "
              "minimum_learning_rate at the last of `steps`. constant.");
  visit.field("warmup_steps", training.warmup_steps, at_least(1),
              "Updates until the learning rate is highest (noam, inverse_sqrt, cosine).");
  visit.field("minimum_learning_rate", training.minimum_learning_rate, at_least(0),
              "cosine: the learning rate of the last update.");
  visit.field("beta1", training.beta1, from_to_below(0, 1), "Adam: decay of the mean gradient.");
  visit.field("beta2", training.beta2, from_to_below(0, 1), "Adam: decay of the mean squared gradient.");
  visit.field("epsilon", training.epsilon, above(0), "Adam: added to the root of the mean squared gradient.");
  visit.field("momentum", training.momentum, from_to_below(0, 1),
              "sgd: share of the earlier updates in the next.");
  visit.field("gradient_clip_norm", training.gradient_clip_norm, at_least(0),
              "Gradients with a larger norm are scaled down to it; 0: never.");
  visit.field("accumulate", training.accumulate, at_least(1), "Batches whose gradients make one update.");
  // Up to 2^53 - 1: what every JSON reader keeps exactly.
  visit.field("seed", training.seed, from_to(0, 9007199254740991), "Where all random numbers come from.");
  visit.field("threads", training.threads, from_to(1, 1024),
              "Threads to compute with; null: all processors.");
  visit.field("log_every", training.log_every, at_least(1), "Updates between two lines of the log.");
  visit.field(
      "average_decay", training.average_decay, from_to_below(0, 1),
      "Validate and keep an exponential moving average of the weights, which forgets so slowly (0.999: "
      "in about 1,000 updates); 0: the weights themselves.");
  visit.field("initial_weights", training.initial_weights, Text{.what = "a path, or \"\" for none"},
              "Start from the weights in this file, or from those and the vocabularies of this model "
              "directory; \"\": "
              "from random weights.");
  visit.field("freeze", training.freeze, Texts{.what = "a list of names"},
              "Parameters that stay as they are: [\"encoder\"] is all whose names begin with \"encoder.\".");
}

template <class Visitor>
void describe_validation(Visitor& visit, ValidationSettings& validation) {
  visit.field("every_steps", validation.every_steps, at_least(0),
              "Updates between two validations; 0: every_epochs counts.");
  visit.field("every_epochs", validation.every_epochs, at_least(1), "Epochs between two validations.");
  visit.field("beam", validation.beam, at_least(1),
              "Hypotheses kept at each step of the translations that are compared with the references; 1: "
              "greedy. The other options of the search are those of decoding.");
  visit.field("bleu_tokeniser", validation.bleu.tokeniser, bleu_tokenisers,
              "How BLEU cuts words, as in sacreBLEU; none: at blanks, for text that is tokenised already.");
  visit.field("bleu_lowercase", validation.bleu.lowercase, Flag{}, "BLEU without regard to case.");
  visit.field("metric", validation.metric,
              Choices<ValidationMetric>{{{"loss", ValidationMetric::loss},
                                         {"bleu", ValidationMetric::bleu},
                                         {"exact_match", ValidationMetric::exact_match}}},
              "What makes one validation better than another; loss orders them as perplexity does.");
  visit.field("patience", validation.patience, at_least(0),
              "Stop after so many validations without a new best; 0: never.");
}

template <class Visitor>
void describe_checkpoints(Visitor& visit, CheckpointSettings& checkpoints) {
  visit.field("save_every", checkpoints.save_every, at_least(1),
              "Updates between two saves of the state from which the training can go on; it is also saved at "
              "each validation and at the end.");
  visit.field("keep_last", checkpoints.keep_last, at_least(0),
              "Keep the weights of so many validations, the last ones, in checkpoints/.");
  visit.field("keep_best", checkpoints.keep_best, at_least(0),
              "Keep the weights of so many validations, the best ones.");
  visit.field(
      "average", checkpoints.average,
      Choices<Averaging>{{{"none", Averaging::none}, {"last", Averaging::last}, {"best", Averaging::best}}},
      "At the end, try the mean of the keep_last or keep_best kept weights, and take it if it "
      "validates better than the best; without a validation corpus, always.");
}

template <class Visitor>
void describe_decoding(Visitor& visit, transformer::SearchOptions& decoding) {
  visit.field("beam", decoding.beam, at_least(1), "Hypotheses kept at each step of a search; 1: greedy.");
  visit.field(
      "length_penalty", decoding.length_penalty, length_penalties,
      "A log-probability is divided by ((5 + n)/6)^alpha (Wu et al. 2016), or by n^alpha; n counts </s>.");
  visit.field("alpha", decoding.alpha, from_to(-transformer::greatest_alpha, transformer::greatest_alpha),
              "Exponent of the length penalty; 0: none.");
  visit.field(
      "patience", decoding.patience, at_least(0),
      "The search of a sentence ends when patience * beam translations are finished and no unfinished "
      "one is ahead; 0: when no other can be better.");
  visit.field("max_length_ratio", decoding.max_length_ratio, at_least(0),
              "A translation ends after max_length_ratio * (source tokens) + max_length_constant tokens.");
  visit.field("max_length_constant", decoding.max_length_constant, at_least(0), "See max_length_ratio.");
  visit.field("min_length", decoding.min_length,
              from_to(0, static_cast<double>(transformer::longest_translation)),
              "Fewest tokens of a translation, </s> not counted.");
  visit.field("max_length", decoding.max_length, at_least(0),
              "Most tokens of a translation, whatever max_length_ratio says; 0: no such limit.");
  visit.field("no_repeat_ngram", decoding.no_repeat_ngram, at_least(0),
              "No sequence of so many tokens comes twice in a translation; 0: any may.");
  visit.field("repetition_penalty", decoding.repetition_penalty,
              from_to(transformer::least_repetition_penalty, transformer::greatest_repetition_penalty),
              "Makes tokens that were said already less likely (Keskar et al. 2019); 1: off.");
  visit.field("generate_unk", decoding.generate_unk, Flag{}, "Whether <unk> may be part of a translation.");
}

template <class Visitor>
void describe(Visitor& visit, Settings& settings) {
  visit.section("data", Shorthand::none, "The corpora. Relative paths begin at the current directory.",
                [&] { describe_data(visit, settings.data); });
  visit.section("model", Shorthand::none, "The shape of the Transformer.",
                [&] { describe_model(visit, settings.model); });
  visit.section("training", Shorthand::none, "How it learns.",
                [&] { describe_training(visit, settings.training); });
  visit.section("validation", Shorthand::none, "How it is measured on the validation corpus.",
                [&] { describe_validation(visit, settings.validation); });
  visit.section("checkpoints", Shorthand::none, "What is kept on the way.",
                [&] { describe_checkpoints(visit, settings.checkpoints); });
  visit.section("decoding", Shorthand::none, "How it translates.",
                [&] { describe_decoding(visit, settings.decoding); });
}

/// A place in a configuration, such as "training.steps".
struct KnownSetting {
  std::string place;
  bool section = false;  ///< holds settings
  Shorthand shorthand = Shorthand::none;
};

/// All places, in the order of the description.
const std::vector<KnownSetting>& known_settings();

/// The entry for a place, or null.
const KnownSetting* find_setting(std::string_view place);

/// Throws Error saying that there is no such setting, and which is nearest to it. `name` is where it was
/// found.
[[noreturn]] void fail_unknown_setting(const std::string& name, const std::string& place);

}  // namespace regard::translation
