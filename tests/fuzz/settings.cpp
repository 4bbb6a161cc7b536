// Configurations: what is accepted is written so that it reads the same.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/translation/settings/settings_json.h"
#include "tests/fuzz/fuzz.h"

using namespace regard;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  // A configuration; after a NUL byte, the argument of a --set.
  const std::size_t end = std::min(text.find('\0'), text.size());
  fuzz::allow_errors([&] {
    translation::Values values =
        translation::values_of(translation::parse_json(text.substr(0, end), "fuzzed"), "fuzzed");
    const translation::Settings settings = translation::settings_with(values);
    const translation::Json written = translation::to_json(settings);
    fuzz::require(translation::to_json(translation::parse_settings(written, "written")) == written);
    if (end < text.size()) translation::apply_override(values, std::string(text.substr(end + 1)));
    check(translation::settings_with(values));
  });
  return 0;
}
