// regard explore: the server.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "tests/catch.h"
#include "tests/program/support/http.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using Json = nlohmann::json;

namespace {

/// True if the program was built with a server. Warns otherwise.
bool has_server() {
#ifdef REGARD_HAS_SERVER
  return true;
#else
  WARN("skipped: there is no server; install libmicrohttpd-dev");
  return false;
#endif
}

/// A server on a free port.
class Server {
 public:
  explicit Server(const std::string& model, Words options = {})
      : running_(command(model, std::move(options))) {
    wait_until(running_, [&] { return running_.output().find("Ctrl-C") != std::string::npos; });
    const std::string link = running_.output();
    const std::size_t mark = link.find("/?token=");
    if (!link.starts_with("http://127.0.0.1:") || mark == std::string::npos)
      throw std::runtime_error("no server: " + running_.errors());
    port = std::stoi(link.substr(17));
    query = link.substr(mark + 1, link.find('\n') - mark - 1);
  }
  std::string get(const std::string& path, const std::string& headers = "") const {
    return regard::tests::get(port, path + query, headers);
  }
  std::string post(const std::string& path, const std::string& body, const std::string& headers = "") const {
    return regard::tests::post(port, path + query, body, headers);
  }
  Outcome stopped(int signal = SIGTERM) {
    running_.send(signal);
    return running_.wait();
  }
  Json ask(const std::string& request) const { return Json::parse(body_of(post("/api/translate", request))); }
  std::string translation(const std::string& sentence) const {
    return ask(Json{{"source", sentence}}.dump())["hypotheses"][0]["text"];
  }

  int port;
  std::string query;  ///< "?token=..."

 private:
  static Words command(const std::string& model, Words options) {
    options.insert(options.begin(), {"explore", model, "--port", "0"});
    return options;
  }

  Running running_;
};

std::string error_of(const std::string& reply) { return Json::parse(body_of(reply))["error"]; }

}  // namespace

