#pragma once

#include <string>

#include "apps/experiments/experiment.h"
#include "apps/experiments/results.h"

namespace regard::experiments {

/// The columns of the experiment as a Markdown table: a row for each variant, "mean (least to most)".
std::string table(const Experiment& experiment, const Results& results);

/// A line for each comparison of the rule: whether it is true, and its numbers.
std::string reasons(const Experiment& experiment, const Results& results);

/// All figures of an experiment side by side as one SVG image, with one legend of the variants. It suits
/// light and dark pages.
std::string figures_svg(const Experiment& experiment, const Results& results);

/// What the book says of an experiment, as Markdown: claim, source, what was done, rule, table, picture,
/// verdict and command. `picture` is the path of its SVG image, as seen from the book.
std::string section(const Experiment& experiment, const Results& results, const std::string& picture);

/// Writes table.md and figures.svg of an experiment into a directory.
void write_results(const Experiment& experiment, const Results& results, const std::string& directory);

/// Makes the book again: replaces, in the Markdown file at `path`, the text between "<!-- verdicts -->" and
/// "<!-- end verdicts -->", and between "<!-- claims -->" and "<!-- end claims -->", by what the results in
/// the folder results/ beside it say, and draws results/A1/figures.svg. The other text stays. Throws Error if
/// a marker is missing.
void write_book(const std::string& path);

}  // namespace regard::experiments
