// Finds settings by name, and says what an unknown name may have meant: a name from another program, or a
// similar name.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "apps/translation/files/utf8.h"
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

/// What PyTorch, transformers, fairseq and Marian call the settings that users look for first. An answer
/// begins with a setting of regard; or it is a sentence, if there is none.
constexpr OtherName names[] = {
    {"data.tokeniser", "tokenizer tokenizer_type"},
    {"model.encoder_layers and model.decoder_layers", "num_layers layers num_hidden_layers"},
    {"model.heads", "num_heads nhead num_attention_heads transformer_heads"},
    {"model.d_model", "dim hidden_size embedding_dim dim_emb"},
    {"model.d_ff", "ff_size dim_feedforward intermediate_size transformer_dim_ffn"},
    {"training.learning_rate", "lr learn_rate"},
    {"training.warmup_steps", "warmup lr_warmup warmup_updates"},
    {"training.batch_tokens, which counts tokens and not sentences",
     "batch_size mini_batch per_device_train_batch_size"},
    {"training.batch_tokens", "max_tokens mini_batch_words"},
    {"training.accumulate", "update_freq optimizer_delay gradient_accumulation_steps"},
    {"training.optimiser", "optim optimizer"},
    {"training.gradient_clip_norm", "clip_norm max_grad_norm"},
    {"training.precision", "fp16 bf16"},
    {"training.steps", "max_steps max_update max_updates train_steps"},
    {"training.epochs", "max_epoch num_train_epochs"},
    {"training.minutes", "max_time"},
    {"training.plateau_factor", "decrease_factor lr_shrink"},
    {"training.plateau_patience", "lr_patience"},
    {"data.temperature", "sampling_temperature"},
    {"validation.patience", "early_stopping early_stopping_patience"},
    {"decoding.beam", "num_beams beam_size"},
    {"decoding.alpha", "lenpen normalize"},
    {"give --n-best to regard translate, or n_best in Python", "n_best nbest num_return_sequences"},
    {"it was removed, because a corpus is read fast without it; delete this setting", "cache"},
    {"the same command resumes the training in its directory", "resume continue"},
};

constexpr std::string_view called = "regard calls it ";

/// True if a list of names separated by blanks has this name, in which - and _ are equal.
bool has_name(std::string_view list, std::string_view key) {
  std::string name(key);
  std::ranges::replace(name, '-', '_');
  return !name.empty() && fmt::format(" {} ", list).find(" " + name + " ") != std::string::npos;
}

/// Returns the answer to a name of another program; empty if it is not in the list.
std::string answer_to(std::string_view key) {
  const auto entry =
      std::ranges::find_if(names, [&](const OtherName& name) { return has_name(name.there, key); });
  return entry == std::end(names) ? "" : std::string(entry->here);
}

/// The setting with which an answer begins; empty if it is a sentence.
std::string setting_in(const std::string& answer) {
  const std::string place = answer.substr(0, answer.find_first_of(" ,"));
  return find_setting(place) ? place : "";
}

/// The number of insertions, deletions and replacements that turn one text into the other (Levenshtein 1966).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of a[0 .. i) to every b[0 .. j)
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

/// Returns the known setting whose name is most similar, or nothing if none is similar. It compares the keys
/// first and the sections second, so that a setting in the wrong section is found. The number of edits is
/// divided by the length of the longer key, because otherwise every short key would be near to every other
/// short key.
std::string nearest_setting(std::string_view place) {
  const auto [section, key] = section_and_key(place);
  const auto distance = [section = section, key = key](const KnownSetting& known) {
    const auto [known_section, known_key] = section_and_key(known.place);
    const auto edits = static_cast<double>(edit_distance(key, known_key));
    return std::pair(edits / static_cast<double>(std::max(key.size(), known_key.size())),
                     edit_distance(section, known_section));
  };
  const std::vector<KnownSetting>& all = known_settings();
  const KnownSetting& nearest = *std::min_element(
      all.begin(), all.end(), [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  return distance(nearest).first < 0.45 ? nearest.place : "";
}

}  // namespace

std::pair<std::string_view, std::string_view> section_and_key(std::string_view place) {
  const std::size_t dot = place.rfind('.');
  if (dot == std::string_view::npos) return {"", place};
  return {place.substr(0, dot), place.substr(dot + 1)};
}

const KnownSetting* find_setting(std::string_view place) {
  const auto found = std::ranges::find(known_settings(), place, &KnownSetting::place);
  return found == known_settings().end() ? nullptr : &*found;
}

std::span<const OtherName> other_names() { return names; }

std::string option_of(std::string_view place) {
  std::string name = fmt::format("--{}", section_and_key(place).second);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string about_option(std::string_view option, const std::function<bool(const std::string&)>& has) {
  std::string answer = answer_to(option);
  for (const KnownSetting& setting : known_settings())
    if (answer.empty() && !setting.section && has_name(section_and_key(setting.place).second, option))
      answer = setting.place;
  const std::string place = setting_in(answer);
  if (place.empty()) return answer.empty() ? "" : "; " + answer;
  if (has(option_of(place))) return fmt::format("; {}{}", called, option_of(place));
  return has("--set") ? fmt::format("; {}{}: give --set {}=VALUE", called, answer, place) : "";
}

void fail_unknown_setting(const std::string& name, const std::string& place) {
  const std::string answer = answer_to(section_and_key(place).second), nearest = nearest_setting(place);
  fail("{}: there is no setting {}; {}{}", name, printable(place),
       !answer.empty()    ? fmt::format("{}{}", setting_in(answer).empty() ? "" : called, answer)
       : !nearest.empty() ? "the most similar one is " + nearest
                          : "regard train --print-config shows all settings",
       about_not_built());
}

}  // namespace regard::translation
