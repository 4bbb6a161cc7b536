// A model of Marian: an archive of NumPy with its configuration inside, and vocabularies in YAML.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/exchange/import.h"
#include "apps/exchange/keys.h"
#include "apps/exchange/yaml.h"
#include "apps/subwords/marian_tokeniser.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "autograd/machine/error.h"

namespace regard::exchange {

namespace {

using translation::Settings;
using translation::warn;

Keys yaml_config(const std::string& yaml, const std::string& name) {
  Json json = Json::object();
  for (const auto& [key, value] : parse_yaml(yaml, name)) json[key] = value;
  return {json, name};
}

nn::Activation ffn_activation_of(const Keys& config) {
  const char* const key = "transformer-ffn-activation";
  const auto name = config.get<std::string>(key, translation::one_of({"swish", "relu"}), "swish");
  return name == "swish" ? nn::Activation::silu : nn::Activation::relu;
}

transformer::SharedEmbeddings sharing_of(const Keys& config) {
  const bool all = config.flag("tied-embeddings-all", false);
  const bool output = config.flag("tied-embeddings", false);
  const bool source = config.flag("tied-embeddings-src", false);
  if (all || (output && source)) return transformer::SharedEmbeddings::all;
  return output ? transformer::SharedEmbeddings::target_output : transformer::SharedEmbeddings::none;
}

/// The kind of decoder: with self-attention, or with SSRUs, as the models of Bergamot and Firefox.
std::string decoder_of(const Keys& config) {
  const char* const key = "transformer-decoder-autoreg";
  const auto layers =
      config.get<std::string>(key, translation::one_of({"self-attention", "rnn"}), "self-attention");
  if (layers == "self-attention") return "transformer";
  config.require("dec-cell", "ssru");
  return "ssru";
}

/// The search of marian-decoder. A missing key has the default of that program.
transformer::SearchOptions decoder_search_of(const Keys& config) {
  const char* const factor_key = "max-length-factor";
  const auto factor = config.get<double>(factor_key, translation::above(0), 3);
  const double penalty = config.number("word-penalty", 0);
  // A translation ends, with </s>, after factor * (source tokens, with </s>) tokens.
  const transformer::SearchOptions search{
      .beam = config.whole_number("beam-size", 12),
      .length_penalty = transformer::LengthPenalty::power,
      .alpha = config.number("normalize", 0),
      .max_length_ratio = factor,
      .max_length_constant =
          std::max<Index>(static_cast<Index>(std::ceil(std::clamp(factor, 0.0, 1e6))) - 1, 0),
      .generate_unk = config.flag("allow-unk", false)};
  if (factor != std::floor(factor))
    warn("{}: max-length-factor is {}; a translation in Marian may have one token more than here",
         config.file(factor_key), factor);
  if (penalty != 0 && search.alpha != 1)  // divided by the length, it is the same for all translations
    warn(
        "{}: word-penalty is {}: Marian subtracts it from a score for each token; regard has no "
        "such setting",
        config.file("word-penalty"), penalty);
  return search;
}

/// The files of a directory whose names end like this, as paths.
std::vector<std::string> files_ending(const std::string& directory, const std::string& end) {
  std::vector<std::string> found;
  for (const std::string& name : translation::files_in(directory))
    if (name.ends_with(end)) found.push_back(directory + "/" + name);
  std::ranges::sort(found);
  return found;
}

/// Where the tokens of both sides are.
struct VocabularyFiles {
  std::string source_subwords, target_subwords;
  std::string source, target;  ///< .yml; empty: the pieces are the vocabulary
};

VocabularyFiles vocabulary_files(const std::string& directory) {
  const std::string source = directory + "/source.spm", target = directory + "/target.spm";
  const std::vector<std::string> pieces = files_ending(directory, ".spm");
  const std::vector<std::string> sources = files_ending(directory, ".src.vocab.yml"),
                                 targets = files_ending(directory, ".trg.vocab.yml");
  std::vector<std::string> joint = files_ending(directory, "vocab.yml");
  std::erase_if(joint, [&](const std::string& file) {
    return std::ranges::count(sources, file) + std::ranges::count(targets, file) > 0;
  });
  if (pieces == std::vector{source, target}) {
    if (joint.size() == 1 && sources.empty() && targets.empty()) return {source, target, joint[0], joint[0]};
    if (joint.empty() && sources.size() == 1 && targets.size() == 1)
      return {source, target, sources[0], targets[0]};
  }
  if (pieces.size() == 1 && joint.empty() && sources.empty() && targets.empty())
    return {pieces[0], pieces[0], "", ""};
  fail(
      "{} has {} files .spm and {} files vocab.yml, which do not say what the vocabulary is; leave in it "
      "either source.spm, target.spm and one file ending in vocab.yml (or one in .src.vocab.yml and one in "
      ".trg.vocab.yml), or one file .spm whose pieces are the vocabulary of both sides",
      directory, pieces.size(), joint.size() + sources.size() + targets.size());
}

ImportedVocabulary vocabulary_of(const std::string& file, const std::string& subwords, Index rows) {
  const bool of_pieces = file.empty();
  const std::string& name = of_pieces ? subwords : file;
  const std::vector<std::string> tokens =
      of_pieces ? translation::pieces_of(read_subwords(subwords), subwords) : read_vocabulary(file);
  return our_order(
      tokens, rows,
      {.end = id_of(tokens, "</s>", name), .unknown = id_of(tokens, "<unk>", name), .begin = foreign::no_row},
      name);
}

/// The rows of the matrix of a side, which has this name in the file or is the joint one.
Index rows_of(const nn::TensorFile& file, const char* name) {
  const char* const shared = foreign::token_matrices(foreign::Program::marian).shared;
  const auto found = file.shapes().find(file.has(name) ? name : shared);
  if (found == file.shapes().end() || found->second.rank() != 2 || found->second.size() == 0)
    fail("{} has no matrix of embeddings (Wemb, or encoder_Wemb and decoder_Wemb)", file.path());
  return found->second[0];
}

}  // namespace

Settings marian_settings(const NpzFile& model, const std::string& directory) {
  constexpr std::uint64_t longest = 1 << 20;  // bytes
  const char* const yaml = "special:model.yml";
  const Keys config = yaml_config(model.text(yaml, longest), fmt::format("{}: {}", model.path(), yaml));
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, Json>>{{"type", "transformer"},
                                                           {"transformer-preprocess", ""},
                                                           {"transformer-postprocess", "dan"},
                                                           {"transformer-postprocess-emb", "d"},
                                                           {"transformer-postprocess-top", ""},
                                                           {"transformer-ffn-depth", 2},
                                                           {"transformer-train-position-embeddings", false},
                                                           {"transformer-no-projection", false},
                                                           {"transformer-no-bias", false},
                                                           {"transformer-no-affine", false},
                                                           {"right-left", false}})
    config.require(key, value);

