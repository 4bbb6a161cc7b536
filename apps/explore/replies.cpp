#include "apps/explore/replies.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/head_importance/head_importance.h"
#include "apps/images/base64.h"
#include "apps/images/image_file.h"
#include "apps/translation/corpus/batching.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/translator/attention_json.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "transformer/attention_layers.h"
#include "transformer/teacher_forcing.h"

namespace regard::explore {

Json model_reply(TranslationModel& model, const std::string& name,
                 const translation::ParallelCorpus* corpus) {
  const Json settings = to_json(model.settings);
  Json attention = Json::array();
  for (const transformer::AttentionLayer& layer : attention_layers(model.model))
    attention.push_back({{"name", layer.name},
                         {"kind", translation::name_of(layer.kind)},
                         {"layer", layer.layer},
                         {"heads", layer.attention->heads()}});
  Json search = settings["decoding"];
  search.erase("placeholders");  // the page has no control for a list
  if (model.settings.model.reads_files()) search.erase("keep_placeholders");
  search["n_best"] = model.settings.decoding.n_best;
  Json search_help{{"n_best", "Translations in the list, best first; at most the beam."}};
  for (const auto& [setting, value] : search.items())
    if (const auto* const known = translation::find_setting("decoding." + setting))
      search_help[setting] = known->documentation;
  return {{"name", name},
          {"kind", model.settings.model.reads_files() ? "image" : "text"},
          {"own", model.settings.model.own},
          {"encoder", settings["model"]["encoder"]},
          {"decoder", settings["model"]["decoder"]},
          {"parameters", model.model.parameter_count()},
          {"attention", std::move(attention)},
          {"search", std::move(search)},
          {"search_help", std::move(search_help)},
          {"search_choices", {{"length_penalty", translation::names_of(translation::length_penalties)}}},
          {"tags", sentence_tags(model.vocabularies.source)},
          {"most_source_tokens", model.settings.data.max_length},
          {"shortlist", model.selection != nullptr},
          {"corpus", corpus != nullptr}};
}

namespace {

using transformer::Hypothesis;
using transformer::SearchNode;
using transformer::SearchOptions;
using translation::Vocabulary;

constexpr std::size_t most_rivals = 10;

/// The likeliest tokens of a row, best first. <pad> and <s> never come.
Json rivals_json(const LargestLogits& largest, std::size_t row, const Vocabulary& vocabulary) {
  Json rivals = Json::array();
  const std::size_t count = to_size(largest.count);
  for (std::size_t i = row * count; i < (row + 1) * count && rivals.size() < most_rivals; ++i) {
    const std::int32_t id = largest.positions[i];
    if (id == translation::special::pad || id == translation::special::begin) continue;
    rivals.push_back(
        {{"token", vocabulary.token(id)},
         {"probability", std::exp(static_cast<double>(largest.logits[i] - largest.log_sum_exp[row]))}});
  }
  return rivals;
}

/// The tokens of all hypotheses, one after another, with their probabilities and rivals.
std::vector<Json> tokens_json(TranslationModel& model, const transformer::ForcedPass& pass,
                              const std::vector<std::int32_t>& tokens) {
  std::vector<Json> result;
  const Vocabulary& vocabulary = model.vocabularies.target;
  visit_logits(model.model, pass.hidden, [&](Index, const Tensor& logits) {
    const LargestLogits largest = largest_logits(logits, to_index(most_rivals) + 2);
    for (Index row = 0; row < logits.size(0); ++row) {
      const std::int32_t token = tokens[result.size()];
      const Real logit = logits.data()[row * logits.size(1) + token];
      result.push_back(
          {{"token", vocabulary.token(token)},
           {"probability", std::exp(static_cast<double>(logit - largest.log_sum_exp[to_size(row)]))},
           {"rivals", rivals_json(largest, to_size(row), vocabulary)}});
    }
  });
  return result;
}

/// `given`: the number of tokens that each hypothesis has from the request's prefix.
Json hypotheses_json(TranslationModel& model, const transformer::ForcedPass& pass,
                     const transformer::Batch& batch, const std::vector<Hypothesis>& hypotheses,
                     std::size_t given) {
  std::vector<Json> tokens = tokens_json(model, pass, batch.target_output);
  Json result = Json::array();
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const Hypothesis& hypothesis = hypotheses[i];
    Json::array_t own;
    for (std::size_t k = 0; k <= hypothesis.tokens.size(); ++k) {
      own.push_back(std::move(tokens[to_size(batch.target_input.offsets[i]) + k]));
      if (k < given) own.back()["given"] = true;
    }
    result.push_back({{"text", model.tokeniser->join(model.vocabularies.target.tokens(hypothesis.tokens))},
                      {"log_probability", hypothesis.log_probability},
                      {"score", hypothesis.score},
                      {"tokens", std::move(own)}});
  }
  return result;
}

const char* name_of(SearchNode::State state) {
  switch (state) {
    case SearchNode::State::alive:
      return "alive";
    case SearchNode::State::pruned:
      return "pruned";
    case SearchNode::State::ended:
      return "ended";
  }
  return "";
}

Json tree_json(const transformer::SearchTree& tree, SearchOptions options, const Vocabulary& vocabulary) {
  Json steps = Json::array();
  for (const std::vector<SearchNode>& step : tree) {
    const Index tokens = to_index(steps.size()) + 1;
    options.length_penalty = transformer::LengthPenalty::power;
    const double power = length_penalty(options, tokens);
    options.length_penalty = transformer::LengthPenalty::wu;
    const double wu = length_penalty(options, tokens);
    Json hypotheses = Json::array();
    for (const SearchNode& node : step)
      hypotheses.push_back(
          {{"id", node.id},
           {"parent", node.parent},
           {"token", vocabulary.token(node.token)},
           {"log_probability", node.log_probability},
           {"score", {{"power", node.log_probability / power}, {"wu", node.log_probability / wu}}},
           {"state", name_of(node.state)}});
    steps.push_back({{"hypotheses", std::move(hypotheses)}});
  }
  return {{"steps", std::move(steps)}};
}

Json image_json(const transformer::Image& image, const transformer::Memory& memory) {
  return {{"width", image.width},
          {"height", image.height},
          {"rows", memory.planes.front().height},
          {"columns", memory.planes.front().width},
          {"png", images::base64(images::png_bytes(image))}};
}

/// The source with each hypothesis as its target.
transformer::Batch pairs_of(const std::vector<std::int32_t>& source,
                            const std::vector<Hypothesis>& hypotheses) {
  translation::ParallelCorpus corpus;
  std::vector<std::size_t> pairs;
  for (const Hypothesis& hypothesis : hypotheses) {
    pairs.push_back(pairs.size());
    corpus.source.push_back(source);
    corpus.target.push_back(hypothesis.tokens);
  }
  return make_batch(corpus, pairs);
}

}  // namespace

