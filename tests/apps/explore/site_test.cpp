// The page, and which requests a server answers.
#include "apps/explore/site.h"

#include <nlohmann/json.hpp>

#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::explore;
using namespace regard::tests;

namespace {

const std::string own_token = http::new_secret();

int status(const http::Head& head, const std::string& address = "127.0.0.1") {
  const std::optional<http::Reply> refused = refusal(head, address, own_token);
  if (refused) CHECK(nlohmann::json::parse(refused->body).contains("error"));
  return refused ? refused->status : 200;
}

http::Head get(const std::string& path, const std::string& host = "127.0.0.1:8642") {
  return {.method = "GET",
          .path = path,
          .token = own_token,
          .host = host,
          .origin = "",
          .fetch_site = "",
          .content_type = "",
          .content_length = {}};
}

http::Head post() {
  http::Head head = get("/api/translate");
  head.method = "POST";
  head.origin = "http://127.0.0.1:8642";
  head.fetch_site = "same-origin";
  head.content_type = "application/json";
  head.content_length = 20;
  return head;
}

/// The text between two others.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find(end, at) - at);
}

std::string data_of(const std::string& page) {
  return between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
}

}  // namespace

TEST_CASE("the page is one document of less than 300 kB that asks for nothing else", "[explore]") {
  const std::string text = saved_page(nullptr), nonce = between(text, "<style nonce=\"", "\"");
  CHECK(text.starts_with("<!DOCTYPE html>"));
  CHECK(text.size() < 300'000);
  CHECK(data_of(text) == "null");
  CHECK(nonce.size() == 32);
  CHECK(contains(text, "<script type=\"module\" nonce=\"" + nonce + "\">"));
  CHECK(contains(text,
                 "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce + "'"));
  for (const char* other : {"src=\"http", "url(http", "@import", "@STYLE@", "@PLOTS@", "@SCRIPT@", "@NONCE@",
                            "@DATA@", "@POLICY@", "innerHTML", "eval("})
    CHECK(!contains(text, other));
}

TEST_CASE("data cannot end their element, and are the same after reading", "[explore]") {
  const Json data{{"text", "</script><script>alert(1)</script><!-- @STYLE@ @NONCE@ \" \\ <"}};
  const std::string text = data_of(saved_page(data));
  CHECK(!contains(text, "<"));
  CHECK(Json::parse(text) == data);
  CHECK_NOTHROW(saved_page({{"text", "\xFF"}}));  // bytes that are not UTF-8 are replaced
}

TEST_CASE("a site answers to its own page only", "[explore]") {
  CHECK(status(get("/")) == 200);
  CHECK(status(get("/api/model")) == 200);
  CHECK(status(post()) == 200);
  for (const char* const host : {"127.0.0.1", "localhost:8642", "localhost"})
    CHECK(status(get("/", host)) == 200);
  for (const char* const host :
       {"", "evil.com", "evil.com:8642", "127.0.0.1.evil.com", "localhost.evil.com",
        "localhost.evil.com:8642", "192.168.0.1:8642", "[", "[::2]:8642", "[localhost].evil.com",
        "[127.0.0.1].evil.com:8642", "[localhost]", "localhost:8642.evil.com", "localhost:@evil.com", "[]"})
    CHECK(status(get("/", host)) == 403);
  for (const char* const origin :
       {"http://evil.com", "null", "https://127.0.0.1:8642", "http://127.0.0.1:80"}) {
    http::Head head = post();
    head.origin = origin;
    CHECK(status(head) == 403);
    head = get("/");
    head.origin = origin;
    CHECK(status(head) == 403);
  }
  for (const char* const site : {"cross-site", "same-site"}) {
    http::Head head = post();
    head.fetch_site = site;
    CHECK(status(head) == 403);
    head = get("/api/model");
    head.fetch_site = site;
    CHECK(status(head) == 403);
    head = get("/");  // a link
    head.fetch_site = site;
    CHECK(status(head) == 200);
  }
}

TEST_CASE("a site answers only to requests with its token", "[explore]") {
  CHECK(own_token.size() == 32);
  CHECK(own_token != http::new_secret());
  for (const std::string& other :
       {std::string(), own_token.substr(1), own_token + "0", http::new_secret(), std::string(32, '0')})
    for (http::Head head : {get("/"), get("/api/model"), get("/api/runs"), post(), get("/x")}) {
      head.token = other;
      CHECK(status(head) == 403);
    }
  for (std::size_t i = 0; i < own_token.size(); ++i) {
    http::Head head = get("/");
    head.token[i] ^= 1;
    CHECK(status(head) == 403);
  }
}

TEST_CASE("a site that listens everywhere knows itself by number", "[explore]") {
  CHECK(status(get("/", "192.168.0.1:8642"), "0.0.0.0") == 200);
  CHECK(status(get("/", "[::1]:8642"), "0.0.0.0") == 200);
  CHECK(status(get("/", "evil.com"), "0.0.0.0") == 403);
}

TEST_CASE("requests for other things are refused before their body is read", "[explore]") {
  for (const char* const path : {"/x", "/../../etc/passwd", "/api", "/api/model/", "//", "", "/favicon.ico"})
    CHECK(status(get(path)) == 404);
  CHECK(status(get("/api/translate")) == 405);
  for (const char* const method : {"PUT", "DELETE", "OPTIONS", "POST", "\x01"}) {
    http::Head head = get("/api/model");
    head.method = method;
    CHECK(status(head) == 405);
  }
  http::Head head = post();
  head.content_length = 1'000'000'000;
  CHECK(status(head) == 413);
  head.content_length.reset();
  CHECK(status(head) == 411);
  head = post();
  head.content_type = "text/plain";
  CHECK(status(head) == 415);
}

TEST_CASE("without a model, a site says so", "[explore]") {
  const TemporaryDirectory training;
  training.file("config.json", "{}");
  training.file("metrics.jsonl", "");
  Explorer explorer({.directories = {training / ""}});
  CHECK(answer(explorer, get("/api/model"), "").body == "null");
  const http::Reply reply = answer(explorer, post(), R"({"source": "x"})");
  CHECK(reply.status == 503);
  CHECK_CONTAINS(reply.body, "has no model yet");
  const http::Reply page = answer(explorer, get("/"), "");
  CHECK(data_of(page.body) == "null");
  const std::string policy = between(page.body, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
  CHECK(page.headers[1].first == "Content-Security-Policy");
  CHECK(page.headers[1].second == policy + "; frame-ancestors 'none'");
  CHECK(answer(explorer, get("/"), "").headers[1] != page.headers[1]);  // each page has its own nonce
}