TEST_CASE("explore serves the page and the data of a model", "[program]") {
  if (!has_server()) return;
  Server server(small_model(), {"--source", small_corpus().source, "--target", small_corpus().target});
  const std::string page = server.get("/");
  CHECK(status_of(page) == 200);
  CHECK_CONTAINS(page, "Content-Security-Policy: default-src 'none'; script-src 'nonce-");
  CHECK_CONTAINS(page, "frame-ancestors 'none'");
  CHECK_THAT(page, !ContainsSubstring("Access-Control-Allow-Origin"));

  const Json model = Json::parse(body_of(server.get("/api/model")));
  CHECK(model["name"] == "model");
  CHECK(model["corpus"] == true);
  CHECK(model["examples"].size() == 5);
  CHECK(server.translation("one four two") == "eins vier zwei");
  CHECK(Json::parse(body_of(server.get("/api/runs")))["runs"][0]["name"] == "model");
  const Json importance = Json::parse(body_of(server.post("/api/head_importance", "{}")));
  CHECK(importance["heads"].size() == 6);

  CHECK(status_of(server.get("/api/model", "Origin: http://evil.com\r\n")) == 403);
  const Connection renamed(server.port);
  renamed.send("GET /" + server.query + " HTTP/1.1\r\nHost: evil.com\r\n\r\n");
  CHECK(status_of(renamed.receive()) == 403);
  for (const char* const path : {"/", "/api/model", "/api/runs"}) {
    CHECK(status_of(get(server.port, path)) == 403);
    CHECK(status_of(get(server.port, path + ("?token=" + std::string(32, '0')))) == 403);
  }
  CHECK_CONTAINS(error_of(get(server.port, "/")), "open the link that regard explore has printed");
  CHECK(status_of(post(server.port, "/api/translate", R"({"source": "two"})")) == 403);
  CHECK(server.query.size() == std::string("?token=").size() + 32);
  CHECK(status_of(server.get("/%2e%2e/%2e%2e/etc/passwd")) == 404);

  const Outcome outcome = server.stopped();
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("a part of a reply cannot be asked for", "[program]") {
  if (!has_server()) return;
  const Server server(small_model());
  const std::string whole = server.get("/api/model");
  for (const char* const range : {"0-3", "5-", "-7", "4096-8191", "999999-1000010", "0-0,1000-2000000"}) {
    CAPTURE(range);
    const std::string reply = server.get("/api/model", fmt::format("Range: bytes={}\r\n", range));
    CHECK(status_of(reply) == 200);
    CHECK(body_of(reply) == body_of(whole));
  }
}

TEST_CASE("bad requests get a clear answer, and the server goes on", "[program]") {
  if (!has_server()) return;
  Server server(small_model());
  CHECK_CONTAINS(error_of(server.post("/api/translate", R"({"source")")), "not JSON");
  CHECK(status_of(server.post("/api/translate", "{\"source\": \"\xFF\"}")) == 400);
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const char* const request :
       {"{}", R"({{"source": "two", "search": {}}})", R"({{"source": "two", "heads_off": {}}})",
        R"({{"source": "two", "search": {{"beam": {}}}}})"})
    CHECK_CONTAINS(error_of(server.post("/api/translate", fmt::format(fmt::runtime(request), deep))),
                   "the request: more than 100 lists and objects inside one another");
  // {"source": "two"}, compressed
  const std::string compressed(
      "\x1F\x8B\x08\x00\x00\x00\x00\x00\x02\x03\xAB\x56\x2A\xCE\x2F\x2D\x4A\x4E\x55\xB2\x52\x50\x2A\x29\xCF"
      "\x57\xAA\x05\x00\x96\x70\x90\xD9\x11\x00\x00\x00",
      37);
  CHECK(status_of(server.post("/api/translate", compressed, "Content-Encoding: gzip\r\n")) == 400);
  CHECK_CONTAINS(error_of(server.post("/api/head_importance", "{}")), "no corpus was given");
  CHECK_CONTAINS(error_of(server.post("/api/translate", R"({"source": "two", "model": "/etc"})")),
                 "there is no model /etc to compare with");

  // A body of a gigabyte is refused before it is sent.
  const Connection large(server.port);
  large.send("POST /api/translate" + server.query +
             " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             "Content-Length: 1000000000\r\n\r\n");
  const std::string refused = large.receive();
  CHECK(status_of(refused) == 413);
  CHECK_CONTAINS(error_of(refused), "the request has 1000000000 bytes");
  const Connection chunked(server.port);
  chunked.send("POST /api/translate" + server.query +
               " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               "Transfer-Encoding: chunked\r\n\r\n");
  CHECK(status_of(chunked.receive()) == 411);
  std::string headers;
  for (int i = 0; i < 1000; ++i) headers += fmt::format("X-{}: {}\r\n", i, std::string(100, 'x'));
  CHECK(status_of(server.get("/api/model", headers)) / 100 == 4);
  const Connection garbage(server.port);
  garbage.send(std::string(10'000, '\x01') + "\r\n\r\n");
  garbage.receive();
  CHECK(server.translation("two") == "zwei");
  CHECK(server.stopped().code == 0);
}

TEST_CASE("clients that stop in the middle of a request delay nobody", "[program][long]") {
  if (!has_server()) return;
  std::array<int, 2> other{};  // sockets that the program inherits, and that are not its business
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, other.data()) == 0);
  Server server(small_model());
  std::vector<std::unique_ptr<Connection>> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(std::make_unique<Connection>(server.port));
    slow.back()->send(i % 2 == 0 ? "GET / HT"
                                 : "POST /api/translate" + server.query +
                                       " HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                       "application/json\r\nContent-Length: 100\r\n\r\n{");
  }
  CHECK(server.translation("two") == "zwei");
  // The server has not closed any of them to make room.
  CHECK(std::ranges::count_if(slow, [](const auto& connection) { return connection->has_reply(); }) == 0);
  slow.front()->receive();  // it does so after a while
  CHECK(server.stopped().code == 0);
  for (const int socket : other) ::close(socket);
}

TEST_CASE("the bodies of unfinished requests fill no memory", "[program]") {
  if (!has_server()) return;
  Server server(small_model());
  std::vector<std::unique_ptr<Connection>> unfinished;
  const std::string request = post_text("/api/translate" + server.query, std::string(12'000'000, ' '));
  for (int i = 0; i < 6; ++i) {  // 64 MiB are kept
    unfinished.push_back(std::make_unique<Connection>(server.port));
    unfinished.back()->send(request.substr(0, request.size() - 1));
  }
  CHECK(unfinished.back()->receive().empty());
  CHECK_FALSE(unfinished.front()->has_reply());
  unfinished.clear();
  CHECK(server.translation("two") == "zwei");
}

TEST_CASE("a log that is no file blocks nothing", "[program]") {
  if (!has_server()) return;
  const TemporaryDirectory directory;
  const std::string model = copy_of_small_model(directory), log = model + "/metrics.jsonl";
  Server server(model);
  std::filesystem::remove(log);
  ::mkfifo(log.c_str(), 0600);
  CHECK_CONTAINS(error_of(server.get("/api/runs")), "metrics.jsonl: this is not a regular file");
  CHECK(server.stopped().code == 0);
}

TEST_CASE("a signal ends the server although it computes", "[program]") {
  if (!has_server()) return;
  Server server(small_model());
  std::vector<std::unique_ptr<Connection>> waiting;
  for (int i = 0; i < 10; ++i) {
    waiting.push_back(std::make_unique<Connection>(server.port));
    waiting.back()->send(post_text("/api/translate" + server.query,
                                   R"({"source": "one", "search": {"min_length": 300, "beam": 6}})"));
  }
  CHECK(status_of(server.get("/")) == 200);
  CHECK(server.stopped().code == 0);
  CHECK(waiting.back()->receive().empty());
}

TEST_CASE("many requests at once are answered or refused, each of them", "[program]") {
  if (!has_server()) return;
  Server server(small_model());
  // The model computes them one by one: a head that one request switches off is on for the others.
  const std::vector<std::string> requests{
      R"({"source": "one two"})",
      R"({"source": "one two", "heads_off": [{"attention": "encoder.layers.0.self_attn", "head": 0}]})"};
  std::vector<Json> expected;
  for (const std::string& request : requests)
    expected.push_back(Json::parse(body_of(server.post("/api/translate", request)))["hypotheses"]);
  CHECK(expected[0] != expected[1]);
  std::atomic<int> translated = 0, busy = 0, other = 0;
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < 100; ++i)
    clients.emplace_back([&, i] {
      const std::string reply = server.post("/api/translate", requests[i % 2]);
      const int status = status_of(reply);
      if (status == 200 && Json::parse(body_of(reply))["hypotheses"] == expected[i % 2])
        ++translated;
      else
        ++(status == 503 ? busy : other);
    });
  for (std::thread& client : clients) client.join();
  CHECK(translated > 0);
  CHECK(translated + busy == 100);
  CHECK(server.translation("two") == "zwei");
}

TEST_CASE("a model that changes while it is shown is read again or missed", "[program]") {
  if (!has_server()) return;
  const TemporaryDirectory directory;
  const std::string model = copy_of_small_model(directory);
  Server server(model);
  CHECK(server.translation("two") == "zwei");
  const std::string weights = model + "/weights.safetensors", kept = content(weights);
  std::ofstream(weights, std::ios::binary) << kept.substr(0, kept.size() / 2);
  const std::string broken = server.post("/api/translate", R"({"source": "two"})");
  CHECK(status_of(broken) == 503);
  CHECK_CONTAINS(error_of(broken), "was changed while it was shown");
  std::filesystem::remove(weights);
  CHECK_CONTAINS(error_of(server.post("/api/translate", R"({"source": "two"})")), "has no model yet");
  CHECK(body_of(server.get("/api/model")) == "null");
  std::ofstream(weights, std::ios::binary) << kept;
  CHECK(server.translation("two") == "zwei");
  std::filesystem::remove_all(model);
  CHECK(status_of(server.post("/api/translate", R"({"source": "two"})")) == 503);
  CHECK(status_of(server.get("/")) == 200);
  CHECK(server.stopped().code == 0);
}

TEST_CASE("explore refuses what it cannot serve", "[program]") {
  if (!has_server()) return;
  const Server server(small_model());
  CHECK_REFUSED(run({"explore", small_model(), "--port", std::to_string(server.port)}),
                "another program uses port " + std::to_string(server.port));
  CHECK_REFUSED(run({"explore", small_model(), "--address", "203.0.113.1"}), "cannot listen on 203.0.113.1");
  const TemporaryDirectory directory;
  CHECK_REFUSED(run({"explore", directory / ""}), "config.json");
  CHECK_REFUSED(run({"explore", directory / "nothing"}), "there is no model directory");
  CHECK_REFUSED(run({"explore", small_model(), "--source", small_corpus().source}), "belong together");
}
