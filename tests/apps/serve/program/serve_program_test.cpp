// regard serve, asked by clients.
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/catch.h"
#include "tests/program/support/http.h"
#include "tests/program/support/small_model.h"

#if defined(REGARD_HAS_SERVER) && defined(REGARD_HAS_ICU)

using namespace regard::tests;
using Json = nlohmann::json;

namespace {

/// A server on a free port that translates number words from English into German.
class TranslateServer {
 public:
  explicit TranslateServer(const Words& options = {}, const std::string& model = "en-de=" + small_model())
      : running_(joined({"serve", model, "--port", "0"}, options)) {
    wait_until(running_, [&] { return running_.output().find('\n') != std::string::npos; });
    if (!running_.output().starts_with("http://127.0.0.1:"))
      throw std::runtime_error("no server: " + running_.errors());
    port = std::stoi(running_.output().substr(17));
  }
  std::string ask(const Json& request) const {
    return regard::tests::post(port, "/translate", request.dump());
  }
  std::string translation(const std::string& text) const {
    return Json::parse(body_of(ask({{"q", text}, {"source", "en"}, {"target", "de"}})))["translatedText"];
  }
  std::string error(const Json& request) const { return Json::parse(body_of(ask(request)))["error"]; }
  /// Resident memory, in kB.
  long memory() const {
    std::ifstream status("/proc/" + std::to_string(running_.process()) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    return 0;
  }
  void stop() { running_.send(SIGTERM); }
  Outcome ended() { return running_.wait(); }

  int port;

 private:
  Running running_;
};

const Json two{{"q", "two"}, {"source", "en"}, {"target", "de"}};

}  // namespace

TEST_CASE("serve answers in the form of LibreTranslate", "[program]") {
  TranslateServer server;
  CHECK(server.translation("one four two") == "eins vier zwei");
  CHECK(server.translation("one two\n\n  four\n") == "eins zwei\n\n  vier\n");
  CHECK(server.translation("one\r\ntwo\r\n") == "eins\r\nzwei\r\n");
  CHECK(server.translation("").empty());
  const Json list = Json::parse(
      body_of(server.ask({{"q", {"one", "", "four two"}}, {"source", "auto"}, {"target", "de"}})));
  CHECK(list["translatedText"] == Json({"eins", "", "vier zwei"}));
  CHECK(list["detectedLanguage"]["language"] == "en");
  const Connection form(server.port);
  form.send(
      "POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
      "Content-Length: 29\r\n\r\nq=one+two&source=en&target=de");
  CHECK(Json::parse(body_of(form.receive())) == Json({{"translatedText", "eins zwei"}}));
  CHECK(
      Json::parse(body_of(get(server.port, "/languages"))) ==
      Json::parse(
          R"([{"code": "de", "name": "de", "targets": []}, {"code": "en", "name": "en", "targets": ["de"]}])"));
  CHECK(Json::parse(body_of(post(server.port, "/languages", ""))).size() == 2);
  CHECK(Json::parse(body_of(get(server.port, "/health"))) == Json({{"status", "ok"}}));
  server.stop();
  const Outcome outcome = server.ended();
  CHECK(outcome.code == 0);
  CHECK_CONTAINS(outcome.err, "ends when the requests that it has are answered");
}

TEST_CASE("a model with one word for the tag of its language reads it", "[program]") {
  // The German words after one tag, and the English ones after the other.
  const TemporaryDirectory directory;
  std::string source, target;
  const Words english = lines(content(small_corpus().source)), german = lines(content(small_corpus().target));
  for (std::size_t i = 0; i < english.size(); ++i) {
    source += ">>de<< " + english[i] + "\n>>en<< " + english[i] + "\n";
    target += german[i] + "\n" + english[i] + "\n";
  }
  const std::string from = "data.source=" + directory.file("source", source);
  const std::string to = "data.target=" + directory.file("target", target);
  REQUIRE(run(train_command(directory / "model", {from, to, "data.validation_" + from.substr(5),
                                                  "data.validation_" + to.substr(5), "training.steps=300"}))
              .code == 0);
  const TranslateServer server({}, "en-de=" + directory / "model");
  CHECK(server.translation("one two") == "eins zwei");
  const TranslateServer other({}, "de-en=" + directory / "model");
  CHECK(Json::parse(body_of(other.ask(
            {{"q", "one two"}, {"source", "de"}, {"target", "en"}})))["translatedText"] == "one two");
}

TEST_CASE("serve translates HTML between its tags", "[program]") {
  const TranslateServer server;
  const Json reply = Json::parse(
      body_of(server.ask({{"q", "<ul>\n<li><b id='x'>one two</b></li><li><code>two</code></li>\n</ul>"},
                          {"source", "en"},
                          {"target", "de"},
                          {"format", "html"}})));
  CHECK(reply["translatedText"] == "<ul>\n<li><b id='x'>eins zwei</b></li><li><code>two</code></li>\n</ul>");
  std::string many;  // more than the model reads at once
  for (int i = 0; i < 500; ++i) many += "two ";
  const Json page = Json::parse(body_of(
      server.ask({{"q", "<p>" + many + "</p>"}, {"source", "en"}, {"target", "de"}, {"format", "html"}})));
  CHECK(page["translatedText"].get<std::string>().starts_with("<p>zwei zwei "));
}

TEST_CASE("serve refuses bad requests with a sentence, and goes on", "[program]") {
  TranslateServer server({"--most-characters", "1000"});
  CHECK_CONTAINS(server.error({{"q", "two"}, {"source", "en"}, {"target", "fr"}}),
                 "there is no model from the \"source\" en to the \"target\" fr");
  CHECK_CONTAINS(server.error({{"q", "two"}, {"source", "en"}}), "\"target\" is missing");
  CHECK_CONTAINS(server.error({{"q", "two"}, {"source", "en"}, {"target", "de"}, {"format", "pdf"}}),
                 "\"format\" is \"pdf\"");
  CHECK_CONTAINS(server.error({{"source", "en"}, {"target", "de"}}), "\"q\", is missing");
  CHECK(status_of(server.ask({{"q", std::string(1001, 'x')}, {"source", "en"}, {"target", "de"}})) == 413);
  CHECK(status_of(get(server.port, "/translate")) == 405);
  const Connection part_of_a_method(server.port);
  part_of_a_method.send("OS /languages HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(status_of(part_of_a_method.receive()) == 405);
  CHECK(status_of(get(server.port, "/")) == 404);
  CHECK(status_of(post(server.port, "/translate", two.dump(), "Origin: http://evil.com\r\n")) == 403);
  CHECK(status_of(post(server.port, "/translate",
                       "{\"q\": \"\xFF\", \"source\": \"en\", \"target\": \"de\"}")) == 400);
  const Connection large(server.port);
  large.send(
      "POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 50000000\r\n\r\n");
  CHECK(status_of(large.receive()) == 413);
  {  // a client that leaves in the middle of its request, and one that does not wait for the reply
    const Connection impatient(server.port), other(server.port);
    impatient.send(post_text("/translate", two.dump()).substr(0, 120));
    other.send(post_text("/translate", two.dump()));
  }
  // One text of a list that cannot be read, before and after a good one.
  const std::string good = "<p>two</p>";
  std::string deep;
  for (int i = 0; i < 301; ++i) deep += "<b>";
  for (const auto& [texts, entry] :
       {std::pair(Json{deep, good}, "entry 1 of"), {Json{good, deep}, "entry 2 of"}})
    CHECK_CONTAINS(server.error({{"q", texts}, {"source", "en"}, {"target", "de"}, {"format", "html"}}),
                   entry);
  CHECK(server.translation("two") == "zwei");
}

TEST_CASE("serve asks for the key in its file", "[program]") {
  const TemporaryDirectory directory;
  directory.file("key", "secret\n");
  const TranslateServer server({"--api-key-file", directory / "key"});
  Json request = two;
  CHECK(status_of(server.ask(request)) == 403);
  request["api_key"] = "secreT";
  CHECK(status_of(server.ask(request)) == 403);
  request["api_key"] = "secret";
  CHECK(status_of(server.ask(request)) == 200);
}

TEST_CASE("a full queue is told to come again, and a signal lets it finish", "[program]") {
  TranslateServer server({"--waiting-characters", "300"});
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "two\n";
  Json request = two;
  request["q"] = text;  // it fills the queue for a second
  const Connection first(server.port);
  first.send(post_text("/translate", request.dump()));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (int i = 0; i < 11; ++i) {
    const std::string reply = server.ask(two);
    CHECK(status_of(reply) == 503);
    CHECK_CONTAINS(reply, "Retry-After: ");
  }
  CHECK(status_of(first.receive()) == 200);
  CHECK(status_of(server.ask(two)) == 200);

  const Connection last(server.port);
  last.send(post_text("/translate", request.dump()));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  server.stop();
  CHECK(status_of(last.receive()) == 200);
  CHECK(server.ended().code == 0);
}

TEST_CASE("many clients get their own translations, and the memory stays", "[program][long]") {
  TranslateServer server;
  const Words english{"one", "two", "three", "four"}, german{"eins", "zwei", "drei", "vier"};
  const auto ask_many = [&](int client, int requests) {
    int wrong = 0;
    for (int i = 0; i < requests; ++i) {
      const std::size_t a = static_cast<std::size_t>(client + i) % 4, b = static_cast<std::size_t>(i / 4) % 4;
      wrong += server.translation(english[a] + " " + english[b]) == german[a] + " " + german[b] ? 0 : 1;
    }
    return wrong;
  };
  std::vector<int> wrong(20);
  const auto round = [&](int requests) {
    std::vector<std::thread> clients;
    for (int client = 0; client < 20; ++client)
      clients.emplace_back(
          [&, client] { wrong[static_cast<std::size_t>(client)] += ask_many(client, requests); });
    for (std::thread& client : clients) client.join();
  };
  round(20);
  const long before = server.memory();
  round(80);
  CHECK(wrong == std::vector<int>(20));
  CHECK(server.memory() < before + 4096);
}

TEST_CASE("serve refuses models and options that it cannot serve", "[program]") {
  CHECK_CONTAINS(refusal(run({"serve", small_model()})), "the languages of the model are not known");
  CHECK_CONTAINS(refusal(run({"serve", "en-de,fr=" + small_model()})), "does not know the tag >>de<<");
  CHECK_CONTAINS(refusal(run({"serve", "en-de=" + small_model(), "--address", "8.8.8.8", "--port", "0"})),
                 "cannot listen on 8.8.8.8");
  const TemporaryDirectory directory;
  directory.file("key", "a\nb\n");
  CHECK_CONTAINS(refusal(run({"serve", "en-de=" + small_model(), "--api-key-file", directory / "key"})),
                 "has one line");
  CHECK_CONTAINS(refusal(run({"serve", "en-de=" + small_model(), "--beam", "1000"})),
                 "beam is 1000, but the target vocabulary has only");
  CHECK_CONTAINS(refusal(run({"serve", "en-de=" + small_model(), "--longest-wait", "9223372037"})),
                 "is more than a day");
}

#endif
