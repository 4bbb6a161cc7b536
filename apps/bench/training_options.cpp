#include "apps/bench/training_options.h"

#include <fmt/ranges.h>
#include <memory>

#include "apps/regard/options.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"

namespace regard::program {

void add_training(const Command& parent, const std::string& description, const std::string& footer,
                  void (*measure)(const bench::TrainingSettings&),
                  const std::function<void(const Command&, bench::TrainingSettings&)>& add_options) {
  const auto settings = std::make_shared<bench::TrainingSettings>();
  const auto threads = std::make_shared<std::optional<int>>();
  const Command command = parent.add("train", description);
  if (add_options) add_options(command, *settings);
  command.option("--preset", settings->preset,
                 fmt::format("Preset of the model: {}", fmt::join(translation::preset_names(), ", ")),
                 show_default);
  command.option("--set", settings->overrides,
                 "Replace a setting of the model: model.d_model=64; or training.gradient_clip_norm or "
                 "training.precision=bfloat16; may be given several times",
                 {.value_name = "KEY=VALUE"});
  command.option("--source", settings->source, "Sentences, one per line, words separated by blanks");
  command.option("--target", settings->target, "Their translations, one per line");
  command.option("--image-size", settings->image_size,
                 "A model that reads images: height and width of its random images, which replace the corpus",
                 {.show_default = true, .least = 1});
  command.option("--batch-images", settings->batch_images, "A model that reads images: images per batch",
                 {.show_default = true, .least = 1});
  command.option("--batches", settings->batches,
                 "File with one batch per line: a JSON list of line numbers (from 0); default: regard makes "
                 "the batches");
  command.option("--batch-tokens", settings->batch_tokens, "Tokens of a batch that regard makes",
                 {.show_default = true, .least = 1});
  command.option("--steps", settings->steps, "Number of steps to measure", show_default);
  command.option("--warmup-steps", settings->warmup_steps, "Number of steps before them, not measured",
                 show_default);
  command.option("--dropout", settings->dropout, "Value of all dropout rates of the model", show_default);
  command.off_flag("--no-final-norm", settings->final_norm,
                   "Transformer: leave out the LayerNorm after the last layer of encoder and decoder");
  add_threads(command, *threads);
  command.footer(footer);
  command.action([=] {
    check_scaling(settings->scaling, *threads);
    set_given_threads(*threads);
    measure(*settings);
    return 0;
  });
}

void check_scaling(bool scaling, const std::optional<int>& threads) {
  if (scaling && threads.value_or(1) != 1)
    fail("--scaling runs on one thread and predicts the time on others; leave --threads {} out", *threads);
}

}  // namespace regard::program
