#pragma once

#include <string>

#include "apps/translation/training/training.h"

namespace regard::experiments {

/// The optimiser of a training whose maps of queries, keys and values are not as usual:
///   "small queries"  the first W_Q is divided by sqrt(d_k), as in the code of T5 (Raffel et al. 2020)
///   "identity"       W_K and W_V are the identity during the whole training
/// It is empty for "", which stands for the usual training.
translation::MakeOptimiser optimiser_for(const std::string& maps, const translation::Settings& settings);

/// The number of parameters that such a training does not change.
Index fixed_parameters(const std::string& maps, const std::vector<nn::NamedParameter>& parameters);

}  // namespace regard::experiments
