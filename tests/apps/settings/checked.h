#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_json.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

namespace regard::tests {

using Overrides = std::vector<std::string>;

/// Valid settings with these overrides.
inline translation::Settings with(const Overrides& overrides) {
  translation::Json json{{"data", {{"tsv", "corpus.tsv"}}}};
  return translation::parse_settings(json, "c.json", overrides);
}

inline void accepted(const Overrides& overrides) {
  CAPTURE(overrides);
  CHECK_NOTHROW(check(with(overrides)));
}

inline void refused(const Overrides& overrides, const std::string& message) {
  CAPTURE(overrides);
  CHECK_ERROR(check(with(overrides)), message);
}

/// Refused, because nothing reads the last setting without what it needs.
inline void needs(const Overrides& overrides, const std::string& what) {
  const std::string& last = overrides.back();
  refused(overrides, last.substr(0, last.find('=')) + " has no effect here; it needs " + what);
}

}  // namespace regard::tests
