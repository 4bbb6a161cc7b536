#pragma once

#include <string>

namespace regard::translation {

/// Returns the text of a gzip file with these bytes; if they are not gzip, returns the bytes themselves. The
/// first two bytes decide: no UTF-8 text begins with those of gzip. Throws Error that contains `name` if the
/// data are damaged or incomplete.
std::string decompressed(std::string bytes, const std::string& name);

}  // namespace regard::translation
