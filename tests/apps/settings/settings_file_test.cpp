#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_json.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using regard::tests::TemporaryDirectory;

namespace {

Settings parse(const std::string& text) { return parse_settings(parse_json(text, "c.json"), "c.json"); }

std::string after_override(const std::string& text, const std::string& assignment) {
  Values values = values_of(parse_json(text, "c.json"), "c.json");
  apply_override(values, assignment);
  return Json(values).dump();
}

}  // namespace

TEST_CASE("JSON that cannot be read is refused with line and column", "[settings]") {
  CHECK_ERROR(parse("{\n  \"data\": {},\n  \"model\" {}\n}"), "c.json: not JSON at line 3, column 11");
  CHECK_ERROR(parse("{\"data\": {}"), "c.json: not JSON at line 1, column 12");
  CHECK_ERROR(parse("{\"data\": {},}"), "c.json: not JSON at line 1, column 13");
  CHECK_ERROR(parse("{}\n{}"), "c.json: not JSON at line 2, column 1");
  CHECK_ERROR(parse(""), "c.json: not JSON at line 1, column 1");
  CHECK_ERROR(parse("{\"a\": 1e999}"), "c.json: not JSON after the key a: number overflow parsing '1e999'");
  CHECK_ERROR(parse("{\n\"a\": \"\xE4\"}"), "c.json: not UTF-8 at line 2, column 7");
  CHECK_ERROR(parse("\xEF\xBB\xBF{,}"), "c.json: not JSON at line 1, column 2");
  CHECK(parse("\xEF\xBB\xBF{} // a comment\n").data.max_length == 256);
}

