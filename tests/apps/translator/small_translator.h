#pragma once

#include <algorithm>
#include <string_view>

#include "apps/translation/model/translation_model.h"
#include "apps/translation/translator/translator.h"
#include "autograd/machine/profile.h"
#include "tests/apps/training/small_training.h"

namespace regard::tests {

/// An untrained model. Its translations have no meaning, but these tests do not need one.
inline translation::Translator small_translator() {
  SmallTraining training;
  training.settings.data.max_length = 5;
  translation::TranslationModel model{training.settings, training.data.vocabularies,
                                      translation::make_tokeniser("word"), training.model()};
  model.model.eval();
  return translation::Translator(std::move(model));
}

/// The number of searches with this name while `work` runs.
template <class Work>
Index searches(const char* name, const Work& work) {
  Profile profile;
  work();
  profile.stop();
  return std::ranges::count_if(
      profile.events(), [&](const Profile::Event& event) { return std::string_view(event.name) == name; });
}

}  // namespace regard::tests
