#pragma once

#include <string>
#include <vector>

namespace regard::serve {

/// A model and the languages between which it translates.
struct Served {
  std::string directory;
  std::string source;                ///< "en"
  std::vector<std::string> targets;  ///< "fr", "ko"; of several, the model reads one as a tag such as >>fr<<
};

/// Reads an argument such as "en-fr=build/model" or "en-fr,ko=build/model"; after a colon,
/// "en:pt-BR=build/m", codes may have hyphens. Without the languages, they are those in the name of the
/// directory: "en-fr", or a name that ends in "-en-fr". Throws Error if there are none.
Served read_served(const std::string& argument);

}  // namespace regard::serve
