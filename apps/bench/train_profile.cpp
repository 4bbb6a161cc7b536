#include <fmt/format.h>

#include "apps/bench/profile.h"

namespace regard::bench {

void profile_training(const TrainingSettings& settings, const std::function<void(const Profile&)>& finished) {
  Training training(settings);
  fmt::print("{}", training.description());
  for (Index step = 0; step < settings.warmup_steps; ++step) training.step();
  const Ceilings ceilings = measure_ceilings();
  Index tokens = 0;
  Profile profile;
  for (Index step = 0; step < settings.steps; ++step) {
    const Training::Step done = training.step();
    tokens += done.size.tokens();
  }
  profile.stop();
  const double seconds = 1e-9 * static_cast<double>(profile.duration());
  fmt::print("steps        {} after {} of warm-up, {} tokens (source + target), {:.0f} tokens/s\n\n",
             settings.steps, settings.warmup_steps, tokens, static_cast<double>(tokens) / seconds);
  fmt::print("{}", profile_table(profile, ceilings));
  finished(profile);
}

}  // namespace regard::bench