  Settings settings;
  settings.model.config = {.d_model = config.whole_number("dim-emb"),
                           .heads = config.whole_number("transformer-heads"),
                           .d_ff = config.whole_number("transformer-dim-ffn"),
                           .encoder_layers = config.whole_number("enc-depth"),
                           .decoder_layers = config.whole_number("dec-depth"),
                           .final_norm = false,
                           .activation = ffn_activation_of(config),
                           .positions = {.layout = nn::SinusoidLayout::marian},
                           .shared_embeddings = sharing_of(config),
                           .generator_bias = true};
  settings.model.decoder = decoder_of(config);
  settings.model.first_predicted = translation::special::end;
  settings.data.max_length = 511;
  const std::string decoder = directory + "/decoder.yml";
  settings.decoding = decoder_search_of(
      translation::path_exists(decoder) ? yaml_config(read_limited(decoder, longest), decoder) : config);
  return settings;
}

ImportedModel read_marian(const std::string& directory) {
  const std::vector<std::string> models = files_ending(directory, ".npz");
  if (models.size() != 1)
    fail("{} has {} files .npz; leave the one that is to be imported", directory, models.size());
  const NpzFile file(models.front());
  Settings settings = marian_settings(file, directory);
  const VocabularyFiles names = vocabulary_files(directory);
  const foreign::TokenMatrices matrices = foreign::token_matrices(foreign::Program::marian);
  const bool joint = settings.data.joint_vocabulary = names.source == names.target;
  if (!joint && settings.model.config.shared_embeddings == transformer::SharedEmbeddings::all)
    fail("{}: both sides share their embeddings, but have two vocabularies", models.front());
  return {"Marian",
          put_together(
              {.program = foreign::Program::marian,
               .weights = file,
               .settings = std::move(settings),
               .source = vocabulary_of(names.source, names.source_subwords, rows_of(file, matrices.source)),
               .target = vocabulary_of(names.target, names.target_subwords, rows_of(file, matrices.target)),
               .subwords = {names.source_subwords, names.target_subwords}})};
}

}  // namespace regard::exchange
