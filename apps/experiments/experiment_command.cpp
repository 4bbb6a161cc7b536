#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <thread>

#include "apps/experiments/book/book.h"
#include "apps/experiments/jobs/jobs.h"
#include "apps/experiments/measures/job.h"
#include "apps/experiments/measures/measures.h"
#include "apps/experiments/rules/catalogue.h"
#include "apps/experiments/rules/results.h"
#include "apps/regard/command_line.h"
#include "apps/regard/stop_signals.h"
#include "apps/regard/streams.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using experiments::Experiment;

struct Options {
  experiments::RunOptions run = {
      .directory = "experiments",
      .side_by_side = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))};
  std::vector<std::string> ids;
  std::string book;
  bool list = false, measures = false;
  std::optional<Index> seeds;  ///< empty: as many as the experiment wants
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
    fmt::print("  {:<24} {}{}{}: {}\n", measure.name, measure.measurements, *measure.texts ? " " : "",
               measure.texts, measure.adds);
  return 0;
}

void check(const experiments::PlanOptions& of, const std::vector<Experiment>& list) {
  if (list.empty())
    fail("name an experiment, such as A1, a chapter, such as A, all, or a file.json; --list shows them");
  for (const Experiment& experiment : list) {
    if (!experiment.takes_corpus && (!of.corpus.empty() || !of.settings.empty()))
      fail("experiment {} has a task of its own and takes no --corpus and no --set", experiment.id);
    if (!experiment.text_of.empty() && of.corpus.empty())
      fail("experiment {} is about real text; give the directory of a corpus with --corpus", experiment.id);
  }
}

/// Shows and writes what an experiment has found.
void show(const Experiment& experiment, const experiments::Results& results,
          const experiments::RunOptions& options) {
  const std::string directory = fmt::format("{}/{}", options.directory, experiment.id);
  write_results(experiment, results, directory);
  report("\n{}  {}\n\n{}\n", experiment.id, experiment.claim, table(experiment, results));
  if (options.plan.quick)
    report("These figures mean nothing: --quick only shows that the experiment runs.\n");
  else
    report("{}: {}.\n{}", experiment.id, experiments::text(decide(experiment.rule, results)),
           reasons(experiment, results));
  report("Table and pictures are in {}, and the measurements in {}.jsonl.\n\n", directory, directory);
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
  experiments::RunOptions with = options.run;
  const experiments::PlanOptions& of = with.plan;
  check(of, experiments);
  if (with.side_by_side < 1) fail("--processes {}: give at least 1", with.side_by_side);
  with.plan.seeds = options.seeds.value_or(0);
  if (options.seeds && (of.seeds < 1 || of.seeds > experiments::most_seeds))
    fail("--seeds {}: give 1 to {}", of.seeds, experiments::most_seeds);
  if (of.first_seed < 1 || of.first_seed > experiments::most_seed)
    fail("--first-seed {}: give 1 to {}", of.first_seed, experiments::most_seed);
  const StopSignals signals("stopping; the jobs that are done are kept, and the same command goes on\n");
  double minutes = 0;
  for (const Experiment& experiment : experiments)
    minutes += of.seeds == 0 || experiment.seeds == 1 ? experiment.minutes
                                                      : experiment.minutes * static_cast<double>(of.seeds) /
                                                            static_cast<double>(experiment.seeds);
  if (!of.quick && minutes > 0)
    report("about {:.0f} min on two processors, less if jobs are shared or done\n", std::ceil(minutes));
  with.report = [](const std::string& line) { report("{}\n", line); };
  with.finished = [&](const Experiment& experiment, const experiments::Results& results) {
    show(experiment, results, with);
  };
  with.stop_wanted = [] { return StopSignals::received() != 0; };
  return run_jobs(experiments, with) ? 0 : 128 + StopSignals::received();
}

}  // namespace

void add_experiment(const Command& program) {
  const Command command =
      program.add("experiment", "Decide by an experiment what people say about attention");
  Options& options = command.runs<Options>(run);
  experiments::PlanOptions& plan = options.run.plan;
  command.option("ID", options.ids,
                 "Experiments, such as A1; chapters, such as A; all; or an experiment of yours, a file.json");
  command.option("--out", options.run.directory,
                 "Directory for the results; an interrupted experiment goes on there", show_default);
  command.option("--seeds", options.seeds, "Number of seeds; default: 8, or 1 if nothing is random");
  command.option("--first-seed", plan.first_seed,
                 "The first seed; 101 for seeds that nobody has seen. Each draws data, weights and order",
                 show_default);
  command.option(
      "--keep-models", options.run.keep_models,
      "Keep the trained models in models, for regard explore and for measures that are added later");
  command.option("--quick", plan.quick,
                 "A few steps on a few sentences, to see that everything runs; the figures mean nothing");
  command.option("--corpus", plan.corpus,
                 "A corpus instead of the toy: a directory with train.source, train.target, and the same for "
                 "validation and test");
  command.option(
      "--set", plan.settings,
      "Replace a setting of all trainings, such as training.steps=4000; may be given several times",
      {.value_name = "KEY=VALUE"});
  command.option("--processes", options.run.side_by_side,
                 "Trainings side by side, each on one thread; default: the number of processors");
  command.option("--list", options.list,
                 "Show all experiments with the minutes that they take on two processors", {.alone = true});
  command.option("--measures", options.measures, "Show what an experiment can measure", {.alone = true});
  command.option("--book", options.book,
                 "Make the text and the pictures of the book again from the results beside it",
                 {.alone = true, .value_name = "README.md"});
  command.footer(
      "An experiment trains some models, measures, and ends with a verdict. ID.jsonl has a line for each\n"
      "finished job, ID/table.md and ID/figures.svg the results. The same command goes on with the jobs "
      "that\n"
      "are left. A job that several experiments need runs once.\n\n"
      "Examples:\n"
      "  regard experiment --list\n"
      "  regard experiment C1\n"
      "  regard experiment A4 --seeds 3 --out my-experiments\n"
      "  regard experiment A4 --first-seed 101\n"
      "  regard experiment mine.json --quick");
}

}  // namespace regard::program
