#include "apps/translation/import/marian.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "apps/translation/files/files.h"
#include "apps/translation/import/marian_config.h"
#include "apps/translation/import/npz_file.h"
#include "apps/translation/subwords/marian_tokeniser.h"
#include "apps/translation/subwords/subwords.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

/// A file of Marian under the names of MarianMT. Marian multiplies x W, so its matrices are [in, out].
class AsMarianMT : public nn::TensorFile {
 public:
  AsMarianMT(const NpzFile& file, const std::string& path) : TensorFile(path), file_(file) {
    for (const auto& [theirs, shape] : file.shapes()) {
      const auto [name, transposed] = renamed(theirs);
      if (name.empty())
        fail("{}: {} of shape {} has no place in a Transformer", path, theirs, to_string(shape));
      std::vector<Index> extents = shape.extents();
      if (transposed) std::ranges::reverse(extents);
      const bool is_vector = name != "final_logits_bias" && extents.size() == 2 && extents.front() == 1;
      if (is_vector) extents.erase(extents.begin());
      shapes_.emplace(name, Shape(std::move(extents)));
      stored_.emplace(name, Stored{theirs, transposed});
    }
  }

  const std::map<std::string, Shape>& shapes() const override { return shapes_; }
  using TensorFile::read;
  Tensor read(const std::string& name) const override {
    const Stored& stored = stored_.at(name);
    const Tensor found = file_.read(stored.name);
    const Shape& shape = shapes_.at(name);
    if (!stored.transposed) return found.view(shape);
    const Tensor result = Tensor::empty(shape);
    const Index out = shape[0], in = shape[1];
    for (Index row = 0; row < out; ++row)
      for (Index column = 0; column < in; ++column)
        result.data()[row * in + column] = found.data()[column * out + row];
    return result;
  }

 private:
  struct Stored {
    std::string name;
    bool transposed;
  };

  /// The name in MarianMT of a tensor, and whether it is transposed; an empty name if there is none.
  static std::pair<std::string, bool> renamed(const std::string& name) {
    static const std::map<std::string, std::pair<std::string, bool>> whole{
        {"Wemb", {"model.shared.weight", false}},
        {"encoder_Wemb", {"model.encoder.embed_tokens.weight", false}},
        {"decoder_Wemb", {"model.decoder.embed_tokens.weight", false}},
        {"decoder_ff_logit_out_W", {"lm_head.weight", true}},
        {"decoder_ff_logit_out_Wt", {"lm_head.weight", false}},
        {"decoder_ff_logit_out_b", {"final_logits_bias", false}}};
    static const std::map<std::string, std::string> of_layer{{"ffn_W1", "fc1.weight"},
                                                             {"ffn_b1", "fc1.bias"},
                                                             {"ffn_W2", "fc2.weight"},
                                                             {"ffn_b2", "fc2.bias"},
                                                             {"ffn_ffn_ln_scale", "final_layer_norm.weight"},
                                                             {"ffn_ffn_ln_bias", "final_layer_norm.bias"}};
    if (const auto found = whole.find(name); found != whole.end()) return found->second;
    const std::size_t number = name.find("_l");
    const std::string side = name.substr(0, number);
    if (number == std::string::npos || (side != "encoder" && side != "decoder")) return {};
    const std::size_t end = name.find('_', number + 2);
    const std::string digits = name.substr(number + 2, end == std::string::npos ? end : end - number - 2);
    if (end == std::string::npos || digits.empty() || digits.size() > 4 || digits.front() == '0' ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      return {};
    const std::string layer = fmt::format("model.{}.layers.{}.", side, std::stoi(digits) - 1);
    const std::string part = name.substr(end + 1);
    const bool is_matrix = part.find("_W") != std::string::npos && part.find("_ln_") == std::string::npos;
    if (const auto found = of_layer.find(part); found != of_layer.end())
      return {layer + found->second, is_matrix};
    for (const auto& [theirs, ours] :
         {std::pair<std::string, std::string>{"self_", "self_attn"}, {"context_", "encoder_attn"}}) {
      if (!part.starts_with(theirs)) continue;
      const std::string rest = part.substr(theirs.size());
      if (rest == "Wo_ln_scale") return {layer + ours + "_layer_norm.weight", false};
      if (rest == "Wo_ln_bias") return {layer + ours + "_layer_norm.bias", false};
      constexpr std::string_view projections = "qkvo";
      if (rest.size() != 2 || projections.find(rest[1]) == std::string_view::npos) return {};
      const std::string projection = rest[1] == 'o' ? ".out_proj" : fmt::format(".{}_proj", rest[1]);
      if (rest[0] == 'W') return {layer + ours + projection + ".weight", true};
      if (rest[0] == 'b') return {layer + ours + projection + ".bias", false};
    }
    return {};
  }

  const NpzFile& file_;
  std::map<std::string, Shape> shapes_;
  std::map<std::string, Stored> stored_;
};

/// The files of a directory whose names end like this, as paths.
std::vector<std::string> files_ending(const std::string& directory, const std::string& end) {
  std::vector<std::string> found;
  for (const std::string& name : files_in(directory))
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
      "either "
      "source.spm, target.spm and one file ending in vocab.yml (or one in .src.vocab.yml and one in "
      ".trg.vocab.yml), or one file .spm whose pieces are the vocabulary of both sides",
      directory, pieces.size(), joint.size() + sources.size() + targets.size());
}

