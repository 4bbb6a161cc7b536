#include "apps/translation/settings/tokeniser_kind.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_json.h"

namespace regard::translation {

std::unique_ptr<TextForm> text_form_of(const DataSettings& data) {
  std::unique_ptr<TextForm> chosen;
  for (const MakeTextForm make : doors().text_forms)
    if (std::unique_ptr<TextForm> form = make(data)) {
      if (chosen) fail("the settings of the section data choose two forms of text; leave one of them out");
      chosen = std::move(form);
    }
  return chosen;
}

std::unique_ptr<Tokeniser> with_text_form(std::unique_ptr<Tokeniser> tokeniser, const DataSettings& data) {
  std::unique_ptr<TextForm> form = text_form_of(data);
  if (!form) return tokeniser;
  return std::make_unique<FormedTokeniser>(std::move(tokeniser), std::move(form));
}

const TokeniserKind& tokeniser_of(const DataSettings& data) {
  return kind_of(doors().tokenisers, "data.tokeniser", data.tokeniser);
}

std::string given_tokeniser(const Settings& settings) {
  const std::string& place = tokeniser_of(settings.data).given;
  return place.empty() ? "" : values_of(settings).at(place).get<std::string>();
}

std::vector<TokeniserKind> plain_tokenisers() {
  return {{.name = "word",
           .about = "blanks separate the tokens.",
           .make = [](const Vocabularies&, const TextFiles&) { return make_tokeniser("word"); }},
          {.name = "subword-nmt",
           .about = "the same, and translations are joined at the marks @@.",
           .make = [](const Vocabularies&, const TextFiles&) { return make_tokeniser("subword-nmt"); }},
          {.name = "char",
           .about = "every character is a token.",
           .make = [](const Vocabularies&, const TextFiles&) { return make_tokeniser("char"); }}};
}

}  // namespace regard::translation
