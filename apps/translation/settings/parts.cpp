#include "apps/translation/settings/parts.h"

#include "apps/translation/settings/doors.h"

namespace regard::translation {

Parts::Parts(std::string_view section) : section_(section) {
  for (const SettingsDoor& door : doors().settings)
    if (door.section == section) parts_.push_back(door.defaults);
}

void Parts::describe(const Section& table) {
  auto part = parts_.begin();
  for (const SettingsDoor& door : doors().settings)
    if (door.section == section_) door.describe(table, *part++);
}

}  // namespace regard::translation
