// What the worker calls: one function, with a name and JSON.
#include <emscripten/emscripten.h>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/playground/engine/engine.h"
#include "autograd/machine/error.h"

namespace regard::playground { namespace {

Json answer(std::unique_ptr<Engine>& engine, const std::string& name, const Json& body) {
  if (name == "make") {
    engine.reset();  // its memory is for the next
    engine = std::make_unique<Engine>(body);
    return engine->about();
  }
  if (!engine) fail("there is no model yet; make one first");
  if (name == "train") return engine->train(body["milliseconds"], body["until"]);
  if (name == "test") return engine->test();
  if (name == "measure") return engine->measure(body["milliseconds"]);
  if (name == "translate") return engine->translate(body);
  if (name == "number") return engine->number(body);
  if (name == "token") return engine->token(body);
  if (name == "files") return engine->files();
  if (name == "set") return engine->set(body), Json::object();
  fail("the engine has no function \"{}\"", name);
}

std::string reply_to(const std::string& name, const std::string& body) {
  static std::unique_ptr<Engine> engine;
  try {
    return Json{{"reply", answer(engine, name, Json::parse(body))}}.dump();
  } catch (const std::bad_alloc&) {
    return Json{{"error", "the memory is full; choose a smaller model or smaller batches"}}.dump();
  } catch (const std::exception& error) {
    return Json{{"error", error.what()}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace
}  // namespace regard::playground

/// Answers a call. The text is valid until the next call.
extern "C" EMSCRIPTEN_KEEPALIVE const char* regard_call(const char* name, const char* body) {
  static std::string text;
  text = regard::playground::reply_to(name, body);
  return text.c_str();
}
