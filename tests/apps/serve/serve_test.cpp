// Which requests regard serve takes, and what it reads in them.
#include "apps/serve/fields.h"
#include "apps/serve/languages.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::serve;
using namespace regard::tests;

namespace {

http::Head head_of(const std::string& type) {
  return {.method = "POST",
          .path = "/translate",
          .token = "",
          .host = "localhost:5000",
          .origin = "",
          .fetch_site = "",
          .content_type = type,
          .content_length = {}};
}

Fields from_json(const std::string& body) {
  return read_fields(head_of("application/json; charset=utf-8"), body);
}
Fields from_form(const std::string& body) {
  return read_fields(head_of("application/x-www-form-urlencoded"), body);
}

}  // namespace

TEST_CASE("the languages of a model stand before its directory or in its name", "[serve]") {
  using List = std::vector<std::string>;
  for (const auto& [argument, directory, source, targets] :
       std::vector<std::tuple<std::string, std::string, std::string, List>>{
           {"en-fr=build/model", "build/model", "en", {"fr"}},
           {"en-fr,ko=build/model", "build/model", "en", {"fr", "ko"}},
           {"models/de-en", "models/de-en", "de", {"en"}},
           {"models/opus-mt-de-en/", "models/opus-mt-de-en/", "de", {"en"}},
           {"de-pt_BR=a=b", "a=b", "de", {"pt_BR"}},
           {"zh-Hans:pt-BR,fr=m", "m", "zh-Hans", {"pt-BR", "fr"}},
           {"./x=y/en-de", "./x=y/en-de", "en", {"de"}}}) {
    CAPTURE(argument);
    const Served served = read_served(argument);
    CHECK(served.directory == directory);
    CHECK(served.source == source);
    CHECK(served.targets == targets);
  }
  for (const char* const argument :
       {"build/model", "=build/model", "en=build/model", "en-=build/model", "en-fr,=build/model",
        "x-en-fr=build/model", "en-pt-BR=build/model", "models/en-pt-BR", ""})
    CHECK_THROWS_WITH(read_served(argument), ContainsSubstring("the languages of the model are not known"));
  CHECK_THROWS_WITH(read_served("en-fr="), ContainsSubstring("the directory of the model is missing"));
}

TEST_CASE("a request is JSON or a form", "[serve]") {
  const Fields one =
      from_json(R"({"q": "two", "source": "en", "target": "de", "api_key": null, "alternatives": 3})");
  CHECK(one.q == std::vector<std::string>{"two"});
  CHECK_FALSE(one.is_list);
  CHECK(one.source == "en");
  CHECK(one.target == "de");
  CHECK(one.format == "text");
  CHECK(one.api_key.empty());
  const Fields list = from_json(R"({"q": ["one", "two"], "source": "en", "target": "de", "format": "html"})");
  CHECK(list.q == std::vector<std::string>{"one", "two"});
  CHECK(list.is_list);
  CHECK(list.format == "html");
  const Fields form = from_form("q=one+%26+tw%C3%B6&source=en&target=de&api_key=a%2Bb&q2");
  CHECK(form.q == std::vector<std::string>{"one & twö"});
  CHECK(form.api_key == "a+b");
  CHECK(from_form("q=a&q=b").is_list);

  CHECK_THROWS_WITH(from_json("{"), ContainsSubstring("the request"));
  CHECK_THROWS_WITH(from_json("[]"), ContainsSubstring("no JSON object"));
  CHECK_THROWS_WITH(from_json(R"({"source": "en"})"), ContainsSubstring("\"q\", is missing"));
  CHECK_THROWS_WITH(from_json(R"({"q": [1]})"), ContainsSubstring("entry 1 of \"q\" is 1; give a text"));
  CHECK_THROWS_WITH(from_form("q=%FF"), ContainsSubstring("no text in UTF-8"));
  CHECK_THROWS_WITH(from_form("q=a&source=en&source=de"), ContainsSubstring("\"source\" 2 times"));
  CHECK(has_type(head_of("Application/JSON; charset=utf-8"), "application/json"));
  CHECK_FALSE(has_type(head_of("app"), "application/json"));
  CHECK_THROWS_WITH(from_json(R"({"q": "a", "target": {}})"), ContainsSubstring("\"target\" is "));
  CHECK_THROWS_WITH(from_form("source=en"), ContainsSubstring("\"q\", is missing"));
  for (const char* const broken : {"q=%", "q=%4", "q=%zz", "q=%4g", "q=% 4"})
    CHECK_THROWS_WITH(from_form(broken), ContainsSubstring("two hexadecimal digits"));
}
