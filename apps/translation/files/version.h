#pragma once

#include <string>

namespace regard::translation {

/// Returns the version of the program. If it was built from a repository, the commit follows:
/// "0.1.0-3fd5b08", with "-dirty" at the end if files were changed.
std::string exact_version();

}  // namespace regard::translation
