#include "apps/experiments/book/book.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/experiments/jobs/plan.h"
#include "apps/experiments/measures/task.h"
#include "apps/experiments/rules/catalogue.h"
#include "apps/translation/files/files.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

namespace {

std::optional<Block> read_block(const Experiment& experiment, const std::string& path, Index first_seed) {
  Results results = read_results(experiment, path, first_seed);
  if (results.variants.empty()) return std::nullopt;
  Decision decision = decide(experiment.rule, results);
  return Block{std::move(results), std::move(decision)};
}

/// Fresh seeds begin at 101; for a claim that was changed after them, at 201, and so on up to 901. The last
/// ones count.
std::optional<Block> read_fresh_block(const Experiment& experiment, const std::string& path) {
  std::optional<Block> block;
  for (Index first_seed = 901; first_seed >= 101 && !block; first_seed -= 100)
    block = read_block(experiment, path, first_seed);
  return block;
}

std::vector<Claim> all_claims(const std::string& folder) {
  std::vector<Claim> list;
  for (const Experiment& experiment : all_experiments()) {
    const std::string path = fmt::format("{}/results/{}.jsonl", folder, experiment.id);
    Claim& claim = list.emplace_back(Claim{&experiment, read_block(experiment, path, 1)});
    const bool chance = !experiment.rule.exact;  // without it, other seeds are no check
    if (claim.first && chance) claim.fresh = read_fresh_block(experiment, path);
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

/// Which values were tried for the setting that is tuned, and which were chosen.
std::string tuning_text(const Experiment& experiment, const Results& results) {
  std::map<double, std::vector<std::string>> tried;  // the variants for which a value was tried
  std::map<std::string, std::string> chosen;         // the variants for which it was chosen
  std::size_t tuned = 0;
  for (const Variant& variant : experiment.variants) {
    const Results::OfVariant& measured = results.of(variant.name);
    for (const double value : measured.tried) tried[value].push_back(fmt::format("`{}`", variant.name));
    tuned += !measured.tried.empty();
    if (!measured.tuned.empty())
      chosen[measured.tuned.substr(experiment.tuning.setting.size() + 1)] +=
          fmt::format(", `{}`{}", variant.name, measured.at_edge ? " (at the edge of what was tried)" : "");
  }
  if (chosen.empty()) return "No other settings were tried.";
  std::vector<std::string> values, choices;
  for (const auto& [value, variants] : tried)
    values.push_back(variants.size() == tuned
                         ? fmt::format("{}", value)
                         : fmt::format("{} (only for {})", value, fmt::join(variants, ", ")));
  for (const auto& [value, variants] : chosen)
    choices.push_back(fmt::format("{} for {}", value, variants.substr(2)));
  return fmt::format("`{}` was tried with the seeds {}: {}. The least validation loss chose {}.",
                     experiment.tuning.setting, fmt::join(tuning_seeds, " and "), fmt::join(values, ", "),
                     fmt::join(choices, ", and "));
}

/// "20000"; "1 to 3" if the values differ.
std::string range_text(const std::set<double>& values) {
  const std::string least = short_text(*values.begin()), most = short_text(*values.rbegin());
  return least == most ? least : least + " to " + most;
}

/// How large the models are and how they were trained: "Steps 1500, warm-up steps 200, pairs 20000, ...".
std::string conditions(const Experiment& experiment, const Results& results) {
  std::set<double> steps, warm_up_steps, pairs, widths, encoder_layers, decoder_layers, dropout, parameters;
  const auto add = [](std::set<double>& values, Index value) { values.insert(static_cast<double>(value)); };
  for (const Variant& variant : experiment.variants) {
    std::vector<std::string> all = common_settings({});
    all.insert(all.end(), experiment.settings.begin(), experiment.settings.end());
    all.insert(all.end(), variant.settings.begin(), variant.settings.end());
    const translation::Settings settings =
        translation::parse_settings(translation::Json::object(), experiment.id, all);
    const transformer::Config& model = settings.model.config;
    const bool constant = settings.training.schedule == nn::Schedule::constant;
    add(steps, settings.training.steps);
    add(warm_up_steps, constant ? 0 : settings.training.warmup_steps);
    if (experiment.text_of.empty()) add(pairs, variant.task.train);  // otherwise the corpus decides
    add(widths, model.d_model);
    add(encoder_layers, model.encoder_layers);
    add(decoder_layers, model.decoder_layers);
    dropout.insert(model.dropout.sublayer);
    for (const Results::Run& run : results.of(variant.name).runs)
      if (run.measurements.contains("parameters")) parameters.insert(run.value("parameters"));
  }
  const std::string seeds = experiment.rule.exact
                                ? "nothing is random"
                                : fmt::format("{} seeds", results.variants.front().runs.size());
  if (*steps.rbegin() == 0) return fmt::format("Without a training; {}.", seeds);
  const std::pair<const char*, const std::set<double>&> sizes[] = {
      {"Steps", steps},     {"warm-up steps", warm_up_steps},   {"pairs", pairs},
      {"d_model", widths},  {"encoder layers", encoder_layers}, {"decoder layers", decoder_layers},
      {"dropout", dropout}, {"parameters", parameters}};
  std::string text;
  for (const auto& [name, values] : sizes)
    if (!values.empty()) text += fmt::format("{} {}, ", name, range_text(values));
  return fmt::format("{}{}. {}", text, seeds, tuning_text(experiment, results));
}

}  // namespace

std::string table(const Experiment& experiment, const Results& results) {
  std::string head = "| |", line = "|---|", rows;
  for (const Column& column : experiment.columns) {
    const std::string entry = column.index == 0 ? "" : fmt::format("[{}]", column.index);
    head +=
        fmt::format(" {}`{}{}` |", column.title.empty() ? "" : column.title + " ", column.measurement, entry);
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
  std::optional<Decision> decision;
  if (!results.variants.empty()) decision = decide(experiment.rule, results);
  std::size_t number = 0;  // of the comparison
  const auto line = [&](const Comparison& comparison) {
    std::string text = fmt::format("`{}`", comparison.text);
    if (decision) {
      const Decided& one = decision->comparisons[number++];
      text += fmt::format(": {}, {}", experiments::text(one.effect), to_string(one.answer));
      if (!one.need && one.values.size() > 1)
        text +=
            fmt::format(" ({} of {} seeds)",
                        std::ranges::count_if(one.values, [&](double value) { return one.is_true(value); }),
                        one.values.size());
    }
    return text + "\n";
  };
  std::string list;
  for (const Comparison& need : experiment.rule.needs) list += "- Needed: " + line(need);
  for (std::size_t i = 0; i < experiment.rule.parts.size(); ++i) {
    const Part& part = experiment.rule.parts[i];
    list += fmt::format("- **{}. {}** ", i + 1, part.says);
    if (part.comparisons.size() == 1) {
      list += line(part.comparisons.front());
    } else {
      list += fmt::format("{}{}\n", part.any ? "One of these is enough" : "All of these",
                          decision ? fmt::format(": {}", to_string(decision->answers[i])) : "");
      char letter = 'a';
      for (const Comparison& one : part.comparisons)
        list += fmt::format("  - {}{}: {}", i + 1, letter++, line(one));
    }
    for (const Comparison& need : part.needs) list += "  - Needed for this: " + line(need);
  }
  return list;
}

std::string section(const Claim& claim, const std::vector<Claim>& all, const std::string& picture) {
  const Experiment& experiment = *claim.experiment;
  std::string text = fmt::format("> {} ({})\n\n", experiment.claim, experiment.source);
  if (!experiment.published.empty()) text += fmt::format("**Published.** {}\n\n", experiment.published);
  text += fmt::format("**Here.** {}", experiment.method);
  if (!claim.first)
    return text + fmt::format(
                      "\n\n**Rule.**\n\n{}\n**Not run yet.** `regard experiment {}`, about {:.0f} min of one "
                      "processor.\n",
                      reasons(experiment), experiment.id, 2 * std::ceil(experiment.minutes));
  const Results& results = claim.first->results;
  text += fmt::format(" {}\n\n", conditions(experiment, results));
  text += fmt::format("**Rule and answers.**\n\n{}\n", reasons(experiment, results));
  text += fmt::format("{}\n![{}]({})\n\n", table(experiment, results), experiment.claim, picture);
  const std::string verdict = experiments::text(claim.first->decision);
  text += claim.differs() ? fmt::format("**Verdict: not decided.** On the first seeds: {}.", verdict)
                          : fmt::format("**Verdict: {}.**", verdict);
  if (claim.fresh)
    text += fmt::format(" On the fresh seeds {}: {}.", seeds_text(claim.fresh->results),
                        experiments::text(claim.fresh->decision));
  for (const Claim& other : all)
    if (other.first && other.experiment->text_of == experiment.id)
      text += fmt::format(" On real text ({}): {}.", link(other.experiment->id),
                          experiments::text(other.first->decision));
  text += "\n\n";
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
  const std::vector<Claim> all = all_claims(folder);
  std::string book = read_file(path), before, claims;
  char chapter = 0;
  for (const Claim& claim : all) {
    const Experiment& experiment = *claim.experiment;
    if (!experiment.before.empty())
      before += fmt::format("- {}: {}\n", link(experiment.id), experiment.before);
    if (experiment.id[0] != chapter) {
      chapter = experiment.id[0];
      const auto title = std::ranges::find(chapters(), chapter, &Chapter::letter)->title;
      claims += fmt::format("## {}. {}\n\n", chapter, title);
    }
    const std::string picture = fmt::format("results/{}/figures.svg", experiment.id);
    claims += fmt::format("### {}\n\n{}\n", experiment.id, section(claim, all, picture));
    if (!claim.first) continue;
    translation::make_directories(fmt::format("{}/results/{}", folder, experiment.id));
    translation::write_file(folder + "/" + picture, figures_svg(experiment, claim.first->results));
  }
  replace(book, "verdicts", verdicts_table(all), path);
  replace(book, "before", before, path);
  replace(book, "claims", claims, path);
  translation::write_file(folder + "/results/verdicts.tsv", verdicts_tsv(all));
  translation::write_file(path, book);
}

}  // namespace regard::experiments
