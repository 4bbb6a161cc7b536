#pragma once

#include <string>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/json.h"
#include "apps/translation/model/translation_model.h"

namespace regard::explore {

// The data that the page shows. README.md has the format of each reply.

using translation::Json;
using translation::TranslationModel;

/// Limits of a request, so that one request cannot compute for hours.
inline constexpr Index widest_beam = 20, longest_translation = 300;

/// The shape of a model, its attentions and the settings of its search. `name` is shown to the user;
/// `corpus`: the model's heads can be ranked on it, unless it is null.
Json model_reply(TranslationModel& model, const std::string& name, const translation::ParallelCorpus* corpus);

/// Translates a sentence or an image. Throws Error that says what is wrong with the request.
Json translate_reply(TranslationModel& model, const Json& request);

/// The loss of a corpus, and its growth without each head, largest growth first.
Json head_importance_reply(TranslationModel& model, const translation::ParallelCorpus& corpus);

}  // namespace regard::explore
