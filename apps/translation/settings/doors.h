#pragma once

#include <string>
#include <vector>

#include "apps/translation/settings/architecture.h"
#include "apps/translation/settings/parts.h"

namespace regard::translation {

/// What rooms beside the spine add to the translator. The list of these rooms is written by CMake
/// (regard_guest in apps/CMakeLists.txt). Each of them defines `void open_NAME(Doors& doors)`, which adds its
/// entries.
struct Doors {
  std::vector<EncoderKind> encoders;
  std::vector<DecoderKind> decoders;
  std::vector<Preset> presets;
  std::vector<SettingsDoor> settings;
  std::vector<std::string> not_built = {};  ///< names of rooms
};

/// The doors of all rooms that are built, after the entries of the spine.
const Doors& doors();

/// "" if all rooms are built. Otherwise a clause for the message about an unknown name, which may be of a
/// room that was not built.
std::string about_not_built();

}  // namespace regard::translation
