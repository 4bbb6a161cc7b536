// All options of all subcommands but those in the other files called *_command_line.cpp, and nothing else:
// these files alone know the command-line library.
#include "apps/regard/command_line.h"

#include <cctype>
#include <fmt/ranges.h>
#include <iostream>

#include "apps/regard/options.h"
#include "apps/toys/toys.h"
#include "autograd/error.h"

namespace regard::program {

void add_threads(CLI::App& app, std::optional<int>& threads) {
  app.add_option("--threads", threads, "Threads to compute with; default: all processors");
}

void add_weights(CLI::App& app, std::string& weights) {
  app.add_option("--weights", weights,
                 "These weights instead of the directory's own: a checkpoint, or what regard average wrote");
}

void add_training(CLI::App& app, bench::TrainingSettings& settings) {
  app.add_option("--preset", settings.preset, "toy, tiny or base")->capture_default_str();
  app.add_option("--source", settings.source, "Sentences, one a line, words between blanks")->required();
  app.add_option("--target", settings.target, "Their translations")->required();
  app.add_option("--batches", settings.batches,
                 "A JSON list of line numbers (from 0) on each line: the batches; default: our own");
  app.add_option("--batch-tokens", settings.batch_tokens, "Size of our own batches")->capture_default_str();
  app.add_option("--steps", settings.steps, "Steps to measure")->capture_default_str();
  app.add_option("--warmup-steps", settings.warmup_steps, "Steps before them")->capture_default_str();
  app.add_option("--dropout", settings.dropout, "All four dropout rates")->capture_default_str();
  app.add_flag_callback(
      "--no-final-norm", [&settings] { settings.final_norm = false; },
      "Without the LayerNorm after the last layers");
}

namespace {

void add_train(CLI::App& app, Train& command, Action& action) {
  CLI::App* const sub = app.add_subcommand("train", "Train a translator");
  sub->add_option("CONFIG", command.config, "Configuration file (JSON); see --print-config");
  sub->add_option("--set", command.overrides,
                  "Replace a setting: training.steps=2000; may be given many times")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  sub->add_option("--out", command.out, "Model directory to write; a training that is there already goes on")
      ->type_name("MODEL_DIR");
  sub->add_flag("--overwrite", command.overwrite, "Begin anew, whatever is in MODEL_DIR");
  sub->add_flag("--print-config", command.print_config,
                "Print all settings, their defaults and meanings; with CONFIG, those of this training");
  sub->footer(
      "Examples:\n"
      "  regard toy sentences --out build/toy\n"
      "  regard train apps/configs/sentences.json --out build/model\n"
      "  regard train apps/configs/multi30k-tiny.json --set data.source=train.en --set data.target=train.de "
      "\\\n"
      "      --set training.epochs=1 --out build/multi30k\n"
      "  regard train --print-config > my.json");
  sub->callback([&] { action = [&] { return run(command); }; });
}

void add_inspect(CLI::App& app, Inspect& command, Action& action) {
  CLI::App* const sub = app.add_subcommand("inspect", "Show a model's configuration and parameters");
  sub->add_option("MODEL_DIR", command.model, "What regard train wrote")->required();
  sub->footer("Example:\n  regard inspect build/model");
  sub->callback([&] { action = [&] { return run(command); }; });
}

void add_average(CLI::App& app, Average& command, Action& action) {
  CLI::App* const sub = app.add_subcommand("average", "Write the mean of the weights in some files");
  sub->add_option("WEIGHTS", command.weights, "Files of one model, such as MODEL_DIR/checkpoints/*")
      ->required();
  sub->add_option("--output", command.output, "File to write the mean to")->required();
  sub->footer(
      "Example:\n"
      "  regard average build/model/checkpoints/*.safetensors --output mean.safetensors\n"
      "  regard evaluate build/model --weights mean.safetensors --source test.source --reference "
      "test.target");
  sub->callback([&] { action = [&] { return run(command); }; });
}

void add_toy(CLI::App& app, Toy& command, Action& action) {
  CLI::App* const sub = app.add_subcommand("toy", "Make a toy corpus");
  std::string names = "Toys:\n";
  for (const toys::ToyDescription& toy : toys::all_toys())
    names += "  " + toy.name + std::string(12 - std::min<std::size_t>(toy.name.size(), 11), ' ') +
             toy.summary + "\n";
  sub->add_option("NAME", command.name, "Which toy")->required();
  sub->add_option("--out", command.out, "Directory to write train, validation and test files to")->required();
  sub->add_option("--seed", command.seed, "Another seed, another corpus")
      ->capture_default_str()
      ->check(not_negative);
  sub->add_option("--train", command.train, "Sentence pairs to train on; default: enough for this toy")
      ->check(not_negative);
  sub->add_option("--validation", command.validation, "Sentence pairs to validate with")->check(not_negative);
  sub->add_option("--test", command.test, "Sentence pairs to test with")->check(not_negative);
  sub->footer(names + "\nExample:\n  regard toy sentences --out build/toy");
  sub->callback([&] { action = [&] { return run(command); }; });
}

void add_gradcheck(CLI::App& app, Gradcheck& command, Action& action) {
  CLI::App* const sub = app.add_subcommand(
      "gradcheck",
      "Compare every gradient with central differences in double precision; exit code 1 above 1e-7");
  sub->footer("Example:\n  regard gradcheck");
  sub->callback([&] { action = [&] { return run(command); }; });
}

std::vector<std::string> names(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> result;
  for (const CLI::App* command : commands) result.push_back(command->get_name());
  return result;
}

/// Throws Error saying what is wrong with the line, in one sentence.
[[noreturn]] void fail_to_parse(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::string line = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    line += " " + command->get_name();
  }
  const auto subcommands = command->get_subcommands([](const CLI::App*) { return true; });
  std::string reason = error.what();
  if (!subcommands.empty() && !command->remaining().empty())
    reason = fmt::format("there is no command {}; give one of {}", command->remaining().front(),
                         fmt::join(names(subcommands), ", "));
  else if (reason.size() > 1 && (reason[1] == ' ' || std::islower(static_cast<unsigned char>(reason[1]))))
    reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  fail("{}; see {} --help", reason, line);
}

/// An empty value is most often a variable of a script that was never set; none of our options wants one.
void refuse_empty_values(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options())
      for (const std::string& value : option->results())
        if (value.empty()) fail("{} was given an empty value; leave it out or give one", option->get_name());
    refuse_empty_values(*command);
  }
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  CLI::App app("regard: the Transformer, from the autograd up", "regard");
  app.require_subcommand(1);
  app.footer("regard COMMAND --help explains each command, with examples.");
  Action action;
  Train train;
  Translate translate;
  Score score;
  Evaluate evaluate;
  Inspect inspect;
  Average average;
  Vocabulary vocabulary;
  Toy toy;
  Gradcheck gradcheck;
  BenchCommands bench;
  ProfileCommands profile;
  add_train(app, train, action);
  add_translate(app, translate, action);
  add_score(app, score, action);
  add_evaluate(app, evaluate, action);
  add_inspect(app, inspect, action);
  add_average(app, average, action);
  add_vocabulary(app, vocabulary, action);
  add_toy(app, toy, action);
  add_gradcheck(app, gradcheck, action);
  add_bench(app, bench, action);
  add_profile(app, profile, action);
  app.add_flag_callback(
      "--version",
      [&] {
        std::cout << version();
        throw CLI::Success();
      },
      "Version, instruction set, OpenBLAS kernels, threads and their speed");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) fail_to_parse(app, error);
    return app.exit(error);  // --help or --version
  }
  refuse_empty_values(app);
  return action();
}

}  // namespace regard::program
