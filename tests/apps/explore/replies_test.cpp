// The data of the page: what the model computes, in JSON.
#include "apps/explore/replies.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/head_importance/head_importance.h"
#include "apps/images/base64.h"
#include "apps/images/image_file.h"
#include "apps/images/model_images.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/error.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"
#include "transformer/captions/image.h"
#include "transformer/captions/image_config.h"
#include "transformer/teacher_forcing.h"

using namespace regard::explore;
using namespace regard::tests;
using regard::Index;
using regard::Tensor;
using regard::to_index;
using regard::to_size;
using regard::translation::make_tokeniser;

namespace {

/// An untrained model of eight words; `change` may change its settings.
template <class Change>
TranslationModel model_with(const Change& change) {
  SmallTraining training;
  change(training.settings);
  TranslationModel model{training.settings, training.data.vocabularies, make_tokeniser("word"),
                         training.model()};
  regard::Random random(5);
  for (const auto& parameter : model.model.parameters())  // far from where training begins
    for (regard::Real& value : parameter.tensor.values()) value += random.normal() / 2;
  model.model.eval();
  return model;
}

TranslationModel small_model() {
  return model_with([](Settings&) {});
}

TranslationModel image_model() {
  return model_with([](Settings& settings) {
    settings.model.encoder = "patches";
    settings.model.parts.of<regard::transformer::ImageConfig>().patch_size = 4;
    settings.data.parts.of<regard::translation::ImageSettings>() = {.height = 8, .width = 8};
    settings.model.config.shared_embeddings = regard::transformer::SharedEmbeddings::none;
    settings.data.joint_vocabulary = false;
  });
}

Json reply_to(TranslationModel& model, const std::string& request) {
  return translate_reply(model, Json::parse(request));
}

std::vector<std::string> words_of(const Json& hypothesis) {
  std::vector<std::string> words;
  for (const Json& token : hypothesis["tokens"]) words.push_back(token["token"]);
  return words;
}

}  // namespace

TEST_CASE("the reply about a model lists its attentions and the settings of its search", "[explore]") {
  TranslationModel model = small_model();
  const Json reply = model_reply(model, "a name", nullptr);
  CHECK(reply["name"] == "a name");
  CHECK(reply["kind"] == "text");
  CHECK(reply["encoder"] == "transformer");
  CHECK(reply["parameters"] == model.model.parameter_count());
  REQUIRE(reply["attention"].size() == 3);
  CHECK(reply["attention"][2] ==
        Json({{"name", "decoder.layers.0.multihead_attn"}, {"kind", "source"}, {"layer", 0}, {"heads", 2}}));
  CHECK(reply["search"]["beam"] == model.settings.decoding.beam);
  CHECK(reply["search"]["n_best"] == 1);
  for (const auto& setting : reply["search"].items())
    CHECK_FALSE(reply["search_help"].at(setting.key()).get<std::string>().empty());
  CHECK(reply["search_choices"]["length_penalty"] == Json({"wu", "power"}));
  CHECK(reply["tags"] == Json::array());
  CHECK(reply["corpus"] == false);
}

TEST_CASE("the weights of a reply are those of the model", "[explore]") {
  TranslationModel model = small_model();
  const Json reply = reply_to(model, R"({"source": "w1 w2 w7"})");
  CHECK(reply["source_tokens"] == Json({"w1", "w2", "w7", "</s>"}));
  const std::vector<std::string> words = words_of(reply["hypotheses"][0]);
  regard::translation::ParallelCorpus corpus;
  corpus.source = {model.vocabularies.source.ids({"w1", "w2", "w7"})};
  corpus.target = {model.vocabularies.target.ids({words.begin(), words.end() - 1})};
  const std::size_t pair = 0;
  std::vector<Tensor> expected;
  for (const auto& layer : forced_pass(model.model, make_batch(corpus, {&pair, 1})).attentions)
    expected.push_back(layer.weights.front());
  REQUIRE(expected.size() == 3);
  REQUIRE(reply["attention"].size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& attention = reply["attention"][i];
    CHECK(attention["queries"] == expected[i].size(1));
    CHECK(attention["keys"] == expected[i].size(2));
    REQUIRE(attention["heads"].size() == 2);
    double largest = 0;
    for (std::size_t head = 0; head < 2; ++head) {
      const auto shown = attention["heads"][head]["weights"].get<std::vector<double>>();
      REQUIRE(2 * to_index(shown.size()) == expected[i].size());
      for (std::size_t k = 0; k < shown.size(); ++k)
        largest = std::max(
            largest, std::abs(shown[k] - static_cast<double>(expected[i].data()[head * shown.size() + k])));
    }
    CHECK(largest < 1e-6);
  }
}