Json translate_reply(TranslationModel& model, const Json& json) {
  const auto begin = std::chrono::steady_clock::now();
  const TranslateRequest request = parse_request(model, json);
  const nn::HeadsOff heads_off(model.model, request.heads_off);
  translation::check_beam("search.beam", request.search.beam, model.searched());
  transformer::SearchTree tree;
  const std::vector<Hypothesis> hypotheses =
      recorded_search(model.searched(), request.source, request.search, request.prefix, tree);
  const transformer::Batch batch = pairs_of(request.source, hypotheses);
  const transformer::ForcedPass pass = forced_pass(model.model, batch);

  Json reply{{"source_tokens", Json::array()}, {"unknown_words", request.unknown_words}};
  if (request.image)
    reply["image"] = image_json(*request.image, pass.memory);
  else
    reply["source_tokens"] = model.vocabularies.source.tokens(transformer::with_end(request.source));
  reply["hypotheses"] = hypotheses_json(model, pass, batch, hypotheses, request.prefix.size());
  reply["attention"] = translation::attention_json(pass, 0);
  reply["search_tree"] = tree_json(tree, request.search, model.vocabularies.target);
  reply["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return reply;
}

Json head_importance_reply(TranslationModel& model, const translation::ParallelCorpus& corpus) {
  const translation::HeadImportance importance = head_importance(model.model, corpus);
  Json heads = Json::array();
  for (const auto& [head, kind, loss] : importance.heads)
    heads.push_back({{"attention", head.attention},
                     {"head", head.head},
                     {"loss_without", loss},
                     {"growth", loss - importance.loss}});
  return {{"loss", importance.loss}, {"heads", std::move(heads)}};
}

}  // namespace regard::explore
