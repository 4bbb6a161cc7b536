#include "apps/exchange/expressible.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/translation/settings/settings_json.h"
#include "autograd/error.h"

namespace regard::exchange {

const Expressible of_transformers{{"model.own", {""}},
                                  {"model.encoder", {"transformer"}},
                                  {"model.decoder", {"transformer"}},
                                  {"model.norm", {"post", "pre"}},
                                  {"model.residual", {"true"}},
                                  {"model.positions.kind", {"sinusoidal", "learned", "none"}},
                                  {"model.positions.use", {"added"}},
                                  {"model.multi_head.normaliser", {"softmax"}},
                                  {"model.multi_head.shared_key_value", {"false"}}};

void check_expressible(const translation::Settings& settings, const Expressible& expressible,
                       const std::string& format) {
  const translation::Values values = values_of(settings);
  for (const auto& [place, possible] : expressible) {
    const translation::Json& value = values.at(place);
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (std::ranges::count(possible, text) == 0)
      fail("the format {} cannot express this model: {} is \"{}\", and it knows only \"{}\"", format, place,
           text, fmt::join(possible, "\", \""));
  }
}

}  // namespace regard::exchange
