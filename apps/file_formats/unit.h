#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/file_formats/marked.h"
#include "autograd/machine/real.h"

namespace regard::files {

/// A text in a file, and the place of its translation.
struct Unit {
  Marked source;
  Index line;
  std::size_t begin, end;  ///< the bytes of the file that are replaced
  bool translated;         ///< it has a translation, which stays unless the user wants a new one
  /// The bytes for a translation of source.text(); nothing if it cannot be written.
  std::function<std::optional<std::string>(const std::string& translation)> write;
  /// For a corpus: the text, and the translation that somebody has checked; empty: there is none.
  std::pair<std::string, std::string> pair = {};
};

/// Languages of a file that may have several. Empty: the file says it.
struct Languages {
  std::string source, target;
};

/// Reads the texts of a file. The end of its name says what it is: .po, .pot, .xlf, .xliff, .tmx, .html, .htm
/// or .txt. The bytes are those of the file. Throws Error that names the file and the line if they are not
/// that.
std::vector<Unit> read_units(const std::string& path, const std::string& bytes, const Languages& languages);

/// The bytes of a file that is UTF-8. Throws Error that names the file and the line of the first other byte.
std::string read_text_file(const std::string& path);

/// Throws Error that names the file and the line if the encoding that a file names is not UTF-8.
void check_encoding(const std::string& name, Index line, std::string encoding);

// One reader for each kind. `name` is for messages.
std::vector<Unit> units_of_po(const std::string& name, const std::string& bytes);
std::vector<Unit> units_of_xliff(const std::string& name, const std::string& bytes);
std::vector<Unit> units_of_tmx(const std::string& name, const std::string& bytes, const Languages& languages);
std::vector<Unit> units_of_html(const std::string& name, const std::string& bytes);
std::vector<Unit> units_of_text(const std::string& bytes);

}  // namespace regard::files
