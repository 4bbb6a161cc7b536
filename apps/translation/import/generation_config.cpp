// src/transformers/generation/configuration_utils.py says what the keys mean.
#include "apps/translation/import/generation_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/translation/files/warning.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

using transformer::LengthPenalty;
using transformer::SearchOptions;

/// A key and the setting that says the same.
struct SearchKey {
  const char* theirs;
  const char* ours;
  Index extra = 0;     ///< tokens that theirs counts and ours does not: <pad> at the beginning, and </s>
  bool other = false;  ///< another key for the same setting; it takes precedence, and is never written
};

constexpr SearchKey search_keys[]{{"num_beams", "decoding.beam"},
                                  {"length_penalty", "decoding.alpha"},
                                  {"no_repeat_ngram_size", "decoding.no_repeat_ngram"},
                                  {"repetition_penalty", "decoding.repetition_penalty"},
                                  {"max_length", "decoding.max_length", 2},
                                  {"max_new_tokens", "decoding.max_length", 1, true},
                                  {"min_length", "decoding.min_length", 1},
                                  {"min_new_tokens", "decoding.min_length", 0, true}};

/// A key that regard has no setting for. Null, false, nothing and the number `neutral` have no effect.
struct ForeignKey {
  const char* name;
  double neutral;
  const char* effect;
};

constexpr ForeignKey foreign_keys[]{
    {"do_sample", 0, "draws the tokens at random, as regard translate --sample does"},
    {"num_beam_groups", 1, "searches in groups of beams that have to differ"},
    {"penalty_alpha", 0, "searches contrastively"},
    {"early_stopping", 0, "ends a search as soon as num_beams translations are finished"},
    {"max_time", 0, "ends a translation after this number of seconds"},
    {"stop_strings", 0, "ends a translation after these texts"},
    {"num_return_sequences", 1, "returns several translations, as regard translate --n-best does"},
    {"renormalize_logits", 0, "leaves the probability of <pad> and of forbidden tokens out of the scores"},
    {"suppress_tokens", 0, "never writes these tokens"},
    {"begin_suppress_tokens", 0, "never begins with these tokens"},
    {"forced_decoder_ids", 0, "writes these tokens at their places"},
    {"force_words_ids", 0, "writes these tokens in every translation"},
    {"constraints", 0, "looks for translations that fulfil them"},
    {"sequence_bias", 0, "makes these tokens more or less likely"},
    {"exponential_decay_length_penalty", 0, "makes </s> likelier from token to token"},
    {"encoder_repetition_penalty", 1, "makes the tokens of the source more likely"},
    {"encoder_no_repeat_ngram_size", 0, "never repeats such an n-gram of the source"},
    {"guidance_scale", 1, "moves the scores away from those without a source"},
    {"watermarking_config", 0, "prefers tokens that mark the text"}};

using PathOf = std::function<std::string(const std::string& key)>;

void warn_of_foreign_keys(const Json& keys, const PathOf& path) {
  for (const auto& [name, neutral, effect] : foreign_keys) {
    const Json value = keys.value(name, Json());
    if (value.empty() || value == false || value == neutral || value == "never") continue;
    warn("warning: {}: {} is {}: generate() {}; regard has no such setting", path(name), name,
         printable(value.dump(), 60), effect);
  }
}

}  // namespace

SearchOptions search_of(const Json& keys, const PathOf& path) {
  Settings settings;
  settings.decoding = {.beam = 1,
                       .length_penalty = LengthPenalty::power,
                       .alpha = 1,
                       .patience = keys.value("early_stopping", Json()) == "never" ? 0.0 : 1.0,
                       .max_length_ratio = 0,
                       .max_length_constant = 0,
                       .max_length = 510};
  Values values = values_of(settings);
  for (const auto& [theirs, ours, extra, other] : search_keys) {
    Json value = keys.value(theirs, Json());
    if (value.is_null()) continue;
    if (value.is_number() && extra > 0)
      value = std::max(value.get<double>() - static_cast<double>(extra), 0.0);
    const KnownSetting& setting = *find_setting(ours);
    const bool no_token = setting.place == "decoding.max_length" && value == 0;  // 0 is no limit here
    if (no_token || !setting.kind.holds(value))
      fail("{}: {} is {}; less {}, it is {}, which must be {}", path(theirs), theirs,
           printable_value(keys.at(theirs)), extra, ours, no_token ? "at least 1" : setting.kind.allowed);
    values.insert_or_assign(ours, value);
  }
  warn_of_foreign_keys(keys, path);
  return settings_with(values).decoding;
}

Json generation_of(const Settings& settings) {
  constexpr Index most = 65534;  // transformers has a row for each position
  Settings there = settings;
  SearchOptions& search = there.decoding;
  const Index longest = greatest_length(search, settings.data.max_length);
  search.max_length = std::min(longest, most);
  if (search.length_penalty == LengthPenalty::wu && search.alpha != 0)
    warn(
        "warning: decoding.length_penalty is wu, which transformers does not have; there, a log-probability "
        "is divided by n^{0} and not by ((5 + n)/6)^{0}",
        search.alpha);
  if (search.max_length_ratio != 0 || longest > most)
    warn(
        "warning: transformers has no limit like decoding.max_length_ratio; there, any translation may have "
        "{} tokens",
        search.max_length);
  if (search.patience != 0 && search.patience != 1)
    warn("warning: decoding.patience is {}; transformers only has what is 0 and 1 here, and searches with 1",
         search.patience);
  Json keys{{"early_stopping", search.patience == 0 ? Json("never") : Json(false)}};
  const Values values = values_of(there);
  for (const auto& [theirs, ours, extra, other] : search_keys) {
    const Json& value = values.at(ours);
    if (!other) keys[theirs] = extra == 0 ? value : Json(value.get<Index>() + extra);
  }
  return keys;
}

}  // namespace regard::translation
