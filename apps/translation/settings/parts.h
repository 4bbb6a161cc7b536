#pragma once

#include <any>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/machine/error.h"

namespace regard::translation {

class Section;
struct Settings;

/// The settings that a room beside the spine adds to a section of the configuration.
struct SettingsDoor {
  std::string_view section;  ///< the section in which they stand
  std::any defaults;         ///< a struct of the room
  /// Adds them to the table (settings_description.h).
  std::function<void(const Section& section, std::any& values)> describe;
  /// Throws Error if they contradict other settings. Null: they cannot.
  void (*check)(const Settings& settings) = nullptr;
};

/// A door for the settings in a struct T.
template <class T>
SettingsDoor settings_door(std::string_view section, void (*describe)(const Section&, T&),
                           void (*check)(const Settings&) = nullptr) {
  const auto in_any = [describe](const Section& table, std::any& values) {
    describe(table, std::any_cast<T&>(values));
  };
  return {.section = section, .defaults = T(), .describe = in_any, .check = check};
}

/// The values of all settings that rooms add to a section.
class Parts {
 public:
  /// The defaults.
  explicit Parts(std::string_view section);

  /// The struct of a room. Throws Error if that room adds none to this section.
  template <class T>
  T& of() {
    return const_cast<T&>(std::as_const(*this).of<T>());
  }
  template <class T>
  const T& of() const {
    for (const std::any& part : parts_)
      if (const T* found = std::any_cast<T>(&part)) return *found;
    fail("the room with these settings was not built");
  }

  /// Adds the settings of all rooms to the table.
  void describe(const Section& table);

 private:
  std::string_view section_;
  std::vector<std::any> parts_;
};

}  // namespace regard::translation
