#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "apps/translation/settings/architecture.h"
#include "apps/translation/settings/parts.h"
#include "apps/translation/settings/search_rule.h"
#include "apps/translation/settings/source_door.h"
#include "apps/translation/settings/tokeniser_kind.h"
#include "autograd/machine/error.h"

namespace regard::translation {

/// What rooms beside the spine add to the translator. The list of these rooms is written by CMake
/// (regard_guest in apps/CMakeLists.txt). Each of them defines `void open_NAME(Doors& doors)`, which adds its
/// entries.
struct Doors {
  std::vector<EncoderKind> encoders;
  std::vector<DecoderKind> decoders;
  std::vector<Preset> presets;
  std::vector<TokeniserKind> tokenisers;
  std::vector<MakeTextForm> text_forms;
  std::vector<SettingsDoor> settings;
  std::vector<SearchRule> rules;
  bool complete = true;  ///< every room is built
  std::vector<SourceDoor> sources = {};
};

/// The doors of all rooms that are built, after the entries of the spine.
const Doors& doors();

/// A clause for the message about an unknown name, which a room that was not built may have; "" if all are
/// built.
std::string about_not_built();

/// The kind with this name, which is the value of a setting. Throws Error if there is none.
template <class Kind>
const Kind& kind_of(const std::vector<Kind>& kinds, const char* setting, const std::string& name) {
  const auto found = std::ranges::find(kinds, name, &Kind::name);
  if (found == kinds.end()) fail("{} \"{}\": there is no such kind{}", setting, name, about_not_built());
  return *found;
}

}  // namespace regard::translation
