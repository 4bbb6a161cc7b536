#pragma once

#include <string>
#include <utility>

#include "apps/exchange/npz_file.h"
#include "apps/exchange/vocabulary.h"
#include "apps/exchange/weights.h"
#include "apps/subwords/nllb_tokeniser.h"
#include "apps/translation/model/translation_model.h"

namespace regard::exchange {

/// A model of another program, as regard has it.
struct ImportedModel {
  std::string program;  ///< such as "MarianMT" or "NLLB"
  translation::TranslationModel model;
};

/// Reads a model of another program. A model of NLLB gets the languages of `direction`; others have none.
/// Throws Error that names the file and its fault, or says which files are missing.
ImportedModel read_model(const std::string& directory, const translation::Direction& direction = {});

/// Writes a model directory: all of its files, or nothing. Throws Error if `directory` exists and is not
/// empty, if a weight is not finite, or if a file cannot be written.
void write_model(translation::TranslationModel& model, const std::string& directory);

// What read_model is made of.

/// Reads a directory of Hugging Face's MarianMT, such as an OPUS-MT model: config.json,
/// generation_config.json (if it is there), model.safetensors or pytorch_model.bin, vocab.json,
/// target_vocab.json (if there are two vocabularies), source.spm and target.spm.
ImportedModel read_hugging_face(const std::string& directory);

/// Reads a directory of Hugging Face's M2M100 with the tokeniser of NLLB, such as NLLB-200-distilled-600M:
/// the configuration and the weights as above, sentencepiece.bpe.model, and the codes of its languages in
/// special_tokens_map.json or tokenizer_config.json. Throws Error if it has no such language.
ImportedModel read_nllb(const std::string& directory, const translation::Direction& direction);

/// True for such a directory.
bool is_nllb(const std::string& directory);

/// Reads a Transformer of Marian: one file *.npz with its configuration inside, and its vocabularies, which
/// are source.spm and target.spm with *.vocab.yml (or *.src.vocab.yml and *.trg.vocab.yml), or one file *.spm
/// whose pieces are the vocabulary. decoder.yml, if it is there, has the settings of the search. Throws Error
/// also if the files fit several of these descriptions.
ImportedModel read_marian(const std::string& directory);

/// The settings of a model of Marian, from the configuration in its file and from decoder.yml, if the
/// directory has it. Throws Error that names the key of a form that regard does not have.
translation::Settings marian_settings(const NpzFile& model, const std::string& directory);

/// The parts of a model of another program, in our terms.
struct ImportedParts {
  foreign::Program program;
  const nn::TensorFile& weights;
  translation::Settings settings;
  ImportedVocabulary source, target;
  std::pair<std::string, std::string> subwords;  ///< the files of the SentencePiece models of both sides
  translation::Direction direction = {};         ///< of NLLB, which has one SentencePiece model
};

/// Makes the model. Throws Error that names the file if the SentencePiece models cannot be read, or if a
/// weight is missing, left over or of another shape.
translation::TranslationModel put_together(ImportedParts parts);

/// Reads a file of a SentencePiece model. Throws Error if it is too large to be one.
std::string read_subwords(const std::string& path);

}  // namespace regard::exchange
