// A state_dict of torch.nn.Transformer, as safetensors.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/exchange/export.h"
#include "apps/translation/files/files.h"
#include "apps/translation/settings/settings_json.h"
#include "nn/safetensors.h"

namespace regard::exchange {

void export_pytorch(translation::TranslationModel& model, const std::string& directory) {
  Expressible expressible = of_transformers;
  expressible["model.multi_head.scaled"] = {"true"};
  check_expressible(model.settings, expressible, "pytorch");
  warn_of_capitals(model.settings);
  const transformer::Config& config = model.settings.model.config;
  std::vector<nn::NamedParameter> tensors;
  for (const auto& [name, tensor] : named_tensors(model)) tensors.push_back({name, tensor});
  nn::save_safetensors(directory + "/model.safetensors", tensors, {{"format", "pt"}});
  const translation::Values values = values_of(model.settings);
  translation::Json json{{"transformer",
                          {{"d_model", config.d_model},
                           {"nhead", config.heads},
                           {"num_encoder_layers", config.encoder_layers},
                           {"num_decoder_layers", config.decoder_layers},
                           {"dim_feedforward", config.d_ff},
                           {"dropout", 0.0},
                           {"activation", values.at("model.activation")},
                           {"norm_first", config.norm == transformer::Norm::pre},
                           {"layer_norm_eps", 1e-5}}},
                         {"final_norm", config.has_final_norm()},
                         {"scaled_embedding", config.scaled_embedding},
                         {"first_predicted", model.settings.model.first_predicted}};
  for (const char* const key : {"kind", "base", "layout", "sides"})
    json["positions"][key] = values.at(fmt::format("model.positions.{}", key));
  json["source_vocabulary"] = tokens_of(model.vocabularies.source);
  json["target_vocabulary"] = tokens_of(model.vocabularies.target);
  write_subwords(model, directory);
  translation::write_file(directory + "/config.json", translation::dump_json(json, "config.json"));
}

}  // namespace regard::exchange
