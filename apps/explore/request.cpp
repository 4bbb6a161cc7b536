#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "apps/explore/replies.h"
#include "apps/images/base64.h"
#include "apps/images/model_images.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json_fields.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/search/search_rules.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/error.h"

namespace regard::explore {

namespace {

using translation::Fields;

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

void read_source(const TranslationModel& model, const Json& json, Fields& fields, TranslateRequest& request) {
  const bool images = model.settings.model.reads_files();
  const char* const wanted = images ? "image" : "source";
  const char* const other = images ? "source" : "image";
  if (!json.contains(wanted) || json.contains(other))
    fail("this model reads {}; give \"{}\" and not \"{}\"", images ? "images" : "text", wanted, other);
  std::string value;
  fields.need(wanted, value, translation::text());
  if (!images) return read_sentence(model, value, request);
  request.image =
      translation::model_image(images::decode_image(images::from_base64(value), "the image"), "the image",
                               model.settings.data.parts.of<translation::ImageSettings>());
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

transformer::Prefix parse_prefix(const TranslationModel& model, const std::vector<std::string>& tokens) {
  transformer::Prefix prefix;
  for (const std::string& token : tokens) {
    if (!prefix.empty() && prefix.back() == translation::special::end)
      fail("the prefix has tokens after </s>, which ends a translation");
    prefix.push_back(target_id(model.vocabularies.target, token));
  }
  if (to_index(prefix.size()) > longest_translation)
    fail("the prefix has {} tokens; give at most {}", prefix.size(), longest_translation);
  return prefix;
}

/// The search settings of the model, replaced by those of the request. The names are those of the
/// configuration (decoding), and n_best.
transformer::SearchOptions parse_search(const TranslationModel& model, Json json) {
  Index n_best = model.settings.decoding.n_best;
  Fields(json, "search").take("n_best", n_best, translation::whole(1));
  json.erase("n_best");
  Json settings = to_json(model.settings);
  settings["decoding"].update(json);
  transformer::SearchOptions options = translation::decoding_of(
      translation::parse_settings(settings, "the request"), *model.tokeniser, model.vocabularies);
  options.n_best = n_best;
  if (options.beam > widest_beam) fail("search.beam is {}; give at most {}", options.beam, widest_beam);
  options.min_length = std::min(options.min_length, longest_translation);
  options.max_length =
      options.max_length == 0 ? longest_translation : std::min(options.max_length, longest_translation);
  check(options);
  return options;
}

std::vector<nn::Head> parse_heads(const Json& list) {
  std::vector<nn::Head> heads;
  for (const Json& json : list) {
    nn::Head head{};
    Fields fields(json, "a head of heads_off");
    fields.need("attention", head.attention, translation::text());
    fields.need("head", head.head, translation::whole(0));
    fields.end();
    heads.push_back(head);
  }
  return heads;
}

}  // namespace

TranslateRequest parse_request(const TranslationModel& model, const Json& json) {
  Fields fields(json, "the request");
  TranslateRequest request;
  std::vector<std::string> prefix;
  read_source(model, json, fields, request);
  request.search = parse_search(model, fields.object("search"));
  fields.take("prefix", prefix, translation::list_of_texts());
  request.prefix = parse_prefix(model, prefix);
  request.heads_off = parse_heads(fields.list("heads_off"));
  fields.end();
  return request;
}

}  // namespace regard::explore
