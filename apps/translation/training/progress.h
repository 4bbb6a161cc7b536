#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/training/training_observer.h"
#include "autograd/machine/real.h"

// How far a training is, and what follows from it: whether it ends, and which checkpoints stay.

namespace regard::translation {

/// A training counts steps, tokens and bytes up to this number at most, so that sums of counts fit an Index.
constexpr Index most_counted = 1'000'000'000'000'000;

/// The step of some kept weights, and their score on the validation corpus.
struct Checkpoint {
  Index step = 0;
  double score = 0;  ///< measured by the metric that compares validations
};

/// The progress of a training. Together with the weights, their averages and the optimiser's moments, it
/// determines how the training and its log continue. Random numbers and the order of the data are functions
/// of seed, step and epoch, so they need no state of their own.
struct Progress {
  Index step = 0;         ///< updates so far
  Index epoch = 1;        ///< the present epoch
  Index epoch_steps = 0;  ///< updates so far in this epoch
  Index tokens = 0;       ///< source and target tokens so far, with </s>
  double seconds = 0;     ///< duration of the training so far, with its validations
  Window window;

  Index validated_step = 0;
  std::optional<Checkpoint> best;         ///< its weights, or a mean of weights, are in weights.safetensors
  std::optional<double> best_validation;  ///< best score of a single step's weights; the patience compares it
  Index without_best = 0;                 ///< validations since best_validation
  Index rate_reductions = 0;              ///< how often schedule plateau has lowered the learning rate
  std::vector<Checkpoint> kept;           ///< in checkpoints/, in the order of their steps
  bool finished = false;

  /// Length of metrics.jsonl at this step. A resumed training truncates it to this length.
  Index metrics_bytes = 0;
};

/// Returns the progress as JSON.
std::string to_text(const Progress& progress);
/// Throws Error that contains `name` if the text is not the progress of a training.
Progress parse_progress(const std::string& text, const std::string& name);

/// Throws Error if the progress has more steps in its epoch than the epoch has.
void check_epoch(const Progress& progress, Index steps_in_epoch);

/// Returns the name of the setting that ends the training now (steps, tokens, minutes, epochs or patience),
/// or null. An epoch counts when the next epoch has begun. If `steps_in_epoch` is given, it counts with the
/// last of these updates.
const char* reached_limit(const Settings& settings, const Progress& progress, Index steps_in_epoch = 0);

/// True if a validation comes after this step.
bool validation_due(const ValidationSettings& settings, const Progress& progress, Index steps_in_epoch);

/// Counts the validations since the last better score of a single step. (The mean of checkpoints may have the
/// best score of all, but patience compares single steps.)
void count_patience(Progress& progress, ValidationMetric metric, double score);

/// With schedule plateau, counts a reduction of the learning rate if plateau_patience validations have passed
/// without a better one, since the best one or since the last reduction. None comes in the warm-up.
void reduce_on_plateau(Progress& progress, const TrainingSettings& settings);

/// The score that compares validations, and true if `score` is better than `other`: a lower loss, a higher
/// BLEU or exact match.
double score_of(const Validation& validation, ValidationMetric metric);
bool better(ValidationMetric metric, double score, double other);

/// Return the steps of the `count` best, or last, checkpoints in ascending order. If two scores are equal,
/// the earlier checkpoint is better.
std::vector<Index> best_of(std::span<const Checkpoint> checkpoints, Index count, ValidationMetric metric);
std::vector<Index> last_of(std::span<const Checkpoint> checkpoints, Index count);

/// Returns the checkpoints that the settings keep: the last ones and the best ones.
std::vector<Checkpoint> checkpoints_to_keep(std::span<const Checkpoint> checkpoints,
                                            const CheckpointSettings& settings, ValidationMetric metric);

}  // namespace regard::translation
