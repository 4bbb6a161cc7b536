#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/explore/explorer.h"
#include "apps/explore/site.h"
#include "apps/images/base64.h"
#include "apps/regard/command_line.h"
#include "apps/regard/options.h"
#include "apps/regard/stop_signals.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"

namespace regard::program {

namespace {

using translation::Json;

struct Explore {
  ModelOptions loading;
  std::vector<std::string> directories;
  std::string source, target;
  std::string address = "127.0.0.1";
  std::optional<std::uint16_t> port;
  std::string output, sentence, image;
  Selections selections;
  std::optional<int> threads;
};

constexpr int first_port = 8642, ports_to_try = 100;

int serve_page(explore::Explorer& explorer, const Explore& settings) {
  const StopSignals signals("");
  if (settings.address != "127.0.0.1" && settings.address != "::1" && settings.address != "localhost")
    translation::remark(
        "other computers can open this page if they know its link, which travels over the network as plain "
        "text");
  const bool is_ipv6 = settings.address.find(':') != std::string::npos;
  const std::string token = http::new_secret();
  const auto print_link = [&](int port) {
    fmt::print("http://{}:{}/?token={}\nOpen this link in a browser. Ctrl-C ends the program.\n",
               is_ipv6 ? "[" + settings.address + "]" : settings.address, port, token);
    flush_output();
  };
  const auto given = static_cast<int>(settings.port.value_or(first_port));
  explore::PageSite site(explorer, settings.address, token);
  http::serve(site, {.address = settings.address,
                     .first_port = given,
                     .last_port = settings.port ? given : first_port + ports_to_try - 1,
                     .listens = print_link,
                     .stop = [] { return StopSignals::received() != 0; }});
  return 0;
}

/// The same page with all its data, as one file.
void write_page(explore::Explorer& explorer, const Explore& settings) {
  Json request;
  if (!settings.sentence.empty()) request = {{"source", settings.sentence}};
  if (!settings.image.empty()) request = {{"image", images::base64(read_file(settings.image))}};
  std::vector<std::string> inputs = settings.directories;
  inputs.insert(inputs.end(), {settings.image, settings.source, settings.target, settings.loading.weights});
  const OutputFiles output({{"--output", settings.output}}, inputs);
  Json data = explorer.runs();
  data["model"] = explorer.model();
  if (data["model"].is_object()) data["model"].erase("examples");  // they belong to the user's corpus
  data["translation"] = nullptr;
  if (!request.is_null()) data["translation"] = explorer.translate(request);
  if (!settings.sentence.empty()) data["request"] = request;  // the translation of an image holds the image
  const std::string page = explore::saved_page(data);
  output.write({{settings.output, {page}}});
}

int run(const Explore& settings) {
  set_given_threads(settings.threads);
  if (settings.source.empty() != settings.target.empty())
    fail("--source and --target belong together; give both or none");
  translation::LoadOptions loading = load_options(settings.loading);
  loading.selection = chosen(settings.selections);
  explore::Explorer explorer({.directories = settings.directories,
                              .loading = loading,
                              .source = settings.source,
                              .target = settings.target});
  if (settings.output.empty()) return serve_page(explorer, settings);
  write_page(explorer, settings);
  return 0;
}

}  // namespace

void add_explore(const Command& program) {
  const Command command =
      program.add("explore", "Show attention, search and learning curves on a page in the browser");
  Explore& explore = command.runs<Explore>(run);
  command.option(
      "MODEL_DIR", explore.directories,
      "Directories that regard train wrote. The page shows the model of the first one, beside it one "
      "of the others or of the checkpoints, and the learning curves of all; a training may still run",
      required);
  add_model_options(command, explore.loading);
  add_selections(command, explore.selections);
  command.option(
      "--source", explore.source,
      "Sentences of a corpus, one per line, or the paths of images; the page can rank the heads on it");
  command.option("--target", explore.target, "Their translations, one per line");
  command.option("--address", explore.address,
                 "Address to listen on; others than 127.0.0.1 let other computers in", show_default);
  command.option("--port", explore.port,
                 "Port to listen on; 0: any free one. Without this option: 8642 or the next free one");
  command.option("--output", explore.output,
                 "Write the page with its data into this file, which needs no server, and end",
                 {.excludes = {"--address", "--port"}});
  const Command in_file = command.only_with("--output");
  in_file.option("--sentence", explore.sentence, "Sentence that the page in the file shows");
  in_file.option("--image", explore.image, "The same for a model that reads images: a file in PNG or JPEG",
                 {.excludes = {"--sentence"}});
  add_threads(command, explore.threads);
  command.footer(
      "The page opens only with the link that is printed. It needs nothing from the network.\n"
      "Examples:\n"
      "  regard explore build/model\n"
      "  regard explore build/model build/other --source build/toy/test.source --target "
      "build/toy/test.target\n"
      "  regard explore build/model --sentence \"my sister reads a book\" --output page.html");
}

}  // namespace regard::program