TEST_CASE("a reply has the probability of each token and its rivals", "[explore]") {
  TranslationModel model = small_model();
  const Json reply = reply_to(model, R"({"source": "w1 w2", "search": {"n_best": 3, "beam": 4}})");
  REQUIRE(reply["hypotheses"].size() == 3);
  for (const Json& hypothesis : reply["hypotheses"]) {
    const std::vector<std::string> words = words_of(hypothesis);
    regard::translation::ParallelCorpus corpus;
    corpus.source = {model.vocabularies.source.ids({"w1", "w2"})};
    corpus.target = {model.vocabularies.target.ids({words.begin(), words.end() - 1})};
    const auto forced = regard::translation::score_all(model.model, corpus).front();
    CHECK(hypothesis["log_probability"].get<double>() == Approx(forced.log_probability).margin(1e-4));
    REQUIRE(words.size() == forced.token_log_probabilities.size());
    CHECK(words.back() == "</s>");
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Json& token = hypothesis["tokens"][i];
      CHECK(token["probability"].get<double>() ==
            Approx(std::exp(forced.token_log_probabilities[i])).margin(1e-5));
      REQUIRE(token["rivals"].size() == 10);  // all but <pad> and <s>
      double sum = 0, last = 1;
      for (const Json& rival : token["rivals"]) {
        CHECK(rival["probability"] <= last);
        last = rival["probability"];
        sum += last;
        if (rival["token"] == token["token"]) CHECK(rival["probability"] == token["probability"]);
      }
      CHECK(sum < 1.00001);
    }
  }
}

TEST_CASE("a translation goes on after a prefix, whose tokens are marked", "[explore]") {
  TranslationModel model = small_model();
  const Json reply = reply_to(model, R"({"source": "w1 w2", "prefix": ["w3", "<unk>"]})");
  const Json& tokens = reply["hypotheses"][0]["tokens"];
  REQUIRE(tokens.size() > 2);
  CHECK(tokens[0]["token"] == "w3");
  CHECK(tokens[1]["token"] == "<unk>");
  CHECK(tokens[1]["given"] == true);
  CHECK_FALSE(tokens[2].contains("given"));
  const Json ended = reply_to(model, R"({"source": "w1 w2", "prefix": ["w3", "</s>"]})");
  CHECK(ended["hypotheses"][0]["text"] == "w3");
}

TEST_CASE("heads that are off change a reply, and the next reply has all heads", "[explore]") {
  TranslationModel model = small_model();
  const std::string request = R"({"source": "w1 w2 w3", "prefix": ["w1", "</s>"])";
  const double all = reply_to(model, request + "}")["hypotheses"][0]["log_probability"];
  const double without = reply_to(
      model, request + R"(, "heads_off": [{"attention": "decoder.layers.0.multihead_attn", "head": 1}]})")
      ["hypotheses"][0]["log_probability"];
  CHECK(std::abs(all - without) > 1e-4);
  CHECK(reply_to(model, request + "}")["hypotheses"][0]["log_probability"] == all);
}

TEST_CASE("the tree of a reply ends in its translations", "[explore]") {
  TranslationModel model = small_model();
  const Json reply =
      reply_to(model, R"({"source": "w1 w2", "search": {"length_penalty": "power", "alpha": 1}})");
  double best = -1e9;
  std::size_t length = 0;
  for (const Json& step : reply["search_tree"]["steps"]) {
    ++length;
    for (const Json& node : step["hypotheses"]) {
      const double log_probability = node["log_probability"];
      CHECK(node["score"]["power"].get<double>() == Approx(log_probability / static_cast<double>(length)));
      CHECK(node["score"]["wu"].get<double>() ==
            Approx(log_probability / ((5 + static_cast<double>(length)) / 6)));
      if (node["state"] == "ended") best = std::max(best, node["score"]["power"].get<double>());
    }
  }
  CHECK(best == Approx(reply["hypotheses"][0]["score"].get<double>()));
}

TEST_CASE("an image is described, and its reply has the image as the model reads it", "[explore]") {
  TranslationModel model = image_model();
  regard::transformer::Image image{16, 16, std::vector<std::uint8_t>(16 * 16 * 3, 200)};
  const std::string png = regard::images::base64(regard::images::png_bytes(image));
  const Json reply = translate_reply(model, {{"image", png}});
  CHECK(reply["source_tokens"].empty());
  CHECK(reply["image"]["width"] == 8);
  CHECK(reply["image"]["rows"] == 2);
  CHECK(reply["image"]["columns"] == 2);
  const auto shown = regard::images::decode_image(
      regard::images::from_base64(reply["image"]["png"].get<std::string>()), "png");
  CHECK(shown.height == 8);
  const Json& attention = reply["attention"];
  REQUIRE(attention.size() == 3);
  CHECK(attention[0]["queries"] == 4);
  CHECK(attention[2]["keys"] == 4);
  CHECK(attention[2]["heads"][0]["looks_at"] == "");
  CHECK_ERROR(translate_reply(model, {{"source", "w1"}}),
              "this model reads images; give \"image\" and not \"source\"");
  CHECK_ERROR(translate_reply(model, {{"image", "AAA"}}), "this is not base64");
  CHECK_ERROR(translate_reply(model, {{"image", "AAAA"}}), "the image");
}

