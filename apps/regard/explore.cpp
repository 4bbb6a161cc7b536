#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/explore/replies.h"
#include "apps/regard/commands.h"
#include "apps/regard/shared_options.h"

namespace regard::program {

namespace {

struct Explore {
  std::string model, weights, request;
};

int run(const Explore& settings) {
  translation::TranslationModel model = translation::TranslationModel::load(settings.model, settings.weights);
  if (settings.request.empty())
    std::cout << explore::model_reply(model, settings.model, nullptr).dump() << '\n';
  else
    std::cout << explore::translate_reply(model, translation::parse_json(settings.request, "request")).dump()
              << '\n';
  return 0;
}

}  // namespace

void add_explore(const Command& program) {
  const auto explore = std::make_shared<Explore>();
  const Command command = program.add("explore", "Show attention, search and training in the browser");
  command.option("MODEL_DIR", explore->model, "Directory that regard train wrote").required();
  add_weights(command, explore->weights);
  command.option("--request", explore->request, "temporary");
  command.action([explore] { return run(*explore); });
}

}  // namespace regard::program
