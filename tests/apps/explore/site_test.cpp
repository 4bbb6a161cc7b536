// Which requests a server answers.
#include "apps/explore/site.h"

#include <atomic>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/explore/worker.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::explore;
using namespace regard::tests;

namespace {

int status(const HttpHead& head, const std::string& address = "127.0.0.1") {
  const std::optional<HttpReply> refused = refusal(head, address);
  if (refused) CHECK(nlohmann::json::parse(refused->body).contains("error"));
  return refused ? refused->status : 200;
}

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
  CHECK(status(get("/")) == 200);
  CHECK(status(get("/api/model")) == 200);
  CHECK(status(question()) == 200);
  for (const char* const host : {"127.0.0.1", "localhost:8642", "localhost"})
    CHECK(status(get("/", host)) == 200);
  for (const char* const host : {"", "evil.com", "evil.com:8642", "127.0.0.1.evil.com", "localhost.evil.com",
                                 "localhost.evil.com:8642", "192.168.0.1:8642", "[", "[::2]:8642"})
    CHECK(status(get("/", host)) == 403);
  for (const char* const origin :
       {"http://evil.com", "null", "https://127.0.0.1:8642", "http://127.0.0.1:80"}) {
    HttpHead head = question();
    head.origin = origin;
    CHECK(status(head) == 403);
    head = get("/");
    head.origin = origin;
    CHECK(status(head) == 403);
  }
  for (const char* const site : {"cross-site", "same-site"}) {
    HttpHead head = question();
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
    HttpHead head = get("/api/model");
    head.method = method;
    CHECK(status(head) == 405);
  }
  HttpHead head = question();
  head.content_length = 1'000'000'000;
  CHECK(status(head) == 413);
  head.content_length.reset();
  CHECK(status(head) == 411);
  head = question();
  head.content_type = "text/plain";
  CHECK(status(head) == 415);
}

TEST_CASE("without a model, a site says so", "[explore]") {
  const TemporaryDirectory training;
  training.file("config.json", "{}");
  training.file("metrics.jsonl", "");
  Explorer explorer({.directories = {training / ""}});
  CHECK(answer(explorer, get("/api/model"), "").body == "null");
  const HttpReply reply = answer(explorer, question(), R"({"source": "x"})");
  CHECK(reply.status == 503);
  CHECK_THAT(reply.body, ContainsSubstring("has no model yet"));
  CHECK_THAT(answer(explorer, get("/"), "").body, ContainsSubstring("<!DOCTYPE html>"));
}

TEST_CASE("a worker does one piece of work at a time, and only some may wait", "[explore]") {
  std::atomic<int> done = 0, running = 0, most = 0;
  std::promise<void> begun, go;
  {
    Worker worker;
    CHECK(worker.idle());
    worker.add([&] {
      begun.set_value();
      go.get_future().wait();
    });
    begun.get_future().wait();
    int accepted = 0;
    while (worker.add([&] {
      most = std::max<int>(most, ++running);
      --running;
      ++done;
    }))
      ++accepted;
    CHECK(accepted == 16);
    CHECK(done == 0);
    CHECK_FALSE(worker.idle());
    go.set_value();
    while (!worker.idle()) std::this_thread::yield();
    CHECK(done == 16);
    CHECK(most == 1);
  }
  std::promise<void> last_begun;
  bool forgotten = true;
  {
    Worker worker;
    worker.add([&] {
      last_begun.set_value();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    });
    last_begun.get_future().wait();
    worker.add([&] { forgotten = false; });
  }
  CHECK(forgotten);
}
