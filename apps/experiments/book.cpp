#include "apps/experiments/book.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/experiments/catalogue.h"
#include "apps/experiments/results.h"
#include "apps/translation/files/files.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

namespace {

std::string tuning_text(const Experiment& experiment, const Results& results) {
  if (experiment.tuning.setting.empty())
    return experiment.settings.empty() ? "" : " One setting of the training for all; no others were tried.";
  std::string text = fmt::format(
      " At least {} values of `{}` were tried with two further seeds, and the one with the least validation "
      "loss was taken:",
      experiment.tuning.values.size(), experiment.tuning.setting);
  for (const Results::OfVariant& variant : results.variants)
    text += fmt::format(" {} `{}`{},", variant.name, variant.tuned,
                        variant.at_edge ? " (at the edge of what was tried)" : "");
  text.back() = '.';
  return text;
}

/// The experiments that have results in the folder of the book, with them.
std::vector<std::pair<Experiment, Results>> with_results(const std::string& folder) {
  std::vector<std::pair<Experiment, Results>> list;
  for (const Experiment& experiment : all_experiments()) {
    Results results = read_results(experiment, fmt::format("{}/results/{}.jsonl", folder, experiment.id));
    if (!results.variants.empty()) list.emplace_back(experiment, std::move(results));
  }
  return list;
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

std::string table(const Experiment& experiment, const Results& results) {
  std::string head = "| |", line = "|---|", rows;
  for (const Column& column : experiment.columns) {
    head += fmt::format(" {} |", column.title);
    line += "---|";
  }
  for (const Results::OfVariant& variant : results.variants) {
    rows += fmt::format("| {} |", variant.name);
    for (const Column& column : experiment.columns) {
      const auto& texts = variant.runs.front().texts;
      const auto found = texts.find(column.measurement);
      rows += fmt::format(" {} |", found != texts.end()
                                       ? found->second
                                       : text(results.range(variant.name, column.measurement, column.index),
                                              column.decimals));
    }
    rows += "\n";
  }
  return head + "\n" + line + "\n" + rows;
}

std::string reasons(const Experiment& experiment, const Results& results) {
  Rule rule = experiment.decide;
  rule.fails_if.clear();  // most often the reverse of what is listed
  // The column of a measurement, of the same entry if there is one.
  const auto column_of = [&](const Condition::Side& side) {
    Column best{.title = "", .measurement = side.measurement, .index = side.index, .decimals = 2};
    for (const Column& column : experiment.columns)
      if (column.measurement == side.measurement && (column.index == side.index || best.title.empty()))
        best = column;
    if (best.index != side.index) best.title = fmt::format("{} [{}]", side.measurement, side.index);
    return best;
  };
  std::vector<std::string> lines;
  for (const Condition& one : comparisons(rule)) {
    const Column left = column_of(one.left), right = column_of(one.right);
    const std::string title = left.title.empty() ? one.left.measurement : left.title;
    const std::string of_right = right.title == left.title ? "" : fmt::format("({}) ", right.title);
    const std::string line = fmt::format("- {}, {}: {}\n", is_met(one, results) ? "yes" : "no", title,
                                         text(one, results, left.decimals, of_right));
    if (std::ranges::count(lines, line) == 0) lines.push_back(line);
  }
  return fmt::format("{}", fmt::join(lines, ""));
}

std::string section(const Experiment& experiment, const Results& results, const std::string& picture) {
  const std::size_t seeds = results.variants.front().runs.size();
  std::string text = fmt::format("> {} ({})\n\n", experiment.claim, experiment.source);
  if (!experiment.published.empty()) text += fmt::format("**Published.** {}\n\n", experiment.published);
  text += fmt::format("**Here.** {}{}{}\n\n", experiment.method,
                      seeds > 1 ? fmt::format(" {} seeds.", seeds) : "", tuning_text(experiment, results));
  text += fmt::format("**Rule.** {}\n\n", experiment.rule);
  text += fmt::format("{}\n![{}]({})\n\n", table(experiment, results), experiment.claim, picture);
  text += fmt::format("**Verdict: {}.**\n\n{}\n", to_string(decide(experiment.decide, results)),
                      reasons(experiment, results));
  if (!experiment.means.empty()) text += fmt::format("**What it means.** {}\n\n", experiment.means);
  return text + fmt::format("`regard experiment {}`, {:.0f} min of one processor.\n", experiment.id,
                            std::ceil(results.minutes));
}

void write_results(const Experiment& experiment, const Results& results, const std::string& directory) {
  translation::make_directories(directory);
  translation::write_file(directory + "/table.md", table(experiment, results));
  translation::write_file(directory + "/figures.svg", figures_svg(experiment, results));
}

void write_book(const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  std::string book = read_file(path), verdicts = "| | claim | verdict |\n|---|---|---|\n", claims;
  char chapter = 0;
  for (const auto& [experiment, results] : with_results(folder)) {
    std::string anchor = experiment.id;  // of a heading: in lower case
    anchor[0] = static_cast<char>(std::tolower(anchor[0]));
    verdicts += fmt::format("| [{}](#{}) | {} | {} |\n", experiment.id, anchor, experiment.claim,
                            to_string(decide(experiment.decide, results)));
    if (experiment.id[0] != chapter) {
      chapter = experiment.id[0];
      const auto title = std::ranges::find(chapters(), chapter, &Chapter::letter)->title;
      claims += fmt::format("## {}. {}\n\n", chapter, title);
    }
    const std::string picture = fmt::format("results/{}/figures.svg", experiment.id);
    claims += fmt::format("### {}\n\n{}\n", experiment.id, section(experiment, results, picture));
    translation::write_file(folder + "/" + picture, figures_svg(experiment, results));
  }
  replace(book, "verdicts", verdicts, path);
  replace(book, "claims", claims, path);
  translation::write_file(path, book);
}

}  // namespace regard::experiments
