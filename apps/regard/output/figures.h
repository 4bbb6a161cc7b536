#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/regard/measure.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/metrics/bleu.h"
#include "autograd/machine/real.h"

namespace regard::program {

/// The figures that only an evaluation of a model has.
struct ModelFigures {
  translation::DroppedPairs left_out;
  Index too_long = 0, max_length = 0;  ///< sources that the model cannot take, and its limit in tokens
  translation::UnknownWords source, reference;
  double loss = 0, token_accuracy = 0;
};

/// All figures of an evaluation. What it prints and what it writes as JSON both come from here.
struct Figures {
  Index sentences = 0;
  std::optional<ModelFigures> model;
  std::optional<double> exact_match;
  translation::BleuOptions options;
  std::size_t references = 1;  ///< of a sentence
  translation::Bleu bleu;
  std::vector<Measured> of_model, of_outputs;
};

void print(const Figures& figures);
/// Returns the figures as the text of a JSON file. apps/README.md describes it.
std::string json_text(const Figures& figures, const std::string& path);

}  // namespace regard::program
