#pragma once

#include "apps/translation/settings/choices.h"
#include "transformer/recurrent/recurrent_config.h"
#include "transformer/search/search_options.h"
#include "transformer/self_attention/transformer_config.h"

namespace regard::translation {

// The names of the choices that the settings, the command line and the identity of weights share.

inline const Choices<transformer::Norm> norms{
    {{"post", transformer::Norm::post}, {"pre", transformer::Norm::pre}}};

inline const Choices<nn::Activation> activations{
    {{"relu", nn::Activation::relu}, {"gelu", nn::Activation::gelu}}};

inline const Choices<nn::PositionKind> position_kinds{{{"sinusoidal", nn::PositionKind::sinusoidal},
                                                       {"learned", nn::PositionKind::learned},
                                                       {"none", nn::PositionKind::none}}};

inline const Choices<nn::PositionUse> position_uses{
    {{"added", nn::PositionUse::added}, {"concatenated", nn::PositionUse::concatenated}}};

inline const Choices<nn::Cell> cells{{{"gru", nn::Cell::gru}, {"lstm", nn::Cell::lstm}}};

inline const Choices<transformer::RecurrentAttentionKind> recurrent_attention_kinds{
    {{"none", transformer::RecurrentAttentionKind::none},
     {"soft", transformer::RecurrentAttentionKind::soft},
     {"hard", transformer::RecurrentAttentionKind::hard}}};

inline const Choices<nn::ScoreKind> scores{{{"dot", nn::ScoreKind::dot},
                                            {"scaled_dot", nn::ScoreKind::scaled_dot},
                                            {"general", nn::ScoreKind::general},
                                            {"additive", nn::ScoreKind::additive},
                                            {"linear_concat", nn::ScoreKind::linear_concat},
                                            {"location", nn::ScoreKind::location},
                                            {"cosine", nn::ScoreKind::cosine}}};

inline const Choices<nn::Normaliser> normalisers{{{"softmax", nn::Normaliser::softmax},
                                                  {"sparsemax", nn::Normaliser::sparsemax},
                                                  {"relu", nn::Normaliser::relu}}};

inline const Choices<nn::AttentionWindow> windows{{{"global", nn::AttentionWindow::global},
                                                   {"local_m", nn::AttentionWindow::local_m},
                                                   {"local_p", nn::AttentionWindow::local_p}}};

inline const Choices<transformer::AttentionOrder> attention_orders{
    {{"context_first", transformer::AttentionOrder::context_first},
     {"state_first", transformer::AttentionOrder::state_first}}};

inline const Choices<transformer::LengthPenalty> length_penalties{
    {{"wu", transformer::LengthPenalty::wu}, {"power", transformer::LengthPenalty::power}}};

}  // namespace regard::translation
