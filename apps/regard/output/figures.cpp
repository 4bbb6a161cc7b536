#include "apps/regard/output/figures.h"

#include <cmath>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/translation/files/json.h"
#include "apps/translation/text/counted.h"
#include "apps/translation/translator/evaluation.h"

namespace regard::program {

namespace {

using translation::AlignmentCounts;
using translation::Json;
using translation::PairedBootstrap;
using translation::PointingCounts;

std::string percent(const std::optional<double>& share, const char* otherwise) {
  return share ? fmt::format("{:.2f} %", 100 * *share) : otherwise;
}

void print_alignments(const AlignmentCounts& counts) {
  const translation::AlignmentQuality quality = alignment_quality(counts);
  fmt::print("AER             {}\n", percent(quality.error_rate, "there are no links"));
  fmt::print("  precision     {} ({} links of the model)\n", percent(quality.precision, "none"),
             counts.links);
  fmt::print("  recall        {} ({} sure links of the gold alignments)\n", percent(quality.recall, "none"),
             counts.sure);
}

/// The shares of hits: of the model, and of a decoder that looks at a random position.
struct PointingShares {
  std::optional<double> model, random;
};

PointingShares shares(const PointingCounts& counts) {
  if (counts.words == 0) return {};
  const auto words = static_cast<double>(counts.words);
  return {static_cast<double>(counts.hits) / words, counts.expected_hits / words};
}

void print_pointing(const PointingCounts& counts) {
  const auto [model, random] = shares(counts);
  if (!model) return fmt::print("pointing        no word has a region\n");
  fmt::print("pointing        {} ({} of {} words; a random position: {})\n", percent(model, ""), counts.hits,
             counts.words, percent(random, ""));
}

void print_pairs(const ModelFigures& model) {
  if (model.left_out.total() > 0)
    fmt::print("left out        {} with an empty side, {} too long\n",
               translation::counted(model.left_out.empty, "pair"), model.left_out.too_long);
  if (model.source.unknown + model.reference.unknown > 0)
    fmt::print("unknown words   {} of {} source tokens, {} of {} reference tokens\n", model.source.unknown,
               model.source.tokens, model.reference.unknown, model.reference.tokens);
}

void print_comparison_row(const char* name, const PairedBootstrap& result) {
  const auto interval = [](const translation::ResampledScore& score) {
    return fmt::format("{:.2f} ± {:.2f}", score.mean, score.half_width);
  };
  fmt::print("{:<8}{:>8.2f}{:>16}{:>12.2f}{:>16}{:>10.4f}{:>9.1f} %{:>8.1f} %\n", name, result.system.score,
             interval(result.system), result.baseline.score, interval(result.baseline), result.p_value,
             100 * result.system_wins, 100 * result.baseline_wins);
}

void print_comparison(const Comparison& comparison) {
  fmt::print("\npaired bootstrap: {} samples, seed {}\n", comparison.settings.samples,
             comparison.settings.seed);
  fmt::print("{:<8}{:>8}{:>16}{:>12}{:>16}{:>10}{:>11}{:>10}\n", "", "score", "mean ± 95 %", "baseline",
             "mean ± 95 %", "p-value", "wins", "losses");
  print_comparison_row("BLEU", comparison.bleu);
  print_comparison_row("chrF2", comparison.chrf);
}

/// Returns the number, or null.
Json or_null(const auto& value) { return value ? Json(*value) : Json(nullptr); }

Json to_json(const PairedBootstrap& result) {
  const auto score = [](const translation::ResampledScore& of) {
    return Json{{"score", of.score}, {"mean", of.mean}, {"half_width", of.half_width}};
  };
  return {{"output", score(result.system)},
          {"baseline", score(result.baseline)},
          {"p_value", result.p_value},
          {"wins", result.system_wins},
          {"losses", result.baseline_wins}};
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
  if (model.alignments) {
    const translation::AlignmentQuality quality = alignment_quality(*model.alignments);
    json["alignments"] = {{"error_rate", or_null(quality.error_rate)},
                          {"precision", or_null(quality.precision)},
                          {"recall", or_null(quality.recall)},
                          {"links", model.alignments->links},
                          {"sure", model.alignments->sure}};
  }
  if (model.pointing) {
    const auto [share, random] = shares(*model.pointing);
    json["pointing"] = {{"share", or_null(share)},
                        {"random", or_null(random)},
                        {"hits", model.pointing->hits},
                        {"words", model.pointing->words}};
  }
  if (model.shortlist)
    json["shortlist"] = {{"recall", model.shortlist->share()},
                         {"mean_tokens", model.shortlist->mean_list()},
                         {"held", model.shortlist->held},
                         {"tokens", model.shortlist->tokens}};
}

std::string chrf_signature(const Figures& figures) {
  return signature(translation::ChrfOptions{.lowercase = figures.options.lowercase});
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
    if (model.alignments) print_alignments(*model.alignments);
    if (model.pointing) print_pointing(*model.pointing);
    if (model.shortlist)
      fmt::print("shortlist       {:.0f} tokens per sentence, recall {:.2f} % ({} of {} reference tokens)\n",
                 model.shortlist->mean_list(), 100 * model.shortlist->share(), model.shortlist->held,
                 model.shortlist->tokens);
    if (model.too_long > 0)
      fmt::print("too long        {} of more than {} tokens, with an empty translation\n",
                 translation::counted(model.too_long, "source"), model.max_length);
  }
  const translation::Bleu& bleu = figures.bleu;
  fmt::print("BLEU            {:.2f}\n", bleu.score);
  fmt::print("  precisions    {:.1f}\n", fmt::join(bleu.precisions, " / "));
  fmt::print("  brevity       {:.3f} ({} words, the references have {})\n", bleu.brevity_penalty,
             bleu.hypothesis_length, bleu.reference_length);
  fmt::print("  signature     {}\n", signature(figures.options));
  fmt::print("chrF2           {:.2f}\n", figures.chrf);
  fmt::print("  signature     {}\n", chrf_signature(figures));
  for (std::size_t kind = 0; kind < figures.kept.size(); ++kind)
    if (const translation::KeptParts& kept = figures.kept[kind]; kept.sentences > 0)
      fmt::print("{:<16}{} ({} of {} translations have those of their source)\n",
                 translation::fixed_kinds[kind].name, percent(kept.share(), ""), kept.kept, kept.sentences);
  fmt::print("\n{:<16}{:>10}{:>8}{:>13}\n", "reference words", "sentences", "BLEU", "exact match");
  for (const translation::LengthBucket& bucket : figures.lengths)
    fmt::print("{:<16}{:>10}{:>8.2f}{:>13}\n", bucket.name(), bucket.sentences, bucket.bleu.score,
               percent(bucket.exact_match, "none"));
  if (figures.comparison) print_comparison(*figures.comparison);
}

std::string json_text(const Figures& figures, const std::string& path) {
  Json json{{"format", 1}, {"sentences", figures.sentences}};
  if (figures.model) add(json, *figures.model);
  json["exact_match"] = or_null(figures.exact_match);
  const translation::Bleu& bleu = figures.bleu;
  json["bleu"] = {{"score", bleu.score},
                  {"precisions", bleu.precisions},
                  {"brevity_penalty", bleu.brevity_penalty},
                  {"output_words", bleu.hypothesis_length},
                  {"reference_words", bleu.reference_length},
                  {"signature", signature(figures.options)}};
  json["chrf2"] = {{"score", figures.chrf}, {"signature", chrf_signature(figures)}};
  for (std::size_t kind = 0; kind < figures.kept.size(); ++kind)
    if (const translation::KeptParts& kept = figures.kept[kind]; kept.sentences > 0)
      json["kept"][translation::fixed_kinds[kind].name] = {
          {"share", kept.share()}, {"sentences", kept.sentences}, {"kept", kept.kept}};
  json["length_bounds"] = figures.length_bounds;
  json["lengths"] = Json::array();
  for (const translation::LengthBucket& bucket : figures.lengths)
    json["lengths"].push_back({{"reference_words", bucket.name()},
                               {"shortest", bucket.shortest},
                               {"longest", or_null(bucket.longest)},
                               {"sentences", bucket.sentences},
                               {"bleu", bucket.bleu.score},
                               {"exact_match", or_null(bucket.exact_match)}});
  if (figures.comparison)
    json["paired_bootstrap"] = {{"samples", figures.comparison->settings.samples},
                                {"seed", figures.comparison->settings.seed},
                                {"bleu", to_json(figures.comparison->bleu)},
                                {"chrf2", to_json(figures.comparison->chrf)}};
  return translation::dump_json(json, path);
}

}  // namespace regard::program
