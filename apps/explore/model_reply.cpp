#include <nlohmann/json.hpp>

#include "apps/explore/replies.h"
#include "apps/translation/settings/names.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/translator/attention_json.h"
#include "transformer/attention_layers.h"

namespace regard::explore {

Json model_reply(TranslationModel& model, const std::string& name,
                 const translation::ParallelCorpus* corpus) {
  const Json settings = to_json(model.settings);
  Json attention = Json::array();
  for (const transformer::AttentionLayer& layer : attention_layers(model.model))
    attention.push_back({{"name", layer.name},
                         {"kind", translation::name_of(layer.kind)},
                         {"layer", layer.layer},
                         {"heads", layer.mask->heads()}});
  Json search = settings["decoding"];
  search["n_best"] = model.settings.decoding.n_best;
  Json length_penalty_names = Json::array();
  for (const auto& [choice, value] : translation::length_penalties.options)
    length_penalty_names.push_back(choice);
  return {{"name", name},
          {"kind", model.settings.model.reads_images() ? "image" : "text"},
          {"encoder", settings["model"]["encoder"]},
          {"decoder", settings["model"]["decoder"]},
          {"parameters", model.model.parameter_count()},
          {"attention", std::move(attention)},
          {"search", std::move(search)},
          {"search_choices", {{"length_penalty", std::move(length_penalty_names)}}},
          {"most_source_tokens", model.settings.data.max_length},
          {"corpus", corpus != nullptr}};
}

}  // namespace regard::explore
