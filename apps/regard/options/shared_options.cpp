#include "apps/regard/options/shared_options.h"

#include <fmt/ranges.h>

#include "autograd/parallel.h"

namespace regard::program {

void add_threads(const Command& command, std::optional<int>& threads) {
  command.option("--threads", threads, "Number of threads to compute with; default: all processors");
}

void set_given_threads(const std::optional<int>& threads) {
  if (threads) set_threads(*threads);
}

void add_weights(const Command& command, std::string& weights) {
  command.option(
      "--weights", weights,
      "Use the weights of this file, not those of MODEL_DIR: a checkpoint, or the output of regard "
      "average");
}

void add_training(const Command& command, bench::TrainingSettings& settings) {
  command
      .option("--preset", settings.preset,
              fmt::format("Preset of the model: {}", fmt::join(translation::preset_names, ", ")))
      .show_default();
  command
      .option("--set", settings.overrides,
              "Replace a setting of the model: model.d_model=64; or training.gradient_clip_norm, to clip "
              "the gradients; may be given several times")
      .value_name("KEY=VALUE");
  command.option("--source", settings.source, "Sentences, one per line, words separated by blanks");
  command.option("--target", settings.target, "Their translations, one per line");
  command
      .option("--image-size", settings.image_size,
              "A model that reads images: height and width of its random images, which replace the corpus")
      .show_default();
  command.option("--batch-images", settings.batch_images, "A model that reads images: images per batch")
      .show_default();
  command.option(
      "--batches", settings.batches,
      "File with one batch per line: a JSON list of line numbers (from 0); default: regard makes the "
      "batches");
  command.option("--batch-tokens", settings.batch_tokens, "Tokens of a batch that regard makes")
      .show_default();
  command.option("--steps", settings.steps, "Number of steps to measure").show_default();
  command.option("--warmup-steps", settings.warmup_steps, "Number of steps before them, not measured")
      .show_default();
  command.option("--dropout", settings.dropout, "Value of all dropout rates of the model").show_default();
  command.off_flag("--no-final-norm", settings.final_norm,
                   "Transformer: leave out the LayerNorm after the last layer of encoder and decoder");
}

}  // namespace regard::program
