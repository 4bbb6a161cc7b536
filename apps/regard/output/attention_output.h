#pragma once

#include <fstream>
#include <memory>
#include <span>
#include <string>

#include "apps/regard/command_line.h"
#include "apps/translation/corpus/source_files.h"
#include "apps/translation/translator/translator.h"

namespace regard::program {

/// The options of regard translate that show attention.
struct AttentionOptions {
  bool map = false;    ///< --attention
  std::string images;  ///< --attention-images: directory; empty: none
  std::string json;    ///< --attention-json: file; empty: none
};

void add_attention(const Command& command, AttentionOptions& options);

/// Shows the attention of translations as the options say.
class AttentionOutput {
 public:
  /// Throws Error if the model reads text and an option is for images, or the reverse, or if an output cannot
  /// be written or would replace one of the `inputs` of the command. `model` and `weights` name the model in
  /// messages.
  AttentionOutput(const AttentionOptions& options, translation::Translator& translator,
                  const std::string& model, const std::string& weights, std::span<const std::string> inputs);

  /// Opens the file of --attention-json, which loses its content.
  void open();
  /// Shows the attention of a translation that was just written. `rank` is its place among the n best, from
  /// 1.
  void show(const translation::Translator::Source& source, const translation::Translation& translation,
            Index rank);

 private:
  void show_map(const translation::Translator::Source& source, const translation::Translation& translation);
  void draw(const translation::Translator::Source& source, const translation::Translation& translation);
  void write(const translation::Translator::Source& source, const translation::Translation& translation,
             Index rank);
  void check_file() const;

  AttentionOptions options_;
  translation::Translator& translator_;
  std::shared_ptr<const translation::SourceFiles> files_;  ///< null: the sources are sentences
  std::string weights_;
  std::ofstream file_;
};

}  // namespace regard::program
