#include "apps/translation/training/progress.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;

namespace {
using Steps = std::vector<Index>;

const std::vector<Checkpoint> five{{1, 3.0}, {2, 1.0}, {3, 2.0}, {4, 1.0}, {5, 4.0}};

Steps steps_of(const std::vector<Checkpoint>& checkpoints) {
  Steps steps;
  for (const Checkpoint& checkpoint : checkpoints) steps.push_back(checkpoint.step);
  return steps;
}
}  // namespace

TEST_CASE("a lower loss is better, and a higher value of the other metrics", "[checkpoints]") {
  CHECK(better(ValidationMetric::loss, 1, 2));
  CHECK_FALSE(better(ValidationMetric::loss, 2, 1));
  for (const ValidationMetric metric : {ValidationMetric::bleu, ValidationMetric::exact_match}) {
    CHECK(better(metric, 2, 1));
    CHECK_FALSE(better(metric, 1, 2));
    CHECK_FALSE(better(metric, 1, 1));
  }
}

TEST_CASE("the best and the last checkpoints", "[checkpoints]") {
  CHECK(best_of(five, 1, ValidationMetric::loss) == Steps{2});  // 2 and 4 are equal, so the earlier
  CHECK(best_of(five, 3, ValidationMetric::loss) == Steps{2, 3, 4});
  CHECK(best_of(five, 2, ValidationMetric::bleu) == Steps{1, 5});
  CHECK(best_of(five, 9, ValidationMetric::bleu) == Steps{1, 2, 3, 4, 5});
  CHECK(last_of(five, 2) == Steps{4, 5});
  CHECK(last_of(five, 9) == Steps{1, 2, 3, 4, 5});
  CHECK(last_of(five, 0).empty());
}

TEST_CASE("the last and the best checkpoints are kept", "[checkpoints]") {
  const auto kept_steps = [](Index last, Index best) {
    return steps_of(
        checkpoints_to_keep(five, {.keep_last = last, .keep_best = best}, ValidationMetric::loss));
  };
  CHECK(kept_steps(0, 0).empty());
  CHECK(kept_steps(2, 0) == Steps{4, 5});
  CHECK(kept_steps(0, 2) == Steps{2, 4});
  CHECK(kept_steps(2, 2) == Steps{2, 4, 5});
}
