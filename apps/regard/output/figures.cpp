#include "apps/regard/output/figures.h"

#include <cmath>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/translation/files/json.h"
#include "apps/translation/text/counted.h"
#include "apps/translation/translator/evaluation.h"

namespace regard::program {

namespace {

using translation::Json;

void print_pairs(const ModelFigures& model) {
  if (model.left_out.total() > 0)
    fmt::print("left out        {} with an empty side, {} too long\n",
               translation::counted(model.left_out.empty, "pair"), model.left_out.too_long);
  if (model.source.unknown + model.reference.unknown > 0)
    fmt::print("unknown words   {} of {} source tokens, {} of {} reference tokens\n", model.source.unknown,
               model.source.tokens, model.reference.unknown, model.reference.tokens);
}

void add(Json& json, const ModelFigures& model) {
  json["left_out"] = {{"empty", model.left_out.empty}, {"too_long", model.left_out.too_long}};
  json["too_long_sources"] = model.too_long;
  const auto unknown = [](const translation::UnknownWords& words) {
    return Json{{"unknown", words.unknown}, {"tokens", words.tokens}};
  };
  json["unknown_words"] = {{"source", unknown(model.source)}, {"reference", unknown(model.reference)}};
  json["loss"] = model.loss;
  json["perplexity"] = std::exp(model.loss);
  json["token_accuracy"] = model.token_accuracy;
}

}  // namespace

void print(const Figures& figures) {
  if (figures.model) print_pairs(*figures.model);
  fmt::print("sentences       {}\n", figures.sentences);
  if (figures.model)
    fmt::print("loss            {:.4f}\nperplexity      {}\ntoken accuracy  {:.2f} %\n", figures.model->loss,
               translation::perplexity_text(figures.model->loss, 3), 100 * figures.model->token_accuracy);
  fmt::print("exact match     {}\n", percent(figures.exact_match, "none"));
  if (figures.model) {
    const ModelFigures& model = *figures.model;
    for (const Measured& measured : figures.of_model) fmt::print("{}", measured.lines);
    if (model.too_long > 0)
      fmt::print("too long        {} of more than {} tokens, with an empty translation\n",
                 translation::counted(model.too_long, "source"), model.max_length);
  }
  const translation::Bleu& bleu = figures.bleu;
  fmt::print("BLEU            {:.2f}\n", bleu.score);
  fmt::print("  precisions    {:.1f}\n", fmt::join(bleu.precisions, " / "));
  fmt::print("  brevity       {:.3f} ({} words, the references have {})\n", bleu.brevity_penalty,
             bleu.hypothesis_length, bleu.reference_length);
  fmt::print("  signature     {}\n", signature(figures.options, figures.references));
  for (const Measured& measured : figures.of_outputs) fmt::print("{}", measured.lines);
  for (const Measured& measured : figures.of_outputs) fmt::print("{}", measured.table);
}

std::string json_text(const Figures& figures, const std::string& path) {
  Json json{{"format", 1}, {"sentences", figures.sentences}};
  if (figures.model) add(json, *figures.model);
  for (const Measured& measured : figures.of_model) json.update(measured.json);
  json["exact_match"] = or_null(figures.exact_match);
  const translation::Bleu& bleu = figures.bleu;
  json["bleu"] = {{"score", bleu.score},
                  {"precisions", bleu.precisions},
                  {"brevity_penalty", bleu.brevity_penalty},
                  {"output_words", bleu.hypothesis_length},
                  {"reference_words", bleu.reference_length},
                  {"signature", signature(figures.options, figures.references)}};
  for (const Measured& measured : figures.of_outputs) json.update(measured.json);
  return translation::dump_json(json, path);
}

}  // namespace regard::program
