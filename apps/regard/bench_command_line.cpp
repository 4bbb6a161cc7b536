// The options of `regard bench`.
#include "apps/regard/options.h"

namespace regard::program {

namespace {

void add_bench_train(CLI::App& bench, BenchTrain& command, Action& action) {
  CLI::App* const sub = bench.add_subcommand(
      "train", "Training steps, beside the time of their matrix products alone (the floor)");
  add_training(*sub, command.training);
  add_threads(*sub, command.threads);
  sub->footer(
      "Example:\n"
      "  regard bench train --preset tiny --source train.en --target train.de --steps 20 --threads 2");
  sub->callback([&] { action = [&] { return run(command); }; });
}

void add_bench_translate(CLI::App& bench, BenchTranslate& command, Action& action) {
  CLI::App* const sub =
      bench.add_subcommand("translate", "Translation of a file with a model that is loaded already");
  bench::TranslateBench& settings = command.bench;
  sub->add_option("MODEL_DIR", command.model, "What regard train wrote")->required();
  sub->add_option("--source", settings.source, "Sentences, one a line")->required();
  sub->add_option("--output", settings.output, "File to write the translations to; default: none");
  sub->add_flag("--one-at-a-time", settings.one_at_a_time,
                "Each sentence alone, and the milliseconds until it is there");
  sub->add_option("--batch-tokens", command.batch_tokens,
                  "Source tokens searched together, with a beam of up to 8")
      ->capture_default_str();
  sub->add_option("--runs", settings.runs, "Translate the file so many times and take the median")
      ->capture_default_str();
  add_search(*sub, command.search);
  sub->footer(
      "Examples:\n"
      "  regard bench translate build/model --source build/toy/test.source --beam 5 --threads 2\n"
      "  regard bench translate build/model --source build/toy/test.source --beam 1 --one-at-a-time");
  sub->callback([&] { action = [&] { return run(command); }; });
}

void add_bench_long(CLI::App& bench, BenchLong& command, Action& action) {
  CLI::App* const sub = bench.add_subcommand(
      "long", "One encoder layer, forward and backward, on ever longer sentences: time and memory");
  sub->add_option("--preset", command.bench.preset, "toy, tiny or base")->capture_default_str();
  sub->add_option("--max-length", command.bench.max_length, "The lengths are 128, 256, ... up to this")
      ->capture_default_str();
  sub->add_option("--seconds", command.bench.seconds, "Repeat each length for so long, at least")
      ->capture_default_str();
  add_threads(*sub, command.threads);
  sub->footer("Example:\n  regard bench long --max-length 2048 --threads 2");
  sub->callback([&] { action = [&] { return run(command); }; });
}

void add_bench_kernels(CLI::App& bench, BenchKernels& command, Action& action) {
  CLI::App* const sub = bench.add_subcommand("kernels", "Each kernel alone, on sizes that training meets");
  sub->add_option("--seconds", command.bench.seconds, "Repeat each kernel for so long, at least")
      ->capture_default_str();
  add_threads(*sub, command.threads);
  sub->footer("Example:\n  regard bench kernels --threads 2");
  sub->callback([&] { action = [&] { return run(command); }; });
}

}  // namespace

void add_bench(CLI::App& app, BenchCommands& commands, Action& action) {
  CLI::App* const bench = app.add_subcommand("bench", "Measure speed");
  bench->require_subcommand(1);
  bench->footer(
      "Examples:\n"
      "  regard bench train --preset tiny --source train.en --target train.de --steps 20 --threads 2\n"
      "  regard bench translate build/model --source build/toy/test.source --beam 5\n"
      "  regard bench long\n"
      "  regard bench kernels");
  add_bench_train(*bench, commands.train, action);
  add_bench_translate(*bench, commands.translate, action);
  add_bench_long(*bench, commands.long_sentence, action);
  add_bench_kernels(*bench, commands.kernels, action);
}

}  // namespace regard::program
