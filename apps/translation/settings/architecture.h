#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/translation/corpus/source_files.h"
#include "apps/translation/settings/settings.h"
#include "nn/layers.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// Positions for which a model has parameters of its own, so that a longer sentence does not fit.
struct KnownPositions {
  Index most;
  const char* setting;  ///< where their number stands, without "model."
};

/// A kind of encoder that settings can name (model.encoder). Every encoder goes with every decoder.
struct EncoderKind {
  std::string name;
  std::string about = {};  ///< for the description of model.encoder; empty: nothing
  // Which settings of the model it reads.
  bool layers = true;        ///< encoder_layers
  bool transformer = false;  ///< heads, d_ff, norm and all others of a Transformer's sublayers
  bool positions = false;    ///< positions, of tokens
  /// Makes it. `embedding` is that of the source tokens.
  std::unique_ptr<transformer::Encoder> (*make)(const ModelSettings& model, const nn::Embedding& embedding,
                                                Random& random);
  /// Throws Error if settings of the model contradict each other. Null: only the general checks are made.
  void (*check)(const ModelSettings& model) = nullptr;
  // Of an encoder whose sources are files. Null: it reads sentences.
  const SourceFiles::Words* words = nullptr;
  std::unique_ptr<SourceFiles> (*files)(const Settings& settings) = nullptr;
  bool (*names_file)(const std::string& text) = nullptr;  ///< true if the text is the path of such a file

  bool reads_files() const { return files != nullptr; }
};

/// A kind of decoder that settings can name (model.decoder).
struct DecoderKind {
  std::string name;
  bool transformer = false;  ///< as in EncoderKind; it reads the positions, too
  std::unique_ptr<transformer::Decoder> (*make)(const ModelSettings& model, const nn::Embedding& embedding,
                                                const transformer::Encoder& encoder, Random& random);
  void (*check)(const ModelSettings& model) = nullptr;
  /// The positions of the source that it knows, if it knows so many and no more.
  std::optional<KnownPositions> (*source_positions)(const ModelSettings& model) = nullptr;
};

/// A name for the settings of a whole model (model.preset).
struct Preset {
  std::string name;
  ModelSettings (*make)(const std::string& name);
};

/// The kinds of these settings. Throws Error if there is none of this name.
const EncoderKind& encoder_of(const ModelSettings& model);
const DecoderKind& decoder_of(const ModelSettings& model);

/// The names of all encoders or decoders for which `which` is true, with blanks between them.
std::string encoders_where(const std::function<bool(const EncoderKind& kind)>& which);
std::string decoders_where(const std::function<bool(const DecoderKind& kind)>& which);

/// The spine's own.
EncoderKind transformer_encoder();
DecoderKind transformer_decoder();
std::vector<Preset> transformer_presets();

}  // namespace regard::translation
