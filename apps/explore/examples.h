#pragma once

#include <string>
#include <vector>

#include "apps/translation/model/translation_model.h"

namespace regard::explore {

/// A few short sentences, with which a user can begin: the first ones of the validation corpus that the
/// settings name, or else of the training corpus. None if these files are not there or not text, or if the
/// model reads images.
std::vector<std::string> example_sentences(const translation::TranslationModel& model);

}  // namespace regard::explore
