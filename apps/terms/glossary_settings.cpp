// What the room adds to the translator: its settings, and its rule of the search.
#include <functional>
#include <memory>

#include "apps/terms/notes.h"
#include "apps/terms/term_rule.h"
#include "apps/translation/files/warning.h"
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

void describe_glossary(const Section& data, TermTraining& terms) {
  data.add(
      "glossary", terms.glossary, text("a path, or \"\" for none"),
      "A file of terms as for regard translate --glossary. In every second pair that has terms and their "
      "translations, these stand beside the terms in the source (Dinu et al. 2019).",
      {.need = sentences()});
}

/// Reads the glossary of a training.
void annotate(const Settings& settings, ParallelText& text) {
  const std::string& path = settings.data.parts.of<TermTraining>().glossary;
  if (!path.empty() && add_notes(text, Glossary::load(path)) == 0)
    warn("data.glossary: no pair has a term of {} and its translation", path);
}

/// A model that was trained with notes reads them.
RewriteSource notes_of(const Settings& settings) {
  const std::string& path = settings.rules.of<TermSettings>().glossary;
  if (path.empty() || settings.data.parts.of<TermTraining>().glossary.empty()) return {};
  const auto glossary = std::make_shared<const Glossary>(Glossary::load(path));
  return [glossary](const std::string& source) { return with_notes(source, *glossary); };
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
  doors.settings.push_back(settings_door("data", describe_glossary));
  doors.rules.push_back({.make = rule_of});
  doors.sources.push_back({.of_training = annotate, .of_translation = notes_of});
}

}  // namespace regard::translation
