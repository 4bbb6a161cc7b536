#include "apps/translation/settings/tokeniser_kind.h"

#include <nlohmann/json.hpp>

#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_json.h"

namespace regard::translation {

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
