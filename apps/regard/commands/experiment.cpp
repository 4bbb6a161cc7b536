#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <thread>

#include "apps/experiments/book.h"
#include "apps/experiments/catalogue.h"
#include "apps/experiments/jobs.h"
#include "apps/experiments/measures.h"
#include "apps/experiments/results.h"
#include "apps/regard/commands.h"
#include "apps/regard/stop_signals.h"
#include "apps/regard/streams.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using experiments::Experiment;

struct Options {
  std::vector<std::string> ids, settings;
  std::string out = "experiments", corpus, book;
  Index seeds = 0;
  std::optional<int> processes;
  bool list = false, measures = false, quick = false;
};

int list() {
  for (const experiments::Chapter& chapter : experiments::chapters()) {
    fmt::print("{}. {}\n", chapter.letter, chapter.title);
    for (const Experiment& experiment : experiments::all_experiments())
      if (experiment.id[0] == chapter.letter)
        fmt::print("  {:<3} {:>3.0f} min  {}\n", experiment.id, std::ceil(experiment.minutes),
                   experiment.claim);
  }
  return 0;
}

int list_measures() {
  for (const experiments::Measure& measure : experiments::all_measures())
    fmt::print("  {:<22} {}\n", measure.name, measure.adds);
  return 0;
}

void check(const Options& options, const std::vector<Experiment>& list) {
  if (list.empty())
    fail("name an experiment, such as A1, a chapter, such as A, all, or a file.json; --list shows them");
  for (const Experiment& experiment : list)
    if (!experiment.takes_corpus && (!options.corpus.empty() || !options.settings.empty()))
      fail("experiment {} has a task of its own and takes no --corpus and no --set", experiment.id);
}

/// Runs one experiment. False if it was stopped.
bool run_one(const Experiment& experiment, const Options& options, int side_by_side) {
  const std::string directory = fmt::format("{}/{}", options.out, experiment.id);
  const double share = experiment.seeds == 1 || options.seeds == 0
                           ? 1
                           : static_cast<double>(options.seeds) / static_cast<double>(experiment.seeds);
  report("{}  {}\n", experiment.id, experiment.claim);
  if (!options.quick && experiment.minutes > 0)
    report("{}  about {:.0f} min on two processors\n", experiment.id, std::ceil(experiment.minutes * share));
  const experiments::Results results =
      run_jobs(experiment, {.directory = directory + "/jobs",
                            .seeds = options.quick ? 1 : options.seeds,
                            .quick = options.quick,
                            .corpus = options.corpus,
                            .settings = options.settings,
                            .side_by_side = side_by_side,
                            .report = [](const std::string& line) { report("{}\n", line); },
                            .stop_wanted = [] { return StopSignals::received() != 0; }});
  if (results.variants.empty()) return false;
  write_results(experiment, results, directory);
  report("\n{}\n", table(experiment, results));
  if (options.quick)
    report("These figures mean nothing: --quick only shows that the experiment runs.\n");
  else
    report("{}: {}.\n{}", experiment.id, to_string(decide(experiment.rule, results).verdict),
           reasons(experiment, results));
  report("Results, table and pictures are in {}.\n\n", directory);
  return true;
}

int run(const Options& options) {
  if (options.list) return list();
  if (options.measures) return list_measures();
  if (!options.book.empty()) {
    complete_before_stopping([&] { experiments::write_book(options.book); });
    report("{} has the results beside it\n", options.book);
    return 0;
  }
  std::vector<Experiment> experiments;
  for (const std::string& id : options.ids)
    std::ranges::move(experiments::find_experiments(id), std::back_inserter(experiments));
  check(options, experiments);
  const int side_by_side =
      options.processes.value_or(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  if (side_by_side < 1) fail("--processes {}: give at least 1", side_by_side);
  if (options.seeds < 0 || options.seeds > experiments::most_seeds)
    fail("--seeds {}: give 1 to {}", options.seeds, experiments::most_seeds);
  const StopSignals signals("stopping; the jobs that are done are kept, and the same command goes on\n");
  for (const Experiment& experiment : experiments)
    if (!run_one(experiment, options, side_by_side)) return 128 + StopSignals::received();
  return 0;
}

}  // namespace

void add_experiment(const Command& program) {
  const Command command =
      program.add("experiment", "Decide by an experiment what people say about attention");
  Options& options = command.runs<Options>(run);
  command.option("ID", options.ids,
                 "Experiments, such as A1; chapters, such as A; all; or an experiment of yours, a file.json");
  command.option("--list", options.list,
                 "Show all experiments with the minutes that they take on two processors");
  command.option("--measures", options.measures, "Show what an experiment can measure");
  command.option("--out", options.out, "Directory for the results; an interrupted experiment goes on there",
                 show_default);
  command.option("--seeds", options.seeds, "Number of seeds; default: 3, or 1 if nothing is random");
  command.option("--quick", options.quick,
                 "A few steps on a few sentences, to see that everything runs; the figures mean nothing");
  command.option("--corpus", options.corpus,
                 "A corpus instead of the toy: a directory with train.source, train.target, and the same for "
                 "validation and test");
  command.option(
      "--set", options.settings,
      "Replace a setting of all trainings, such as training.steps=4000; may be given several times",
      {.value_name = "KEY=VALUE"});
  command.option("--processes", options.processes,
                 "Trainings side by side, each on one thread; default: the number of processors");
  command.option("--book", options.book,
                 "Make the text and the pictures of the book again from the results beside it",
                 {.value_name = "README.md"});
  command.footer(
      "An experiment trains some models, measures, and ends with a verdict. Its directory has results.json,\n"
      "table.md, figures.svg, and the trained models.\n\n"
      "Examples:\n"
      "  regard experiment --list\n"
      "  regard experiment C1\n"
      "  regard experiment A4 --seeds 5 --out my-experiments\n"
      "  regard experiment mine.json --quick");
}

}  // namespace regard::program
