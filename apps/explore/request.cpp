#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "apps/explore/replies.h"
#include "apps/images/base64.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/files.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/utf8.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/error.h"

namespace regard::explore {

namespace {

using translation::printable_value;

void check_keys(const Json& json, std::initializer_list<std::string_view> known, const char* name) {
  if (!json.is_object()) fail("{} has to be an object, not {}", name, printable_value(json));
  for (const auto& [key, value] : json.items())
    if (std::ranges::find(known, key) == known.end()) fail("{} has the unknown key \"{}\"", name, key);
}

const std::string& text_of(const Json& json, const char* name) {
  if (!json.is_string()) fail("{} has to be a string, not {}", name, printable_value(json));
  return json.get_ref<const std::string&>();
}

const Json& list_of(const Json& json, const char* name) {
  if (!json.is_array()) fail("{} has to be a list, not {}", name, printable_value(json));
  return json;
}

void read_sentence(const TranslationModel& model, const std::string& text, TranslateRequest& request) {
  if (text.find_first_of("\r\n") != std::string::npos)
    fail("the text has several lines; give one sentence in one line");
  const std::vector<std::string> tokens =
      model.tokeniser->split(translation::clean_line(text, "the text", 1));
  if (tokens.empty()) fail("the sentence is empty; give at least one word");
  model.check_length(tokens.size(), "the sentence");
  request.unknown_words = model.vocabularies.source.unknown(tokens);
  request.source = model.vocabularies.source.ids(tokens);
}

void read_source(const TranslationModel& model, const Json& json, TranslateRequest& request) {
  const translation::ImageSettings* const images = model.settings.images();
  const char* const wanted = images != nullptr ? "image" : "source";
  const char* const other = images != nullptr ? "source" : "image";
  if (!json.contains(wanted) || json.contains(other))
    fail("this model reads {}; give \"{}\" and not \"{}\"", images != nullptr ? "images" : "text", wanted,
         other);
  const std::string& value = text_of(json[wanted], wanted);
  if (images == nullptr) return read_sentence(model, value, request);
  request.image = translation::model_image(images::decode_image(images::from_base64(value), "the image"),
                                           "the image", *images);
  request.source = as_source(*request.image);
}

/// The id of a token of the target, with </s> and <unk>, which a prefix may contain.
std::int32_t target_id(const translation::Vocabulary& vocabulary, const std::string& token) {
  for (const std::int32_t id : {translation::special::end, translation::special::unknown})
    if (token == vocabulary.token(id)) return id;
  const std::int32_t id = vocabulary.id(token);
  if (id == translation::special::unknown)
    fail("the prefix has the token \"{}\", which is not in the target vocabulary",
         translation::printable(token));
  return id;
}

transformer::Prefix parse_prefix(const TranslationModel& model, const Json& json) {
  transformer::Prefix prefix;
  for (const Json& token : list_of(json, "prefix")) {
    if (!prefix.empty() && prefix.back() == translation::special::end)
      fail("the prefix has tokens after </s>, which ends a translation");
    prefix.push_back(target_id(model.vocabularies.target, text_of(token, "a token of the prefix")));
  }
  if (to_index(prefix.size()) > longest_translation)
    fail("the prefix has {} tokens; give at most {}", prefix.size(), longest_translation);
  return prefix;
}

/// The search settings of the model, replaced by those of the request. The names are those of the
/// configuration (decoding), and n_best.
transformer::SearchOptions parse_search(const TranslationModel& model, const Json& json) {
  if (!json.is_object()) fail("search has to be an object, not {}", printable_value(json));
  Json settings = to_json(model.settings);
  Json n_best = model.settings.decoding.n_best;
  for (const auto& [name, value] : json.items())
    (name == "n_best" ? n_best : settings["decoding"][name]) = value;
  transformer::SearchOptions options = translation::parse_settings(settings, "the request").decoding;
  if (!n_best.is_number_integer())
    fail("search.n_best has to be a whole number, not {}", printable_value(n_best));
  options.n_best = n_best.get<Index>();
  if (options.beam > widest_beam) fail("search.beam is {}; give at most {}", options.beam, widest_beam);
  translation::check_beam("search.beam", options.beam, model.vocabularies.target.size());
  options.min_length = std::min(options.min_length, longest_translation);
  options.max_length =
      options.max_length == 0 ? longest_translation : std::min(options.max_length, longest_translation);
  check(options);
  return options;
}

std::vector<nn::Head> parse_heads(const Json& json) {
  std::vector<nn::Head> heads;
  for (const Json& head : list_of(json, "heads_off")) {
    check_keys(head, {"attention", "head"}, "a head of heads_off");
    if (!head.contains("attention") || !head.contains("head") || !head["head"].is_number_integer())
      fail("a head of heads_off needs an \"attention\" and the number of a \"head\"");
    heads.push_back({text_of(head["attention"], "the attention of a head"), head["head"].get<Index>()});
  }
  return heads;
}

}  // namespace

TranslateRequest parse_request(const TranslationModel& model, const Json& json) {
  check_keys(json, {"source", "image", "prefix", "search", "heads_off"}, "the request");
  TranslateRequest request;
  read_source(model, json, request);
  request.search = parse_search(model, json.value("search", Json::object()));
  request.prefix = parse_prefix(model, json.value("prefix", Json::array()));
  request.heads_off = parse_heads(json.value("heads_off", Json::array()));
  return request;
}

}  // namespace regard::explore
