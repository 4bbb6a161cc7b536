#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/file_formats/directives.h"

namespace regard::files {

/// A text in the form that take_off reads (apps/markup/markup.h). Pieces of a file that stay as they are,
/// such as %s or the elements of XLIFF, stand in it as tags that name them by their numbers.
class Marked {
 public:
  using Escape = std::string (*)(std::string_view text);
  /// `escape` turns a text into the form in which the file has it.
  explicit Marked(Escape escape, const Directives& directives = Directives::none())
      : escape_(escape), directives_(directives) {}
  /// A text that has this form already, such as HTML.
  static Marked of(std::string text);

  enum class Kind { single, opening, closing, line_end };
  /// Adds a piece of the file.
  void hide(std::string_view bytes, Kind kind) { hide(std::string(bytes), kind, false); }
  /// Adds what a person reads. Tags in it are markup; directives and entities are hidden, and line ends, too,
  /// if there are lines in such a file.
  void add(std::string_view text, bool has_lines = false);

  const std::string& text() const { return text_; }
  /// What was added by add().
  std::string readable() const;
  /// The form in the file of a translation of text().
  std::string restored(std::string_view translation) const;

 private:
  struct Piece {
    std::string bytes;
    bool readable;
  };
  void hide(std::string bytes, Kind kind, bool readable);
  const Piece* piece(std::string_view tag) const;

  Escape escape_;
  Directives directives_;
  std::string text_;
  std::vector<Piece> pieces_;
};

std::string as_it_is(std::string_view text);

}  // namespace regard::files
