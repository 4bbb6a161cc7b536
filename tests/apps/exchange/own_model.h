#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/translation/model/make_model.h"
#include "apps/translation/settings/settings_json.h"
#include "tests/apps/subwords/subword_support.h"
#include "tests/apps/support.h"

namespace regard::tests {

/// A model with random weights of the form that MarianMT has, and these subwords.
inline translation::TranslationModel own_model(const std::string& subwords,
                                               const std::vector<std::string>& overrides = {}) {
  translation::Settings settings = translation::parse_settings({{"model",
                                                                 {{"d_model", 16},
                                                                  {"heads", 2},
                                                                  {"d_ff", 24},
                                                                  {"encoder_layers", 1},
                                                                  {"decoder_layers", 1},
                                                                  {"positions", {{"layout", "halves"}}},
                                                                  {"norm", "post"},
                                                                  {"final_norm", false}}},
                                                                {"data", {{"tokeniser", "sentencepiece"}}}},
                                                               "own", overrides);
  auto tokeniser = std::make_unique<SubwordTokeniser>(subwords, "own");
  translation::Vocabularies vocabularies{tokeniser->vocabulary(), tokeniser->vocabulary(), subwords};
  transformer::EncoderDecoder model = translation::make_model(settings, vocabularies, Random(3));
  model.eval();
  return {std::move(settings), std::move(vocabularies), std::move(tokeniser), std::move(model)};
}

}  // namespace regard::tests
