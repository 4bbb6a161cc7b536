#include "apps/experiments/book.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "apps/experiments/catalogue.h"
#include "apps/translation/files/files.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

namespace {

/// The results of seeds first, first + 1, ... and what they decide.
struct Block {
  Results results;
  Decision decision;
};

/// An experiment with results in the folder of the book.
struct ClaimResults {
  const Experiment* experiment;
  Block first;
  std::optional<Block> fresh = {};  ///< the seeds that were run last, 101 and up
};

std::optional<Block> read_block(const Experiment& experiment, const std::string& path, Index first_seed) {
  Results results = read_results(experiment, path, first_seed);
  if (results.variants.empty()) return std::nullopt;
  Decision decision = decide(experiment.rule, results);
  return Block{std::move(results), std::move(decision)};
}

std::deque<ClaimResults> with_results(const std::string& folder) {
  std::deque<ClaimResults> list;
  for (const Experiment& experiment : all_experiments()) {
    const std::string path = fmt::format("{}/results/{}.jsonl", folder, experiment.id);
    if (!translation::path_exists(path)) continue;
    std::optional<Block> first = read_block(experiment, path, 1), fresh;
    if (!first) fail("{} has no results of the seeds 1, 2, ...", path);
    for (Index seed = most_seeds - 99; seed > 100 && !fresh; seed -= 100)
      fresh = read_block(experiment, path, seed);
    list.push_back({&experiment, std::move(*first), std::move(fresh)});
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

std::string link(const std::string& id) {
  std::string anchor = id;  // of a heading: in lower case
  std::ranges::transform(anchor, anchor.begin(), [](unsigned char c) { return std::tolower(c); });
  return fmt::format("[{}](#{})", id, anchor);
}

std::string seeds_text(const Results& results) {
  const auto& runs = results.variants.front().runs;
  return runs.size() == 1 ? fmt::format("{}", runs.front().seed)
                          : fmt::format("{} to {}", runs.front().seed, runs.back().seed);
}

/// "88 to 90", or "88" if all are.
std::string spread(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return least == most ? short_text(least) : fmt::format("{} to {}", short_text(least), short_text(most));
}

/// How large the models are and how they were trained, from the settings: "1500 steps, d_model 64, ...".
std::string conditions(const Experiment& experiment, const Results& results) {
  std::vector<double> steps, width, encoder, decoder, pairs, parameters;
  std::string tuned;
  std::set<double> tried;
  for (const Variant& variant : experiment.variants) {
    std::vector<std::string> all{"model.preset=toy"};
    all.insert(all.end(), experiment.settings.begin(), experiment.settings.end());
    all.insert(all.end(), variant.settings.begin(), variant.settings.end());
    const translation::Settings settings =
        translation::parse_settings(translation::Json::object(), experiment.id, all);
    steps.push_back(static_cast<double>(settings.training.steps));
    width.push_back(static_cast<double>(settings.model.config.d_model));
    encoder.push_back(static_cast<double>(settings.model.config.encoder_layers));
    decoder.push_back(static_cast<double>(settings.model.config.decoder_layers));
    pairs.push_back(static_cast<double>(variant.task.train));
    const Results::OfVariant& of_variant = results.of(variant.name);
    for (const Results::Run& run : of_variant.runs)
      if (run.measurements.contains("parameters")) parameters.push_back(run.value("parameters"));
    if (!of_variant.tuned.empty())
      tuned += fmt::format(" {} `{}`{},", variant.name, of_variant.tuned,
                           of_variant.at_edge ? ", at the edge of what was tried" : "");
    tried.insert(of_variant.tried.begin(), of_variant.tried.end());
  }
  const std::size_t seeds = results.variants.front().runs.size();
  const std::string runs = experiment.rule.exact ? "Nothing is random." : fmt::format("{} seeds.", seeds);
  if (std::ranges::max(steps) == 0) return runs;
  std::string text =
      fmt::format("{} steps, {} pairs, d_model {}, {} encoder and {} decoder layers, ", spread(steps),
                  spread(pairs), spread(width), spread(encoder), spread(decoder));
  if (!parameters.empty()) text += spread(parameters) + " parameters, ";
  text += runs;
  if (tuned.empty()) return text + " One setting of the training for all.";
  tuned.back() = '.';
  return fmt::format("{} Of {} the least validation loss of two other seeds chose{}", text,
                     fmt::join(tried, ", "), tuned);
}

std::string verdict_text(const Decision& decision) { return to_string(decision.verdict); }

/// What the book says of an experiment.
std::string section(const ClaimResults& entry, const std::deque<ClaimResults>& all,
                    const std::string& picture) {
  const Experiment& experiment = *entry.experiment;
  const Results& results = entry.first.results;
  std::string text = fmt::format("> {} ({})\n\n", experiment.claim, experiment.source);
  if (!experiment.published.empty()) text += fmt::format("**Published.** {}\n\n", experiment.published);
  text += fmt::format("**Here.** {} {}\n\n", experiment.method, conditions(experiment, results));
  text += fmt::format("**Rule and answers.**\n\n{}\n", reasons(experiment, results));
  text += fmt::format("{}\n![{}]({})\n\n", table(experiment, results), experiment.claim, picture);
  text += fmt::format("**Verdict: {}.**", verdict_text(entry.first.decision));
  if (entry.fresh)
    text += fmt::format(" On the fresh seeds {}: {}.", seeds_text(entry.fresh->results),
                        verdict_text(entry.fresh->decision));
  for (const ClaimResults& other : all)
    if (other.experiment->text_of == experiment.id)
      text += fmt::format(" On real text ({}): {}.", link(other.experiment->id),
                          verdict_text(other.first.decision));
  text += "\n\n";
  if (!experiment.means.empty()) text += fmt::format("**What it means.** {}\n\n", experiment.means);
  return text + fmt::format("`regard experiment {}`, {:.0f} min of one processor.\n", experiment.id,
                            std::ceil(results.minutes));
}

/// The table of all claims, and how many verdicts stayed.
std::string verdicts_table(const std::deque<ClaimResults>& all) {
  std::string text =
      "| | claim | verdict | effect | on fresh seeds | on real text |\n|---|---|---|---|---|---|\n";
  Index fresh = 0, stayed = 0, turned = 0;
  for (const ClaimResults& entry : all) {
    const Experiment& experiment = *entry.experiment;
    const Decision& decision = entry.first.decision;
    std::string on_fresh, on_text;
    if (entry.fresh) {
      const Verdict again = entry.fresh->decision.verdict;
      on_fresh = to_string(again);
      const auto is_pair = [&](Verdict one, Verdict other) {
        return decision.verdict == one && again == other;
      };
      ++fresh;
      stayed += is_pair(again, again);
      turned +=
          is_pair(Verdict::holds, Verdict::does_not_hold) || is_pair(Verdict::does_not_hold, Verdict::holds);
    }
    if (!experiment.text_of.empty()) continue;  // it stands in the row of its claim
    for (const ClaimResults& other : all)
      if (other.experiment->text_of == experiment.id)
        on_text = fmt::format("{}: {}", link(other.experiment->id), verdict_text(other.first.decision));
    const Decided& effect = decision.deciding();
    text += fmt::format("| {} | {} | {} | {}: {} | {} | {} |\n", link(experiment.id), experiment.claim,
                        verdict_text(decision), words(*effect.comparison, experiment.names),
                        experiments::text(effect.effect), on_fresh, on_text);
  }
  if (fresh > 0)
    text += fmt::format(
        "\nOn fresh seeds {} of {} verdicts stayed; {} turned between \"holds\" and \"does not hold "
        "here\".\n",
        stayed, fresh, turned);
  return text;
}

/// What a block says of a comparison, as columns of verdicts.tsv.
std::string columns_of(const Decided& one, const char* part, const Block& block) {
  const Interval& effect = one.effect;
  return fmt::format("\t{:.6g}\t{:.6g}\t{:.6g}\t{}\t{}\t{}\t{}", effect.mean, effect.low, effect.high,
                     seeds_text(block.results), to_string(one.answer), part, verdict_text(block.decision));
}

/// A line for each comparison, those of "needs" first, with the answers of both blocks.
std::string verdicts_tsv(const std::deque<ClaimResults>& all) {
  std::string text = "id\tpart\tformula\tmark";
  for (const char* const of : {"", "fresh "})
    for (const char* const column : {"mean", "low", "high", "seeds", "answer", "part's answer", "verdict"})
      text += fmt::format("\t{}{}", of, column);
  for (const ClaimResults& entry : all) {
    const Rule& rule = entry.experiment->rule;
    const Decision& first = entry.first.decision;
    const auto line = [&](const std::string& part, const Decided& one, const std::string& of_blocks) {
      text += fmt::format("\n{}\t{}\t{}\t{}{}", entry.experiment->id, part, one.comparison->text,
                          one.comparison->mark, of_blocks);
    };
    for (std::size_t i = 0; i < first.needs.size(); ++i) {
      std::string both = columns_of(first.needs[i], "", entry.first);
      if (entry.fresh) both += columns_of(entry.fresh->decision.needs[i], "", *entry.fresh);
      line("need", first.needs[i], both);
    }
    for (std::size_t part = 0; part < first.parts.size(); ++part)
      for (std::size_t i = 0; i < first.parts[part].size(); ++i) {
        std::string both = columns_of(first.parts[part][i], to_string(first.answers[part]), entry.first);
        if (entry.fresh)
          both += columns_of(entry.fresh->decision.parts[part][i],
                             to_string(entry.fresh->decision.answers[part]), *entry.fresh);
        line(label(rule, part, i), first.parts[part][i], both);
      }
  }
  return text + "\n";
}

}  // namespace

std::string table(const Experiment& experiment, const Results& results) {
  std::string head = "| |", line = "|---|", rows;
  for (const Column& column : experiment.columns) {
    head +=
        fmt::format(" {} |", column.title.empty() ? words(column.measurement, column.index, experiment.names)
                                                  : column.title);
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

std::string label(const Rule& rule, std::size_t part, std::size_t comparison) {
  const bool several = rule.parts[part].comparisons.size() > 1;
  return fmt::format("{}{}", part + 1, several ? std::string(1, static_cast<char>('a' + comparison)) : "");
}

std::string reasons(const Experiment& experiment, const Results& results) {
  const Rule& rule = experiment.rule;
  const Decision decision = decide(rule, results);
  const auto line = [&](const Decided& one) {
    return fmt::format("{}: {}, {}\n", words(*one.comparison, experiment.names), text(one.effect),
                       to_string(one.answer));
  };
  std::string list;
  for (const Decided& need : decision.needs) list += "- needed: " + line(need);
  for (std::size_t part = 0; part < rule.parts.size(); ++part) {
    const std::vector<Decided>& comparisons = decision.parts[part];
    const bool several = comparisons.size() > 1;
    std::string says = rule.parts[part].says;
    if (says.ends_with('.')) says.pop_back();
    list += fmt::format("- **{}. {}: {}.**{}\n", part + 1, says, to_string(decision.answers[part]),
                        several ? rule.parts[part].any ? " One of these is enough:" : " All of these:" : "");
    for (std::size_t i = 0; i < comparisons.size(); ++i)
      list += fmt::format("  - {}{}", several ? label(rule, part, i) + ". " : "", line(comparisons[i]));
  }
  return list;
}

void write_results(const Experiment& experiment, const Results& results, const std::string& directory) {
  translation::make_directories(directory);
  write_json(to_json(results), 4, directory + "/results.json");  // a run on each line
  translation::write_file(directory + "/table.md", table(experiment, results));
  translation::write_file(directory + "/figures.svg", figures_svg(experiment, results));
}

void write_book(const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  const std::deque<ClaimResults> all = with_results(folder);
  std::string book = read_file(path), before, claims;
  char chapter = 0;
  for (const ClaimResults& entry : all) {
    const Experiment& experiment = *entry.experiment;
    if (!experiment.before.empty())
      before += fmt::format("- {}: {}\n", link(experiment.id), experiment.before);
    if (experiment.id[0] != chapter) {
      chapter = experiment.id[0];
      const auto title = std::ranges::find(chapters(), chapter, &Chapter::letter)->title;
      claims += fmt::format("## {}. {}\n\n", chapter, title);
    }
    const std::string picture = fmt::format("results/{}.svg", experiment.id);
    claims += fmt::format("### {}\n\n{}\n", experiment.id, section(entry, all, picture));
    translation::write_file(folder + "/" + picture, figures_svg(experiment, entry.first.results));
  }
  replace(book, "verdicts", verdicts_table(all), path);
  replace(book, "before", before, path);
  replace(book, "claims", claims, path);
  translation::write_file(folder + "/results/verdicts.tsv", verdicts_tsv(all));
  translation::write_file(path, book);
}

}  // namespace regard::experiments
