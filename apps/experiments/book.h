#pragma once

#include <string>

#include "apps/experiments/experiment.h"

namespace regard::experiments {

/// What the book says of an experiment, as Markdown: claim, source, what was done, rule, table, picture,
/// verdict and command. `picture` is the path of its SVG image, as seen from the book.
std::string section(const Experiment& experiment, const Results& results, const std::string& picture);

/// Writes results.json, table.md and figures.svg of an experiment into a directory.
void write_results(const Experiment& experiment, const Results& results, const std::string& directory);

/// Makes the sections of the book again: replaces, in the Markdown file at `path`, the text between
/// "<!-- A1 -->" and "<!-- end A1 -->" for each experiment that has results beside it, in
/// results/A1/results.json, and draws results/A1/figures.svg. The other text stays. Throws Error if a marker
/// is missing.
void write_book(const std::string& path);

}  // namespace regard::experiments
