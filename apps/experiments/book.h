#pragma once

#include <string>

#include "apps/experiments/experiment.h"
#include "apps/experiments/results.h"

namespace regard::experiments {

/// The columns of the experiment as a Markdown table: a row for each variant, "mean (least to most)".
std::string table(const Experiment& experiment, const Results& results);

/// The rule in words as a Markdown list, with the effect, its interval and the answer of each comparison.
std::string reasons(const Experiment& experiment, const Results& results);

/// The name of a comparison in text and picture: "2", or "2b" in a part with several.
std::string label(const Rule& rule, std::size_t part, std::size_t comparison);

/// All figures of an experiment side by side as one SVG image: the rule first, then its figures. It suits
/// light and dark pages.
std::string figures_svg(const Experiment& experiment, const Results& results);

/// Writes results.json, table.md and figures.svg of an experiment into a directory.
void write_results(const Experiment& experiment, const Results& results, const std::string& directory);

/// Makes the book again from the results in the folder results/ beside the Markdown file at `path`. Replaces
/// the text between "<!-- verdicts -->" and "<!-- end verdicts -->", and the same for "before" and "claims";
/// draws results/A1/figures.svg; and writes results/verdicts.tsv, a line for each comparison. The other text
/// stays. Throws Error if a marker is missing.
void write_book(const std::string& path);

}  // namespace regard::experiments
