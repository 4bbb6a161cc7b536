// The setting data.case.
#include "apps/capitals/case_marks.h"
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"

namespace regard::translation {

namespace {

enum class Case { as_it_is, tokens };
const Choices<Case> cases{{"none", Case::as_it_is}, {"tokens", Case::tokens}};

struct CapitalsSettings {
  Case chosen = Case::as_it_is;
};

void describe_capitals(const Section& data, CapitalsSettings& settings) {
  data.add("case", settings.chosen, cases,
           "none: the text as it is. tokens: in lower case, with a token before each word that has capitals "
           "(Berard et al. 2019); translations have capitals again.",
           {.inheritance = Inheritance::equal});
}

std::unique_ptr<TextForm> make_case_marks(const DataSettings& data) {
  if (data.parts.of<CapitalsSettings>().chosen == Case::as_it_is) return nullptr;
  const bool pieces = data.tokeniser == "subword-nmt";
  return std::make_unique<CaseMarks>(pieces ? CaseMarks::Words::pieces : CaseMarks::Words::between_blanks);
}

}  // namespace

void open_capitals(Doors& doors) {
  doors.text_forms.push_back(make_case_marks);
  doors.settings.push_back(settings_door("data", describe_capitals));
}

}  // namespace regard::translation
