// A batch that is cut into micro-batches (training.shards), in one process.
#include "apps/translation/training/epoch.h"
#include "nn/safetensors.h"
#include "tests/apps/training/sums_of_micro_batches.h"
#include "tests/apps/training/varied_trainings.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::Random;
using regard::Real;
using regard::to_index;
using regard::to_size;

namespace {

/// The loss of the first update and the weights after it, which are the first weights minus the gradient.
std::pair<double, std::vector<Real>> first_step(SmallTraining training) {
  training.settings.training.optimiser = OptimiserKind::sgd;
  training.settings.training.learning_rate = 1;
  training.settings.training.gradient_clip_norm = 0;
  training.settings.training.average_decay = 0;
  training.settings.training.log_every = 1;
  training.settings.training.steps = 1;
  training.settings.checkpoints.average = Averaging::none;
  const Trained trained(training);
  auto model = training.model();
  regard::nn::load_parameters(model, trained.directory.weights());
  std::vector<Real> weights;
  for (const auto& parameter : model.parameters())
    weights.insert(weights.end(), parameter.tensor.values().begin(), parameter.tensor.values().end());
  return {trained.steps.back().window.loss, weights};
}

double largest_difference(const std::vector<Real>& one, const std::vector<Real>& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    largest = std::max(largest, static_cast<double>(std::abs(one[i] - other[i])));
  return largest;
}

}  // namespace

TEST_CASE("without dropout, micro-batches change a gradient only by rounding", "[training]") {
  SmallTraining training = divided_training(1);
  training.settings.model.config.dropout = regard::transformer::DropoutRates::all(0);
  const auto [loss, weights] = first_step(training);
  for (const Index micro_batches : {2, 3, 8, 50}) {
    training.settings.training.shards = micro_batches;
    const auto [divided_loss, divided] = first_step(training);
    CHECK(divided_loss == Approx(loss).epsilon(1e-6));
    CHECK(largest_difference(divided, weights) < 1e-6);
    CHECK(divided != weights);
  }
}

TEST_CASE("each micro-batch has random numbers of its own", "[training]") {
  // All sentence pairs are equal, so with equal random numbers all micro-batches would have equal gradients.
  SmallTraining training = divided_training(2);
  training.settings.training.accumulate = 1;
  for (auto& sentence : training.data.training.source) sentence = {4, 5, 6};
  for (auto& sentence : training.data.training.target) sentence = {5, 6, 7};
  const auto two_micro_batches_and_one = [&] {
    training.settings.training.shards = 2;
    training.settings.training.batch_tokens = 8;  // two pairs
    const std::vector<Real> both = first_step(training).second;
    training.settings.training.shards = 1;
    training.settings.training.batch_tokens = 4;  // one pair, divided by half as many targets
    return largest_difference(both, first_step(training).second);
  };
  CHECK(two_micro_batches_and_one() > 1e-4);
  training.settings.model.config.dropout = regard::transformer::DropoutRates::all(0);
  CHECK(two_micro_batches_and_one() < 1e-6);
}

TEST_CASE("gradients of micro-batches are added along a tree", "[training]") {
  check_sums([](const Gradients& gradients) { return std::vector{sums_of(one_process(), gradients)}; });
}

TEST_CASE("a batch is cut into consecutive pieces of about equal lengths", "[training]") {
  CHECK(cut_into_pieces({5, 5, 5, 5}, 1) == std::vector<std::size_t>{0, 4});
  CHECK(cut_into_pieces({5, 5, 5, 5}, 2) == std::vector<std::size_t>{0, 2, 4});
  CHECK(cut_into_pieces({9, 1, 1, 1}, 2) == std::vector<std::size_t>{0, 1, 4});
  CHECK(cut_into_pieces({}, 3) == std::vector<std::size_t>{0, 0, 0, 0});
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Index> lengths;
    for (std::uint64_t i = random.below(30); i > 0; --i) lengths.push_back(2 + to_index(random.below(40)));
    const Index micro_batches = 1 + to_index(random.below(12));
    const std::vector<std::size_t> begins = cut_into_pieces(lengths, micro_batches);
    REQUIRE(begins.size() == to_size(micro_batches) + 1);
    CHECK(begins.front() == 0);
    CHECK(begins.back() == lengths.size());
    CHECK(std::is_sorted(begins.begin(), begins.end()));
    const double whole = static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), Index{0}));
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
      const auto at = [&](std::size_t k) { return lengths.begin() + to_index(begins[k]); };
      const double piece = static_cast<double>(std::accumulate(at(i), at(i + 1), Index{0}));
      CHECK(std::abs(piece - whole / static_cast<double>(micro_batches)) <=
            42);  // at most half a length at each end
    }
  }
}
