// Models learn: one batch by heart, and to reverse sentences that they have never seen.
#include "tests/catch.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr Index vocabulary = 12;  // eight words

/// One task: a sentence and what to make of it.
using Task = Ids (*)(const Ids&);
Ids copied(const Ids& sentence) { return sentence; }
Ids reversed(const Ids& sentence) { return {sentence.rbegin(), sentence.rend()}; }

std::vector<Ids> sentences(std::size_t count, Random& random) {
  std::vector<Ids> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(random_sentence(1 + random.below(6), vocabulary, random));
  return result;
}

std::vector<Ids> targets(Task task, const std::vector<Ids>& sources) {
  std::vector<Ids> result;
  for (const Ids& source : sources) result.push_back(task(source));
  return result;
}

/// The share of unseen sentences that greedy search gets exactly right.
double accuracy(EncoderDecoder& model, Task task) {
  Random random(1'000'003);  // another seed than that of training
  const std::vector<Ids> sources = sentences(300, random);
  model.eval();
  const auto translations = greedy_search(model, pack_sources(sources));
  model.train();
  double right = 0;
  for (std::size_t i = 0; i < sources.size(); ++i)
    right += translations[i].tokens == task(sources[i]) ? 1 : 0;
  return right / static_cast<double>(sources.size());
}

EncoderDecoder learner(Norm norm) {
  Random random(1);
  return make_transformer({.source_vocabulary = vocabulary,
                           .target_vocabulary = vocabulary,
                           .d_model = 32,
                           .heads = 2,
                           .d_ff = 64,
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .norm = norm,
                           .dropout = DropoutRates::all(0)},
                          random);
}

/// Trains step by step until the accuracy is there, at most so many steps. Returns the accuracy.
double learn(EncoderDecoder& model, Task task, int most_steps) {
  nn::Adam adam(model.parameters());
  Random random(2);
  double reached = 0;
  for (int step = 1; step <= most_steps; ++step) {
    const std::vector<Ids> sources = sentences(48, random);
    model.loss(make_batch(sources, targets(task, sources))).backward();
    adam.step({.learning_rate = nn::learning_rate(
                   {.schedule = nn::Schedule::inverse_sqrt, .learning_rate = 0.01, .warmup_steps = 50}, step),
               .clip_norm = 1});
    if (step % 50 == 0 && (reached = accuracy(model, task)) >= 0.995) break;
  }
  return reached;
}

}  // namespace

TEST_CASE("one batch is learnt by heart") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    EncoderDecoder model = learner(norm);
    nn::Adam adam(model.parameters());
    Random random(3);
    const std::vector<Ids> sources = sentences(6, random), answers = sentences(6, random);  // no rule to find
    const Batch batch = make_batch(sources, answers);
    CHECK(model.loss(batch).item() > 1.5);
    for (int step = 0; step < 100; ++step) {
      model.loss(batch).backward();
      adam.step({.learning_rate = 0.005});
    }
    CHECK(model.loss(batch).item() < 0.02);
    const auto translations = greedy_search(model, batch.source);
    for (std::size_t i = 0; i < answers.size(); ++i) CHECK(translations[i].tokens == answers[i]);
  }
}

TEST_CASE("a model learns to reverse") {
  EncoderDecoder model = learner(Norm::post);
  CHECK(accuracy(model, reversed) < 0.05);
  CHECK(learn(model, reversed, 1500) >= 0.99);
  CHECK(accuracy(model, copied) < 0.5);
}
