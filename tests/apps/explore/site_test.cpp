// Which requests a server answers.
#include "apps/explore/site.h"

#include <nlohmann/json.hpp>
#include <thread>

#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::explore;
using namespace regard::tests;

namespace {

/// A site of a training that has no model yet.
struct Fixture {
  explicit Fixture(const std::string& address = "127.0.0.1") : site(explorer, work, address) {}

  static std::string training(const TemporaryDirectory& directory) {
    directory.file("config.json", "{}");
    directory.file("metrics.jsonl", "");
    return directory / "";
  }
  int status(const HttpHead& head) {
    const std::optional<HttpReply> refusal = site.refusal(head);
    if (refusal) CHECK(nlohmann::json::parse(refusal->body).contains("error"));
    return refusal ? refusal->status : 200;
  }

  TemporaryDirectory directory;
  Explorer explorer{{.directories = {training(directory)}}};
  OneAtATime work;
  Site site;
};

HttpHead get(const std::string& path, const std::string& host = "127.0.0.1:8642") {
  return {.method = "GET",
          .path = path,
          .host = host,
          .origin = "",
          .fetch_site = "",
          .content_type = "",
          .content_length = {}};
}

HttpHead question() {
  HttpHead head = get("/api/translate");
  head.method = "POST";
  head.origin = "http://127.0.0.1:8642";
  head.fetch_site = "same-origin";
  head.content_type = "application/json";
  head.content_length = 20;
  return head;
}

}  // namespace

TEST_CASE("a site answers to its own page only", "[explore]") {
  Fixture fixture;
  CHECK(fixture.status(get("/")) == 200);
  CHECK(fixture.status(get("/api/model")) == 200);
  CHECK(fixture.status(question()) == 200);
  for (const char* const host : {"127.0.0.1", "localhost:8642", "localhost"})
    CHECK(fixture.status(get("/", host)) == 200);
  for (const char* const host :
       {"", "evil.com", "evil.com:8642", "127.0.0.1.evil.com", "192.168.0.1:8642", "[", "[::2]:8642"})
    CHECK(fixture.status(get("/", host)) == 403);
  for (const char* const origin :
       {"http://evil.com", "null", "https://127.0.0.1:8642", "http://127.0.0.1:80"}) {
    HttpHead head = question();
    head.origin = origin;
    CHECK(fixture.status(head) == 403);
    head = get("/");
    head.origin = origin;
    CHECK(fixture.status(head) == 403);
  }
  for (const char* const site : {"cross-site", "same-site"}) {
    HttpHead head = question();
    head.fetch_site = site;
    CHECK(fixture.status(head) == 403);
    head = get("/api/model");
    head.fetch_site = site;
    CHECK(fixture.status(head) == 403);
    head = get("/");  // a link
    head.fetch_site = site;
    CHECK(fixture.status(head) == 200);
  }
}

TEST_CASE("a site that listens everywhere knows itself by number", "[explore]") {
  Fixture fixture("0.0.0.0");
  CHECK(fixture.status(get("/", "192.168.0.1:8642")) == 200);
  CHECK(fixture.status(get("/", "[::1]:8642")) == 200);
  CHECK(fixture.status(get("/", "evil.com")) == 403);
}

TEST_CASE("requests for other things are refused before their body is read", "[explore]") {
  Fixture fixture;
  for (const char* const path : {"/x", "/../../etc/passwd", "/api", "/api/model/", "//", "", "/favicon.ico"})
    CHECK(fixture.status(get(path)) == 404);
  CHECK(fixture.status(get("/api/translate")) == 405);
  for (const char* const method : {"PUT", "DELETE", "OPTIONS", "POST", "\x01"}) {
    HttpHead head = get("/api/model");
    head.method = method;
    CHECK(fixture.status(head) == 405);
  }
  HttpHead head = question();
  head.content_length = 1'000'000'000;
  CHECK(fixture.status(head) == 413);
  head.content_length.reset();
  CHECK(fixture.status(head) == 411);
  head = question();
  head.content_type = "text/plain";
  CHECK(fixture.status(head) == 415);
}

TEST_CASE("without a model, a site says so", "[explore]") {
  Fixture fixture;
  bool done = false;
  std::thread client([&] {
    CHECK(fixture.site.answer(get("/api/model"), "").body == "null");
    const HttpReply reply = fixture.site.answer(question(), R"({"source": "x"})");
    CHECK(reply.status == 503);
    CHECK_THAT(reply.body, ContainsSubstring("has no model yet"));
    const HttpReply page = fixture.site.answer(get("/"), "");
    CHECK_THAT(page.body, ContainsSubstring("<!DOCTYPE html>"));
    done = true;
  });
  fixture.work.run([&] { return done; });
  client.join();
}

TEST_CASE("one request computes at a time, and only some may wait", "[explore]") {
  OneAtATime work;
  std::atomic<int> running = 0, most = 0, done = 0, refused = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 40; ++i)
    clients.emplace_back([&] {
      const bool accepted = work.submit([&] {
        most = std::max<int>(most, ++running);
        --running;
      });
      ++(accepted ? done : refused);
    });
  while (refused < 40 - 16) std::this_thread::yield();  // nobody computes yet
  CHECK(done == 0);
  work.run([&] { return done == 16; });
  for (std::thread& client : clients) client.join();
  CHECK(most == 1);
  CHECK(refused == 24);

  std::thread last([&] { CHECK_FALSE(work.submit([] {})); });
  work.close();
  last.join();
}