ImportedVocabulary vocabulary_of(const std::string& file, const std::string& subwords,
                                 const std::string& subwords_bytes, Index rows) {
  const std::vector<std::string> tokens =
      file.empty() ? pieces_of(subwords_bytes, subwords) : read_vocabulary_yaml(file);
  const std::string& name = file.empty() ? subwords : file;
  return our_order(tokens, rows,
                   {.end = id_of(tokens, "</s>", name),
                    .unknown = id_of(tokens, "<unk>", name),
                    .begin = transformer::no_row},
                   name);
}

/// The rows of the matrix of a side, which has this name in the file or is the joint one.
Index rows_of(const nn::TensorFile& file, const char* name) {
  const char* const shared = "model.shared.weight";
  const char* const present = file.has(name) ? name : shared;
  const auto found = file.shapes().find(present);
  if (found == file.shapes().end() || found->second.rank() != 2 || found->second.size() == 0)
    fail("{} has no matrix of embeddings (Wemb, or encoder_Wemb and decoder_Wemb)", file.path());
  return found->second[0];
}

}  // namespace

ImportedModel read_marian(const std::string& directory) {
  const std::vector<std::string> models = files_ending(directory, ".npz");
  if (models.size() != 1)
    fail("{} has {} files .npz; leave the one that is to be imported", directory, models.size());
  const NpzFile npz(models.front());
  Settings settings = marian_settings(npz, directory);
  transformer::Config& shape = settings.model.config;
  const AsMarianMT file(npz, models.front());

  const VocabularyFiles names = vocabulary_files(directory);
  std::string source_bytes = read_limited(names.source_subwords, longest_subwords);
  std::string target_bytes = read_limited(names.target_subwords, longest_subwords);
  const MarianTokeniser readable(source_bytes, names.source_subwords, target_bytes, names.target_subwords);
  ImportedVocabulary source = vocabulary_of(names.source, names.source_subwords, source_bytes,
                                            rows_of(file, "model.encoder.embed_tokens.weight"));
  ImportedVocabulary target = vocabulary_of(names.target, names.target_subwords, target_bytes,
                                            rows_of(file, "model.decoder.embed_tokens.weight"));
  settings.data.joint_vocabulary = names.source == names.target;
  if (!settings.data.joint_vocabulary && shape.shared_embeddings == transformer::SharedEmbeddings::all)
    fail("{}: both sides share their embeddings, but have two vocabularies", models.front());
  return {.description = "Marian",
          .settings = settings,
          .vocabularies = {.source = std::move(source.vocabulary),
                           .target = std::move(target.vocabulary),
                           .subwords = std::move(source_bytes),
                           .target_subwords = std::move(target_bytes)},
          .parameters = transformer::parameters_of_marian_mt(file, shape, source.stored, target.stored)};
}

}  // namespace regard::translation
