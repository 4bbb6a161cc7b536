// What the room adds to the translator: its settings, and its rule of the search.
#include <functional>
#include <memory>

#include "apps/terms/notes.h"
#include "apps/terms/term_rule.h"
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/text/patterns.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

Need sentences() { return {{{"model.encoder", encoders_where(std::not_fn(&EncoderKind::reads_files))}}}; }

void describe_terms(const Section& decoding, TermSettings& terms) {
  const Section table = decoding.with({.need = sentences()});
  table.add("keep_placeholders", terms.keep_placeholders, flag(),
            "A translation has each placeholder and tag of its source (%s, {0}, <b>) exactly as often.");
  table.add("placeholders", terms.placeholders, list_of_texts("a list of patterns"),
            "Patterns of further placeholders, regular expressions of RE2 such as \"@[a-z]+@\".");
}

void check_placeholders(const Settings& settings) {
  check_patterns(settings.rules.of<TermSettings>().placeholders, "decoding.placeholders");
}

transformer::MakeTokenRule rule_of(const Settings& settings, const Tokeniser& tokeniser,
                                   const Vocabularies& vocabularies) {
  const auto& terms = settings.rules.of<TermSettings>();
  if (!terms.keep_placeholders && terms.glossary.empty()) return {};
  if (settings.model.reads_files())
    fail("{}: this model reads {}s, which have no words; leave it out",
         terms.glossary.empty() ? "keep_placeholders" : "--glossary", encoder_of(settings.model).words->name);
  return keep_terms(terms, tokeniser, vocabularies);
}

}  // namespace

void open_glossary(Doors& doors) {
  doors.settings.push_back(settings_door("decoding", describe_terms, check_placeholders));
  doors.rules.push_back({.make = rule_of});
}

}  // namespace regard::translation
