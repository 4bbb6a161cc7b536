#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/experiments/rules/experiment.h"
#include "apps/experiments/rules/results.h"

namespace regard::experiments {

/// The columns of the experiment as a Markdown table: a row for each variant, "mean (least to most)". The
/// head has the name of each measurement, as the formulas have it.
std::string table(const Experiment& experiment, const Results& results);

/// The rule as a Markdown list. With results, each comparison has its effect, the interval and the
/// answer.
std::string reasons(const Experiment& experiment, const Results& results = {});

/// All figures of an experiment side by side as one SVG image: the rule first, then its figures. It suits
/// light and dark pages.
std::string figures_svg(const Experiment& experiment, const Results& results);

/// The results of the seeds first, first + 1, ... and what they decide.
struct Block {
  Results results;
  Decision decision;
};

/// What the book knows of a claim.
struct Claim {
  const Experiment* experiment;
  std::optional<Block> first = {};  ///< nothing before the experiment was run
  std::optional<Block> fresh = {};  ///< the seeds that were run last, 101 and up

  /// The two verdicts are not the same. Then the claim is not decided.
  bool differs() const { return first && fresh && first->decision.verdict != fresh->decision.verdict; }
};

/// "[A1](#a1)", and "1 to 8".
std::string link(const std::string& id);
std::string seeds_text(const Results& results);

/// What the book says of one of its claims, as Markdown. `picture` is the path of its image, as seen from it.
std::string section(const Claim& claim, const std::vector<Claim>& all, const std::string& picture);

/// The table of all verdicts as Markdown, and how many of them stayed on fresh seeds. A claim on real text
/// stands in the row of the claim that it is the text of.
std::string verdicts_table(const std::vector<Claim>& all);

/// verdicts.tsv: a line for each comparison, those of "needs" first, with its numbers in both blocks, and the
/// verdict of both.
std::string verdicts_tsv(const std::vector<Claim>& all);

/// Writes table.md and figures.svg of an experiment into a directory.
void write_results(const Experiment& experiment, const Results& results, const std::string& directory);

/// Makes the book again from the results in the folder results/ beside the Markdown file at `path`. Replaces
/// the text between "<!-- verdicts -->" and "<!-- end verdicts -->", and the same for "before" and "claims";
/// draws results/A1/figures.svg; and writes results/verdicts.tsv, a line for each comparison. The other text
/// stays. Throws Error if a marker is missing.
void write_book(const std::string& path);

}  // namespace regard::experiments
