#pragma once

#include "apps/experiments/measures/job.h"
#include "apps/translation/model/make_model.h"

namespace regard::experiments {

/// Makes the broken model of a job whose settings have "model.own=no_causal_mask": a Transformer whose
/// decoder sees the whole target, also the words that it has to predict. It translates word by word, as every
/// model. Empty for other jobs.
translation::MakeModel own_model(const Job& job);

}  // namespace regard::experiments
