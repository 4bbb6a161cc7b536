#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/file_formats/unit.h"
#include "apps/markup/markup.h"
#include "apps/translation/translator/translator.h"

namespace regard::files {

struct FileSettings {
  Languages languages = {};
  bool again = false;           ///< texts that have a translation get a new one
  std::string first_word = {};  ///< the model reads it before each sentence, such as >>fr<<; empty: none
};

/// Reads a sentence. Throws TooLong if the model cannot.
using ReadSource = std::function<translation::Translator::Source(const std::string& sentence, Index line)>;
/// Cuts a text into sentences that a model can read: the positions of their ends.
using SentenceEnds = std::function<std::vector<std::size_t>(const std::string& text)>;

/// A file on its way through a model.
class FileText {
 public:
  /// Reads it. Throws Error that names the file and the line, as read_units does.
  FileText(const std::string& path, const FileSettings& settings, const SentenceEnds& ends,
           const ReadSource& read);
  FileText(const FileText&) = delete;
  FileText& operator=(const FileText&) = delete;

  const std::string& path() const { return path_; }
  /// Its sentences without their markup, and as the model reads them.
  const std::vector<markup::Plain>& sentences() const { return sentences_; }
  const std::vector<translation::Translator::Source>& sources() const { return sources_; }

  /// The bytes of the file with translations of sentences(), which have their markup again. `warn` gets a
  /// clause for each text that stays as it is.
  std::string with(std::span<const std::string> translations,
                   const std::function<void(const std::string& clause)>& warn) const;

 private:
  /// A part of a text.
  struct Part {
    std::string text;
    std::size_t sentences = 0;  ///< 0: it stays as it is
    bool is_left = false;       ///< it stays although it needs a translation
    std::string same = {};      ///< what a translation is that changes nothing
  };
  struct Text {
    Unit unit;
    std::vector<Part> parts;
  };
  Part read_part(const std::string& text, Index line, const FileSettings& settings, const SentenceEnds& ends,
                 const ReadSource& read);

  std::string path_, bytes_;
  std::vector<Text> texts_;
  std::vector<markup::Plain> sentences_;
  std::vector<translation::Translator::Source> sources_;
  std::vector<std::string> left_;  ///< clauses about sentences that are too long
};

}  // namespace regard::files