TEST_CASE("requests that make no sense are refused", "[explore]") {
  TranslationModel model = small_model();
  model.settings.data.max_length = 4;
  const auto refusal = [&](const std::string& request) { return MESSAGE_OF(reply_to(model, request)); };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"[]", "the request must be an object"},
      {"{}", "this model reads text; give \"source\" and not \"image\""},
      {R"({"source": 3})", "the request: \"source\" must be a text, got 3"},
      {R"({"source": " "})", "the sentence is empty"},
      {R"({"source": "w1\nw2"})", "several lines"},
      {R"({"source": "w1 w1 w1 w1 w1"})", "the sentence has 5 tokens, but this model takes at most 4"},
      {R"({"source": "w1", "image": ""})", "give \"source\" and not \"image\""},
      {R"({"source": "w1", "beam": 3})", "the request has an unknown \"beam\""},
      {R"({"source": "w1", "search": {"beam": 0}})", "decoding.beam"},
      {R"({"source": "w1", "search": {"beem": 3}})", "beem"},
      {R"({"source": "w1", "search": {"beam": 21}})", "search.beam is 21; give at most 20"},
      {R"({"source": "w1", "search": {"beam": 13}})", "the target vocabulary has only 12 entries"},
      {R"({"source": "w1", "search": {"n_best": 9}})", "n_best"},
      {R"({"source": "w1", "search": {"n_best": "two"}})", "search: \"n_best\" must be a whole number"},
      {R"({"source": "w1", "search": []})", "\"search\" must be an object"},
      {R"({"source": "w1", "prefix": "w1"})", "\"prefix\" must be a list of texts"},
      {R"({"source": "w1", "prefix": [1]})", "\"prefix\" must be a list of texts"},
      {R"({"source": "w1", "prefix": ["x"]})", "\"x\""},
      {R"({"source": "w1", "prefix": ["<s>"]})", "\"<s>\""},
      {R"({"source": "w1", "prefix": ["</s>", "w1"]})", "tokens after </s>"},
      {R"({"source": "w1", "heads_off": [{"head": 1}]})", "a head of heads_off: \"attention\" is missing"},
      {R"({"source": "w1", "heads_off": [{"attention": "x", "head": 1}]})", "no attention \"x\""},
      {R"({"source": "w1", "heads_off": [{"attention": "encoder.layers.0.self_attn", "head": 2}]})",
       "there is no head 2"},
  };
  for (const auto& [request, message] : cases) CHECK_CONTAINS(refusal(request), message);
  CHECK(reply_to(model, R"({"source": "w1 nothing"})")["unknown_words"] == Json({"nothing"}));
}

TEST_CASE("a translation is never longer than the limit", "[explore]") {
  TranslationModel model = small_model();
  const Json reply = reply_to(
      model,
      R"({"source": "w1", "search": {"min_length": 1000000, "max_length_constant": 1000000, "beam": 1}})");
  CHECK(reply["hypotheses"][0]["tokens"].size() == 301);
}

TEST_CASE("the importance of heads is the loss of models without them", "[explore]") {
  TranslationModel model = small_model();
  const regard::translation::ParallelCorpus corpus = numbered_corpus(10, 4, SmallTraining::words);
  const auto loss = [&](TranslationModel& of) {
    double sum = 0;
    std::size_t tokens = 0;
    for (const auto& score : regard::translation::score_all(of.model, corpus)) {
      sum -= score.log_probability;
      tokens += score.token_log_probabilities.size();
    }
    return sum / static_cast<double>(tokens);
  };
  const Json reply = head_importance_reply(model, corpus);
  CHECK(reply["loss"].get<double>() == Approx(loss(model)));
  REQUIRE(reply["heads"].size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const Json& head = reply["heads"][i];
    TranslationModel zeroed = small_model();
    for (const auto& parameter : zeroed.model.parameters()) {
      if (parameter.name != head["attention"].get<std::string>() + ".out_proj.weight") continue;
      const Index first = head["head"].get<Index>() * 8;
      for (Index row = 0; row < 16; ++row) std::fill_n(parameter.tensor.data() + row * 16 + first, 8, 0.f);
    }
    CHECK(head["loss_without"].get<double>() == Approx(loss(zeroed)));
    CHECK(head["growth"].get<double>() == Approx(loss(zeroed) - loss(model)).margin(1e-5));
    if (i > 0) CHECK(head["growth"] <= reply["heads"][i - 1]["growth"]);
  }
}

TEST_CASE("base64 is that of RFC 4648", "[explore]") {
  const std::vector<std::pair<std::string, std::string>> examples{
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xFB\xFF", "+/8="}};
  for (const auto& [bytes, text] : examples) {
    CHECK(regard::images::base64(bytes) == text);
    CHECK(regard::images::from_base64(text) == bytes);
  }
  CHECK_ERROR(regard::images::from_base64("Zg"), "its length, 2, is not a multiple of 4");
  CHECK_ERROR(regard::images::from_base64("Z!=="), "character 2 is not in its alphabet");
  CHECK_ERROR(regard::images::from_base64("===="), "character 1");
}
