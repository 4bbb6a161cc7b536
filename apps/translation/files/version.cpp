#include "apps/translation/files/version.h"

#include "regard_version.h"

namespace regard::translation {

std::string exact_version() { return REGARD_VERSION; }

}  // namespace regard::translation
