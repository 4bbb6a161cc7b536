#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "apps/explore/curves.h"
#include "apps/explore/runs.h"
#include "apps/regard/commands.h"
#include "apps/regard/streams.h"
#include "apps/translation/model/model_directory.h"
#include "autograd/error.h"

namespace regard::program {

namespace {

struct Plot {
  std::vector<std::string> runs;
  std::string output;
};

int run(const Plot& plot) {
  std::vector<std::string> logs;
  for (const std::string& directory : plot.runs)
    logs.push_back(translation::ModelDirectory(directory).metrics());
  const OutputFile output("--output", plot.output, logs);
  const std::vector<explore::TrainingRun> runs = explore::read_runs(plot.runs);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].points.at("step").empty() && runs[i].validations.at("step").empty())
      fail(
          "{}: there is no complete line in this log; regard train writes it into the directory of its model",
          logs[i]);
  output.write(explore::curves_svg(runs));
  fmt::print("{} {} written to {}\n", runs.size(), runs.size() == 1 ? "training" : "trainings", plot.output);
  return 0;
}

}  // namespace

void add_plot(const Command& program) {
  const auto plot = std::make_shared<Plot>();
  const Command command = program.add("plot", "Draw the learning curves of trainings into an SVG image");
  command.option("RUN", plot->runs, "Directories that regard train wrote; the training may still run",
                 required);
  command.option("--output", plot->output, "File to write the image to", required);
  command.footer(
      "Each training is one curve, in small plots of training loss, validation loss, BLEU, learning rate, "
      "gradient norm and tokens/s.\n\n"
      "Example:\n  regard plot build/model build/other --output curves.svg");
  command.action([plot] { return run(*plot); });
}

}  // namespace regard::program
