#pragma once

#include "apps/translation/settings/choices.h"
#include "transformer/search/search_options.h"
#include "transformer/self_attention/config.h"

namespace regard::translation {

// The names of the choices that the settings, the command line and the identity of weights share.

inline const Choices<transformer::Norm> norms{
    {{"post", transformer::Norm::post}, {"pre", transformer::Norm::pre}}};

inline const Choices<nn::Activation> activations{
    {{"relu", nn::Activation::relu}, {"gelu", nn::Activation::gelu}}};

inline const Choices<transformer::LengthPenalty> length_penalties{
    {{"wu", transformer::LengthPenalty::wu}, {"power", transformer::LengthPenalty::power}}};

}  // namespace regard::translation
