#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// The whole file. Throws Error naming the path and the system's reason.
std::string read_file(const std::string& path);

/// What write_file's temporary files are called: PATH.tmpPID.
constexpr std::string_view temporary_extension = ".tmp";

/// Writes the pieces, one after another, as one file, whole or not at all: to a temporary file beside it,
/// flushed, checked and renamed, so that neither a full disk nor a kill leaves half a file under this name.
/// Devices and pipes (/dev/stdout) are written directly. Throws Error naming the path and the system's
/// reason.
void write_file(const std::string& path, const std::vector<std::string_view>& pieces);

}}}  // namespace regard::REGARD_PRECISION::nn
