#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "apps/documents/boundaries.h"
#include "apps/documents/long_sentences.h"
#include "autograd/machine/real.h"

namespace regard::documents {

struct DocumentSettings {
  /// False: each line is a paragraph. True: a paragraph has several lines and ends at a blank line, at a list
  /// mark, at another indentation, or after a line that is much shorter than the others.
  bool wrapped = false;
  /// A word that the model reads before each sentence, such as ">>fra<<"; empty: none. A word of this form at
  /// the beginning of a paragraph takes precedence, and holds for all of its sentences.
  std::string tag = {};
};

struct Sentence {
  std::string text;        ///< as the model reads it: with its tag, without white space at its ends
  std::string blanks;      ///< the white space between it and the next sentence of its paragraph
  Index line;              ///< number of the line in which it begins, from 1
  bool translated = true;  ///< false: it has no letter and no number, and stays as it is
};

struct Paragraph {
  std::string head;                 ///< indentation and list mark, which stay as they are
  std::vector<Sentence> sentences;  ///< none for a blank line
  std::string tail;                 ///< the white space at its end
  std::size_t width = 0;            ///< columns of its longest line, if it has several; otherwise 0
  std::string indentation = {};     ///< of its second line
  std::vector<std::string> warnings = {};
};

/// Cuts a text into paragraphs and sentences, and puts the text together again with translations.
class Document {
 public:
  /// The boundaries must outlive the object.
  Document(const DocumentSettings& settings, Limit limit, const Boundaries& boundaries);

  /// Adds the next lines of the text, without their LF; a CR is white space at the end of the line. Returns
  /// the paragraphs that are complete now. A sentence with more tokens than the limit is cut. Throws Error
  /// that names the line if that is not possible.
  std::vector<Paragraph> add(std::span<const std::string> lines);
  /// Returns the rest at the end of the text.
  std::vector<Paragraph> finish();

  /// The text of a paragraph with a translation for each sentence that is to be translated, with the end of
  /// its last line. A paragraph of several lines has lines as long as its own.
  std::string text(const Paragraph& paragraph, std::span<const std::string> translations) const;

 private:
  struct Line {
    Index number;
    std::string indentation, mark, text, tail;
  };
  Line next_line(const std::string& text);
  Paragraph paragraph(std::span<const Line> lines) const;
  std::vector<Paragraph> wrapped_paragraphs() const;
  void add_sentences(Paragraph& paragraph, const std::string& text,
                     const std::function<Index(std::size_t)>& line_at) const;
  void warn_if_wrapped(const Line& line, Paragraph& paragraph);
  std::string filled(const Paragraph& paragraph, const std::string& text) const;

  DocumentSettings settings_;
  Limit limit_;
  const Boundaries& boundaries_;
  Index lines_ = 0;
  std::vector<Line> block_;  ///< wrapped: the lines since the last blank one
  std::string last_text_;    ///< not wrapped: of the line before
  bool warned_ = false;
};

}  // namespace regard::documents
