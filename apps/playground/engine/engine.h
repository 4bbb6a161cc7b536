#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/playground/engine/settings.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/training/epoch.h"
#include "apps/translation/training/plan.h"
#include "apps/translation/training/training.h"
#include "nn/attention_module.h"

namespace regard::playground {

/// A training of the page, a slice at a time, and what the page asks of its model. Requests and replies are
/// JSON; FORMATS.md describes them. Every function throws Error with a sentence for the page.
class Engine {
 public:
  /// Makes corpus, model and optimiser from the choices of the page.
  explicit Engine(const Json& choices);

  /// The reply to make: numbers about the corpus and the model, and examples.
  Json about();
  /// Takes steps until this time has passed or the step `until` is reached, at least one.
  Json train(double milliseconds, Index until);
  /// The translation of the test sentence by the present weights, with all attention weights.
  Json test();
  /// Translates validation sentences until this time has passed. The reply has `exact`, the percentage that
  /// is right, once all were translated, and null before. A step in between begins anew.
  Json measure(double milliseconds);
  /// Changes the training: learning_rate, heads_off.
  void set(const Json& request);
  /// Writes the model directory, and returns the names of its files.
  Json files();

  Json translate(const Json& request);  ///< a translation, as regard explore gives it
  Json number(const Json& request);     ///< the numbers of one attention weight (numbers.cpp)
  Json token(const Json& request);      ///< embedding and position of a token (numbers.cpp)

 private:
  void begin_epoch();
  std::string sentence(const std::vector<std::int32_t>& ids, const translation::Vocabulary& words) const;

  Choices choices_;
  translation::Training training_;
  translation::TranslationModel model_;  ///< it shares the weights of the training
  std::optional<translation::Epoch> epoch_;
  std::optional<translation::TrainingPlan> plan_;
  std::optional<nn::HeadsOff> heads_off_;  ///< in training and in translations
  double seconds_ = 0;                     ///< of the steps
  std::size_t tested_;                     ///< the pair of the validation corpus that is shown
  std::size_t measured_ = 0, right_ = 0;   ///< validation pairs since the last step
};

}  // namespace regard::playground
