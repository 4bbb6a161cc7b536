// The description of the settings of a training: how it learns, how it is measured, what it keeps.
#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/settings/settings_description.h"

namespace regard::translation {
namespace {

/// The number of steps, or of epochs, is part of the shape of a cosine schedule.
bool unless_cosine(const Settings& now) { return now.training.schedule != nn::Schedule::cosine; }
bool unless_cosine_of_epochs(const Settings& now) { return unless_cosine(now) || now.training.steps > 0; }

const Need validation_corpus{{{"data.validation_source", ""}, {"data.validation_target", ""}},
                             {{"data.validation_tsv", ""}},
                             {{"data.validation_share", ""}}};

}  // namespace

void describe_training(const Section& all, TrainingSettings& training) {
  const Section table = all.section("training", "How the model learns."),
                free = table.with({.may_change = always});
  using nn::Schedule;
  // At most 2^53 - 1: every JSON reader keeps such a number exactly.
  const Kind exact = whole(0, 9007199254740991);
  table.add("steps", training.steps, exact, "Stop after this number of updates; 0: no limit.",
            {.may_change = unless_cosine});
  free.add("epochs", training.epochs, or_null(exact),
           "Stop after this number of passes over the corpus; 0: no limit; null: 10, or no limit if steps, "
           "tokens or minutes is set.",
           {.may_change = unless_cosine_of_epochs});
  free.add("tokens", training.tokens, exact,
           "Stop after this number of tokens, source and target together, with </s>; 0: no limit.");
  free.add("minutes", training.minutes, at_least(0),
           "Stop after this time, with validations; the minutes before a stop or a crash count, too. 0: no "
           "limit.");
  table.add("batch_tokens", training.batch_tokens, whole(1),
            "Most tokens of a batch on each side (with </s>; there is no padding). A longer pair is a batch "
            "of its own. An image counts as the positions of its memory, and one more.");
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
             {"plateau", Schedule::plateau},
             {"constant", Schedule::constant}},
            "noam: equation 3 of Vaswani et al. 2017. inverse_sqrt: the same shape, but learning_rate is its "
            "peak. cosine: falls to minimum_learning_rate at the last of `steps`, or of `epochs`. "
            "plateau: rises to learning_rate, then stays and is multiplied by plateau_factor whenever the "
            "validations stop improving. constant: no change.");
  table.add("warmup_steps", training.warmup_steps, whole(1),
            "Updates until the learning rate is highest (noam, inverse_sqrt, cosine, plateau).");
  table.add("minimum_learning_rate", training.minimum_learning_rate, at_least(0),
            "cosine: the learning rate of the last update. plateau: the lowest one after the warm-up.",
            {.need = Need{{{"training.schedule", "cosine plateau"}}}});
  const Section plateau = table.with({.need = Need{{{"training.schedule", "plateau"}}}});
  plateau.add("plateau_factor", training.plateau_factor, from_to(0.01, 0.99),
              "plateau: multiplies the learning rate.");
  plateau.add("plateau_patience", training.plateau_patience, whole(1),
              "plateau: validations without a better one until then, and until the next time.");
  const Section adam = table.with({.need = Need{{{"training.optimiser", "adam"}}}});
  adam.add("beta1", training.beta1, from_to_below(0, 1), "Adam: decay of the mean gradient.");
  adam.add("beta2", training.beta2, from_to_below(0, 1), "Adam: decay of the mean squared gradient.");
  adam.add("epsilon", training.epsilon, above(0),
           "Adam: added to the root of the mean squared gradient, after the correction of its bias.");
  adam.add("weight_decay", training.weight_decay, at_least(0),
           "Adam: before each update, matrices (embeddings too) are multiplied by 1 - learning rate * "
           "weight_decay (AdamW, Loshchilov and Hutter 2019). Biases and the gains of norms are not.");
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
  table.add("initial_weights", training.initial_weights, text("a path, or \"\" for none"),
            "Start from the weights in this file, or from the weights and vocabularies of this model "
            "directory, whose settings of model, tokeniser, data.max_length and decoding then replace the "
            "defaults; \"\": from random weights.");
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

}  // namespace regard::translation
