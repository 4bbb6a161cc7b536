#include "apps/experiments/book.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/experiments/catalogue.h"
#include "apps/experiments/figures.h"
#include "apps/experiments/results.h"
#include "apps/translation/files/files.h"
#include "autograd/error.h"

namespace regard::experiments {

namespace {

std::string tuning_text(const Experiment& experiment, const Results& results) {
  if (experiment.tuning.empty()) return "";
  std::string text = fmt::format(
      " {} settings were tried with the first seed of each variant, and the one with the least validation "
      "loss "
      "was taken:",
      experiment.tuning.size());
  for (const Results::OfVariant& variant : results.variants)
    text += fmt::format(" {} `{}`,", variant.name, variant.tuned);
  text.back() = '.';
  return text;
}

std::string overview(const std::string& folder) {
  std::string text = "| | claim | verdict |\n|---|---|---|\n";
  for (const Experiment& experiment : all_experiments()) {
    const std::string path = fmt::format("{}/results/{}/results.json", folder, experiment.id);
    if (!translation::path_exists(path)) continue;
    text += fmt::format("| [{0}](#{0}) | {1} | {2} |\n", experiment.id, experiment.claim,
                        to_string(experiment.decide(read_results(experiment, path)).verdict));
  }
  return text;
}

/// Replaces what stands between the markers of this name.
void replace(std::string& book, const std::string& name, const std::string& text, const std::string& path) {
  const std::string begin = fmt::format("<!-- {} -->\n", name), end = fmt::format("<!-- end {} -->", name);
  const std::size_t from = book.find(begin), to = book.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from)
    fail(
        "{}: the lines \"<!-- {} -->\" and \"<!-- end {} -->\" are missing; add them where this part of the "
        "book is to stand",
        path, name, name);
  book.replace(from + begin.size(), to - from - begin.size(), text);
}

}  // namespace

std::string section(const Experiment& experiment, const Results& results, const std::string& picture) {
  const Decision decision = experiment.decide(results);
  const std::size_t seeds = results.variants.front().runs.size();
  std::string text = fmt::format("> {} ({})\n\n", experiment.claim, experiment.source);
  if (!experiment.published.empty()) text += fmt::format("**Published.** {}\n\n", experiment.published);
  text += fmt::format("**Here.** {}{}{}\n\n", experiment.method,
                      seeds > 1 ? fmt::format(" {} seeds.", seeds) : "", tuning_text(experiment, results));
  text += fmt::format("**Rule.** {}\n\n", experiment.rule);
  text += fmt::format("{}\n![{}]({})\n\n", table(experiment, results), experiment.claim, picture);
  text += fmt::format("**Verdict: {}.** {}\n\n", to_string(decision.verdict), decision.because);
  return text + fmt::format("`regard experiment {}`, {:.0f} min of one processor.\n", experiment.id,
                            std::ceil(results.minutes));
}

void write_results(const Experiment& experiment, const Results& results, const std::string& directory) {
  translation::make_directories(directory);
  translation::write_file(directory + "/results.json",
                          translation::dump_json(to_json(experiment, results), directory));
  translation::write_file(directory + "/table.md", table(experiment, results));
  translation::write_file(directory + "/figures.svg", figures_svg(experiment, results));
}

void write_book(const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  std::string book = read_file(path);
  for (const Experiment& experiment : all_experiments()) {
    const std::string place = fmt::format("results/{}", experiment.id);
    const std::string results_path = fmt::format("{}/{}/results.json", folder, place);
    if (!translation::path_exists(results_path)) continue;
    const Results results = read_results(experiment, results_path);
    if (results.quick) fail("{}: these are results of --quick, which mean nothing", results_path);
    replace(book, experiment.id, section(experiment, results, place + "/figures.svg"), path);
    translation::write_file(fmt::format("{}/{}/figures.svg", folder, place),
                            figures_svg(experiment, results));
  }
  replace(book, "verdicts", overview(folder), path);
  translation::write_file(path, book);
}

}  // namespace regard::experiments
