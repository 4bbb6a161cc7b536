#include "apps/translation/training/divergence.h"

#include <cmath>

#include "apps/translation/files/warning.h"

namespace regard::translation {

void DivergenceWarning::look_at(Index step, std::string_view what, double loss) {
  const double of_guess = std::log(static_cast<double>(vocabulary_));
  if (warned_ || loss <= 2 * of_guess) return;
  warned_ = true;
  warn(
      "warning: step {}: the {} is {:.2f}, but guessing among the {} tokens of the target vocabulary has the "
      "loss log {} = {:.2f}, so the training diverges; {}",
      step, what, loss, vocabulary_, vocabulary_, of_guess, against_divergence);
}

}  // namespace regard::translation
