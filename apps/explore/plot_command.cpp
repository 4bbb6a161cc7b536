#include <algorithm>
#include <fmt/format.h>

#include "apps/explore/curves.h"
#include "apps/explore/runs.h"
#include "apps/regard/command_line.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

struct Plot {
  std::vector<std::string> runs, lengths;
  std::string output;
};

/// Throws Error if the image would get the name of another kind of file. /dev/stdout and the like are fine.
void check_is_svg(const std::string& output) {
  if (!output.ends_with(".svg") && !output.starts_with("/dev/"))
    fail("--output {}: regard plot writes SVG; give a name that ends in .svg", output);
}

int run_lengths(const Plot& plot) {
  const OutputFiles output({{"--output", plot.output}}, plot.lengths);
  check_is_svg(plot.output);
  const std::string image = explore::length_curves_svg(explore::read_length_scores(plot.lengths));
  output.write({{plot.output, {image}}});
  report("{} written to {}\n", translation::counted(to_index(plot.lengths.size()), "model"), plot.output);
  return 0;
}

int run(const Plot& plot) {
  if (!plot.lengths.empty()) return run_lengths(plot);
  if (plot.runs.empty())
    fail("give the directories of trainings, or --lengths and files of scores; see regard plot --help");
  std::vector<std::string> logs;
  for (const std::string& directory : plot.runs)
    logs.push_back(translation::ModelDirectory(directory).metrics());
  const OutputFiles output({{"--output", plot.output}}, logs);
  check_is_svg(plot.output);
  const std::vector<explore::TrainingRun> runs = explore::read_runs(plot.runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!translation::path_exists(logs[i]))
      fail("{} is missing; give a directory that regard train has written", logs[i]);
    if (runs[i].points.at("step").empty() && runs[i].validations.at("step").empty())
      fail(
          "{}: there is no complete line in this log; regard train writes it into the directory of its model",
          logs[i]);
  }
  const std::string image = explore::curves_svg(runs);
  output.write({{plot.output, {image}}});
  report("{} written to {}\n", translation::counted(to_index(runs.size()), "training"), plot.output);
  return 0;
}

}  // namespace

void add_plot(const Command& program) {
  const Command command =
      program.add("plot", "Draw the learning curves of trainings into an SVG image, or quality by length");
  Plot& plot = command.runs<Plot>(run);
  command.option("RUN", plot.runs, "Directories that regard train wrote; the training may still run");
  command.option(
      "--lengths", plot.lengths,
      "Draw BLEU and exact match by the length of the reference instead, a curve per file; the files "
      "that regard evaluate --scores-json wrote",
      {.several = true, .excludes = {"RUN"}, .value_name = "JSON"});
  command.option("--output", plot.output, "File to write the image to; its name ends in .svg", required);
  command.footer(
      "Each training is one curve, in small plots of training loss, validation loss, BLEU, learning rate, "
      "gradient norm and tokens/s.\n\n"
      "Examples:\n"
      "  regard plot build/model build/other --output curves.svg\n"
      "  regard plot --lengths model.json other.json --output lengths.svg");
}

}  // namespace regard::program