TEST_CASE("messages show JSON without control characters", "[settings]") {
  CHECK_ERROR(parse(R"({"\u001B[2J": 1, "\u001B[2J": 1})"), "c.json: the key \\x1B[2J occurs twice");
  const std::string not_json = MESSAGE_OF(parse("{\"a\": \"\u009B[2J"));
  CHECK_THAT(not_json, ContainsSubstring("c.json: not JSON at line 1") && ContainsSubstring("<U+009B>[2J"));
  CHECK(MESSAGE_OF(parse("{\"a\": \u00E4}")).find('\xC3') == std::string::npos);  // an incomplete character
  CHECK_ERROR(parse("{\"format\": \"\u009B[2J\"}"), "got \"<U+009B>[2J\"");
  CHECK(MESSAGE_OF(parse("{\"a\": \"" + std::string(1'000, 'x'))).size() < 300);
}

TEST_CASE("a key that occurs twice is refused", "[settings]") {
  CHECK_ERROR(parse(R"({"training": {"steps": 1, "seed": 1, "steps": 1}})"),
              "c.json: the key training.steps occurs twice");
  CHECK_ERROR(parse(R"({"data": {}, "data": {}})"), "c.json: the key data occurs twice");
  CHECK(parse(R"({"data": {"source": "a"}, "training": {"steps": 1}, "model": {}})").data.source == "a");
  // The same key in two objects is allowed.
  CHECK(parse_json(R"([{"a": {"a": 1}}, {"a": 2}])", "x").size() == 2);
}

TEST_CASE("JSON that would take minutes to read is refused", "[settings]") {
  std::string object = "{", list = "[", nested;
  for (int i = 0; i < 300'000; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    object += comma + "\"" + std::to_string(i) + "\":" + std::to_string(i);
    list += comma + "{}";
    nested += "[";
  }
  for (const std::string& text : {object + "}", list + "]"})
    CHECK_ERROR(parse_json(text, "x"), "x: it has more than 10000 keys, lists and objects");
  CHECK_ERROR(parse_json(nested, "x"), "x: more than 100 lists and objects inside one another");
}

TEST_CASE("every kind of JSON value is read", "[settings]") {
  const std::string text =
      R"({"b":[1,-2,0.5,"\u00e4",true,false,null,[],{}],"a":{"b":{},"a":[[]]},"18446744073709551615":
                               18446744073709551615})";
  CHECK(parse_json(text, "x") == Json::parse(text));
  CHECK(parse_json(text, "x").dump() == Json::parse(text).dump());  // in the same order too
  for (const std::string single : {"1", "\"a\"", "null", "[]", "{}"})
    CHECK(parse_json(single, "x").dump() == single);
}

TEST_CASE("a newer format is refused before its keys are read", "[settings]") {
  CHECK_ERROR(parse(R"({"format": 2, "new": 1})"),
              "c.json: the file has format 2, this program knows formats up to 1; use a newer version");
  CHECK_ERROR(parse(R"({"format": "1"})"), "\"format\" must be a whole number from 1 to 1, got \"1\"");
  CHECK_ERROR(parse(R"({"format": 0})"), "got 0");
}

TEST_CASE("overrides replace and add values", "[settings]") {
  CHECK(after_override("{}", "training.steps=2000") == R"({"training.steps":2000})");
  CHECK(after_override(R"({"training":{"steps":1,"seed":2}})", "training.steps=3") ==
        R"({"training.seed":2,"training.steps":3})");
  CHECK(after_override("{}", "data.source=some/file.en") == R"({"data.source":"some/file.en"})");
  CHECK(after_override("{}", "data.source=a=b c") == R"({"data.source":"a=b c"})");
  CHECK(after_override("{}", "data.source=\"7\"") == R"({"data.source":"7"})");
  CHECK(after_override("{}", "data.source=") == R"({"data.source":""})");
  CHECK(after_override("{}", "model.final_norm=null") == R"({"model.final_norm":null})");
  CHECK(after_override("{}", "data.joint_vocabulary=false") == R"({"data.joint_vocabulary":false})");
}

TEST_CASE("overrides set single dropout rates", "[settings]") {
  const auto rates = [](const char* attention, const char* others) {
    return fmt::format(
        R"({{"model.dropout.attention":{0},"model.dropout.embedding":{1},"model.dropout.feed_forward":{1},)"
        R"("model.dropout.sublayer":{1}}})",
        attention, others);
  };
  CHECK(after_override("{}", "model.dropout=0.2") == rates("0.2", "0.2"));
  CHECK(after_override("{}", "model.dropout.attention=0") == R"({"model.dropout.attention":0})");
  CHECK(after_override(R"({"model":{"dropout":0.2}})", "model.dropout.attention=0") == rates("0", "0.2"));
  CHECK(after_override(R"({"model":{"dropout":{"attention":0}}})", "model.dropout=0.2") ==
        rates("0.2", "0.2"));
}

TEST_CASE("overrides of unknown settings are refused", "[settings]") {
  CHECK_ERROR(
      after_override("{}", "training.stepz=1"),
      "--set training.stepz=1: there is no setting training.stepz; the most similar one is training.steps");
  CHECK_ERROR(after_override("{}", "training.steps"), "expected SETTING=VALUE");
  CHECK_ERROR(after_override("{}", "=1"), "there is no setting ");
  CHECK_ERROR(after_override("{}", "format=2"), "there is no setting format");
  CHECK_ERROR(after_override("{}", "training={}"),
              "training is a section; set one of its settings, such as training.steps");
  CHECK_ERROR(after_override("{}", "data.source=\xFF"), "not UTF-8");
  CHECK_ERROR(after_override("[]", "training.steps=1"), "a configuration is a JSON object");
  CHECK_ERROR(after_override(R"({"model": 0.5})", "model.dropout.attention=1"),
              "model must be an object with settings, got 0.5");
  CHECK_ERROR(after_override(R"({"model": {"dropout": "x"}})", "model.dropout.attention=1"),
              "model.dropout must be an object");
}

TEST_CASE("settings are loaded from a file with overrides", "[settings]") {
  const TemporaryDirectory directory;
  const std::string path =
      directory.file("c.json", "{\"data\": {\"tsv\": \"x\"}, \"training\": {\"steps\": 5}}");
  CHECK(load_settings(path).training.steps == 5);
  const std::vector<std::string> overrides = {"training.steps=7", "model.preset=base", "training.steps=8"};
  CHECK(load_settings(path, overrides).training.steps == 8);
  CHECK(load_settings(path, overrides).model.config.d_model == 512);
  CHECK(load_settings(path, overrides).data.tsv == "x");

  const std::vector<std::string> wrong = {"training.seed=2", "training.steps=many", "training.seed=3"};
  CHECK_ERROR(load_settings(path, wrong), "--set training.steps=many: training.steps must be a whole number");
  // JSON has no zeros before a number. A reader that stops at the first one would take this seed for 0.
  CHECK_ERROR(load_settings(path, std::vector<std::string>{"training.seed=010"}),
              "--set training.seed=010: training.seed must be a whole number");
  CHECK_ERROR(parse(R"({"training": {"seed": 010}})"), "c.json: not JSON at line 1, column 25");
  CHECK_ERROR(load_settings(directory / "missing.json"), "missing.json: No such file or directory");
  CHECK_ERROR(load_settings(directory.file("bad.json", "{\"stepz\": 1}")),
              "bad.json: there is no setting stepz");
  CHECK_ERROR(load_settings(directory.file("empty.json", "{}")), "there is no training corpus");
}
