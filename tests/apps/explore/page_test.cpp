#include "apps/explore/page.h"

#include <nlohmann/json.hpp>

#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::explore;
using regard::tests::contains;

namespace {

/// The text of the element with the data.
std::string data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return page.substr(at, page.find("</script>", at) - at);
}

}  // namespace

TEST_CASE("the page is one document of less than 300 kB that asks for nothing else", "[explore]") {
  const std::string text = page(nullptr, "n0nce");
  CHECK(text.starts_with("<!DOCTYPE html>"));
  CHECK(text.size() < 300'000);
  CHECK(data_of(text) == "null");
  CHECK(contains(text, "<style nonce=\"n0nce\">"));
  CHECK(contains(text, "<script type=\"module\" nonce=\"n0nce\">"));
  CHECK(contains(text, content_security_policy("n0nce")));
  for (const char* other : {"src=\"http", "url(http", "@import", "@STYLE@", "@SCRIPT@", "@NONCE@", "@DATA@",
                            "@POLICY@", "innerHTML", "eval("})
    CHECK(!contains(text, other));
}

TEST_CASE("data cannot end their element, and are the same after reading", "[explore]") {
  const Json data{{"text", "</script><script>alert(1)</script><!-- @STYLE@ \" \\ <"}};
  const std::string text = data_of(page(data, "n"));
  CHECK(!contains(text, "<"));
  CHECK(Json::parse(text) == data);
  CHECK_NOTHROW(page({{"text", "\xFF"}}, "n"));  // bytes that are not UTF-8 are replaced
}
