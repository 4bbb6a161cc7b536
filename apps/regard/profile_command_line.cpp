// The options of `regard profile`.
#include "apps/regard/options.h"

namespace regard::program {

namespace {

const std::string reading =
    "A row is an operation in one direction. Its speed is that of the resource that limits it, computing or\n"
    "memory, beside that resource's ceiling on this machine. Above 100 % of the memory's, the numbers came\n"
    "from a cache. A row's time leaves out the rows within it.\n\n";
const std::string train_example =
    "  regard profile train --preset tiny --source train.en --target train.de --trace train.json";
const std::string translate_example =
    "  regard profile translate build/model --beam 4 --trace translate.json < source.txt";

void add_trace(CLI::App& app, std::string& trace) {
  app.add_option("--trace", trace, "Also write every span to FILE, for ui.perfetto.dev or chrome://tracing")
      ->type_name("FILE");
}

void add_profile_train(CLI::App& profile, ProfileTrain& command, Action& action) {
  CLI::App* const sub = profile.add_subcommand("train", "Training steps, after those of the warm-up");
  add_training(*sub, command.training);
  add_threads(*sub, command.threads);
  add_trace(*sub, command.trace);
  sub->footer(reading + "Example:\n" + train_example);
  sub->callback([&] { action = [&] { return run(command); }; });
}

void add_profile_translate(CLI::App& profile, ProfileTranslate& command, Action& action) {
  CLI::App* const sub =
      profile.add_subcommand("translate", "Translating the lines of standard input; prints no translations");
  sub->add_option("MODEL_DIR", command.model, "What regard train wrote")->required();
  add_search(*sub, command.search);
  add_trace(*sub, command.trace);
  sub->footer(reading + "Example:\n" + translate_example);
  sub->callback([&] { action = [&] { return run(command); }; });
}

}  // namespace

void add_profile(CLI::App& app, ProfileCommands& commands, Action& action) {
  CLI::App* const profile = app.add_subcommand("profile", "Say in which operations the time goes");
  profile->require_subcommand(1);
  profile->footer(reading + "Examples:\n" + train_example + "\n" + translate_example);
  add_profile_train(*profile, commands.train, action);
  add_profile_translate(*profile, commands.translate, action);
}

}  // namespace regard::program
