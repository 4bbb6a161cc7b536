#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/translation/files/json.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/tensor.h"

namespace regard::exchange {

/// Formats of numbers in which CTranslate2 stores the weights of products and embeddings.
enum class WeightPrecision { float32, int8 };

// Each of these functions writes its files into a directory. All throw Error that names the setting if the
// format cannot express the model.

/// For CTranslate2 (https://opennmt.net/CTranslate2): model.bin in binary version 6 with TransformerSpec in
/// revision 7, config.json, and the vocabularies.
void export_ctranslate2(translation::TranslationModel& model, WeightPrecision precision,
                        const std::string& directory);

/// model.safetensors with the names of torch.nn.Transformer, and config.json with its arguments and the
/// vocabularies.
void export_pytorch(translation::TranslationModel& model, const std::string& directory);

/// A directory of MarianMT for Hugging Face's transformers, with its tokeniser.
void export_huggingface(translation::TranslationModel& model, const std::string& directory);

/// A directory for Marian (https://marian-nmt.github.io): model.npz, decoder.yml with the settings of the
/// search, and the vocabulary. This is vocab.spm if the tokens are the pieces of one SentencePiece model;
/// otherwise source.spm and target.spm with vocab.yml, or with a .vocab.yml for each side.
void export_marian(translation::TranslationModel& model, const std::string& directory);

// What the exports have in common.

/// Values of settings that a format can express, by the place of the setting, such as "model.norm". A setting
/// that is not listed can have any value.
using Expressible = std::map<std::string, std::vector<std::string>>;

/// What a Transformer of text of every format has.
extern const Expressible of_transformers;

/// Throws Error that names the first setting whose value a format cannot express, and the values that it can.
void check_expressible(const translation::Settings& settings, const Expressible& expressible,
                       const std::string& format);

/// Throws Error that says `why` if a setting has this value. A room that was not built has no settings.
void refuse(const translation::Settings& settings, const std::string& place, const translation::Json& value,
            const std::string& format, const std::string& why);

/// Marks in place of capitals (data.case), which only regard writes into a text and reads: a format whose
/// program is given texts has to refuse them, one whose program is given tokens warns.
void refuse_capitals(const translation::Settings& settings, const std::string& format);
void warn_of_capitals(const translation::Settings& settings);

/// The tensors of a model by their names. A tensor that is used in several places has several names:
/// src_embed.weight, tgt_embed.weight and generator.weight.
std::map<std::string, Tensor> named_tensors(translation::TranslationModel& model);

/// True if the embedding of <s>, with which a translation begins, is zero.
bool begins_with_zero(const std::map<std::string, Tensor>& tensors);

/// The tokens of a vocabulary as a JSON list.
translation::Json tokens_of(const translation::Vocabulary& vocabulary);

/// Writes the SentencePiece models, if there are some: subwords.model, or source.spm and target.spm.
void write_subwords(const translation::TranslationModel& model, const std::string& directory);

}  // namespace regard::exchange
