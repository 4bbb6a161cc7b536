#pragma once

#include <string>

namespace regard::translation {

/// The version of the program and, where it was built from a repository, of its source: "0.1.0-3fd5b08",
/// with "-dirty" at the end if files were changed.
std::string exact_version();

}  // namespace regard::translation
