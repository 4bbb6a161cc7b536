// What the room adds to the translator: its settings, and its rule of the search.
#include <functional>

#include "apps/placeholders/placeholder_rule.h"
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/text/patterns.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

void describe_placeholders(const Section& decoding, PlaceholderSettings& placeholders) {
  const Need sentences{{{"model.encoder", encoders_where(std::not_fn(&EncoderKind::reads_files))}}};
  const Section table = decoding.with({.need = sentences});
  table.add("keep_placeholders", placeholders.keep, flag(),
            "A translation has each placeholder and tag of its source (%s, {0}, <b>) exactly as often.");
  table.add("placeholders", placeholders.patterns, list_of_texts("a list of patterns"),
            "Patterns of further placeholders, regular expressions of RE2 such as \"@[a-z]+@\".");
}

void check_placeholders(const Settings& settings) {
  check_patterns(settings.rules.of<PlaceholderSettings>().patterns, "decoding.placeholders");
}

transformer::MakeTokenRule rule_of(const Settings& settings, const Tokeniser& tokeniser,
                                   const Vocabularies& vocabularies) {
  const auto& placeholders = settings.rules.of<PlaceholderSettings>();
  if (!placeholders.keep) return {};
  if (settings.model.reads_files())
    fail("keep_placeholders: this model reads {}s, which have no placeholders; leave it out",
         encoder_of(settings.model).words->name);
  return keep_placeholders(tokeniser, vocabularies, placeholders.patterns);
}

}  // namespace

void open_placeholders(Doors& doors) {
  doors.settings.push_back(settings_door("decoding", describe_placeholders, check_placeholders));
  doors.rules.push_back({.make = rule_of});
}

}  // namespace regard::translation
