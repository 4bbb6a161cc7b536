#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "apps/regard/command_line.h"
#include "apps/regard/options.h"
#include "apps/regard/stop_signals.h"
#include "apps/regard/streams.h"
#include "apps/serve/site.h"
#include "apps/translation/files/files.h"

namespace regard::program {

namespace {

struct Serve {
  std::vector<std::string> models;
  ModelOptions loading;
  Search search;
  std::string address = "127.0.0.1", key_file;
  std::optional<std::uint16_t> port;
  Index most_characters = 20'000, waiting_characters = 1'000'000, longest_wait = 60;
};

constexpr int usual_port = 5000;                                 // LibreTranslate's
constexpr Index most_seconds = 86'400, most_bytes = 10'000'000;  // an accepted body has at most 64 MiB

/// True if the model has one word for the tag of a language: it was trained for several.
bool has_tag(const translation::Translator& translator, const std::string& target) {
  const translation::Translator::Source source = translator.read(">>" + target + "<<");
  return source.tokens.size() == 1 && source.unknown_words.empty();
}

/// Loads a model. Throws Error if it cannot translate text into each of its languages.
serve::Model load(const serve::Served& served, const Serve& settings) {
  ModelOptions loading = settings.loading;
  loading.directory = served.directory;
  auto translator = std::make_shared<translation::Translator>(
      translation::Translator::load(served.directory, load_options(loading, settings.search)));
  translation::TranslationModel& model = translator->model();
  if (model.settings.model.reads_files())
    fail("{} reads images; regard serve translates text", served.directory);
  const bool has_tags =
      served.targets.size() > 1 || (model.tokeniser && has_tag(*translator, served.targets.front()));
  for (const std::string& target : served.targets)
    if (has_tags && (!model.tokeniser || translator->read(">>" + target + "<<").unknown_words.size() > 0))
      fail("{} does not know the tag >>{}<<, which would say that it translates into {}", served.directory,
           target, target);
  const transformer::SearchOptions options = search_options(settings.search, model);
  translator->translate_sources({}, options);  // throws if the model cannot search like this
  return {served, std::move(translator), options, has_tags};
}

/// The key in a file: on the command line, other users of the machine could read it.
std::string key_in(const std::string& path) {
  if (path.empty()) return "";
  const std::vector<std::string> lines = translation::read_lines(path);
  if (lines.size() != 1 || lines[0].empty()) fail("{}: a file of a key has one line, the key", path);
  return lines[0];
}

int run(const Serve& settings) {
  if (settings.longest_wait > most_seconds)
    fail("--longest-wait {} is more than a day; give at most {}", settings.longest_wait, most_seconds);
  if (settings.most_characters > most_bytes)
    fail("--most-characters {} is too large; give at most {}", settings.most_characters, most_bytes);
  std::vector<serve::Model> models;
  for (const std::string& model : settings.models)
    models.push_back(load(serve::read_served(model), settings));
  serve::TranslateSite site(models, {.api_key = key_in(settings.key_file),
                                     .most_characters = to_size(settings.most_characters),
                                     .queue = {.characters = to_size(settings.waiting_characters),
                                               .longest_wait = std::chrono::seconds(settings.longest_wait)}});
  const StopSignals signals("regard serve ends when the requests that it has are answered\n");
  const auto listens = [&](int port) {
    const bool is_ipv6 = settings.address.find(':') != std::string::npos;
    fmt::print("http://{}:{}\n", is_ipv6 ? "[" + settings.address + "]" : settings.address, port);
    flush_output();
  };
  const int port = settings.port.value_or(usual_port);
  http::serve(site, {.address = settings.address,
                     .first_port = port,
                     .last_port = port,
                     .listens = listens,
                     .stop = [] { return StopSignals::received() != 0; },
                     .at_stop = http::AtStop::finish});
  return 0;
}

}  // namespace

void add_serve(const Command& program) {
  const Command command =
      program.add("serve", "Translate for others over HTTP, in the form of LibreTranslate");
  Serve& serve = command.runs<Serve>(run);
  command.option(
      "MODELS", serve.models,
      "Models with their languages, as in en-fr=build/model or, for a model that reads tags such as >>fr<<, "
      "en-fr,ko=build/model; a directory with a name such as en-fr needs nothing before it",
      required);
  const Command network = command.group("The server");
  network.option("--address", serve.address,
                 "Address to listen on; others than 127.0.0.1 let other computers in", show_default);
  network.option("--port", serve.port,
                 fmt::format("Port to listen on; 0: any free one. Without this option: {}", usual_port));
  network.option("--api-key-file", serve.key_file,
                 "File with one line: the \"api_key\" that a request needs. Without it, everybody may ask");
  network.option("--most-characters", serve.most_characters, "Longest text of a request, in bytes",
                 {.show_default = true, .least = 1});
  network.option("--waiting-characters", serve.waiting_characters,
                 "Texts that wait, in bytes; further requests are refused with status 503",
                 {.show_default = true, .least = 1});
  network.option("--longest-wait", serve.longest_wait,
                 "Seconds after which a request is given up whose turn has not come",
                 {.show_default = true, .least = 1});
  add_model_options(command, serve.loading);
  add_search(command.group("The search"), serve.search);
  command.footer(
      "Each line of a text is cut into sentences. SIGTERM and Ctrl-C finish what waits.\n"
      "Examples:\n"
      "  regard serve en-fr,ko=build/model\n"
      "  curl -d q='the old farmer bought a red car' -d source=en -d target=fr "
      "http://127.0.0.1:5000/translate");
}

}  // namespace regard::program
