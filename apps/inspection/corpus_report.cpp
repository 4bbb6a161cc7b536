#include "apps/inspection/corpus_report.h"

#include <algorithm>
#include <fmt/ranges.h>

#include "apps/inspection/line_facts.h"
#include "apps/regard/look_at_corpus.h"
#include "apps/terms/term_rule.h"
#include "apps/translation/files/utf8.h"

namespace regard::program {

namespace {

using translation::CorpusReport;
using translation::findings;
using translation::SideReport;

/// The places of the first pairs with a finding.
std::string first_places(const CorpusReport& report, std::size_t finding,
                         const translation::RawCorpus& corpus) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> places;
  for (std::size_t pair = 0; pair < report.findings.size() && places.size() <= shown; ++pair)
    if (report.has(pair, finding)) places.push_back(places.size() == shown ? "…" : corpus.place(pair));
  return fmt::format("{}", fmt::join(places, ", "));
}

/// The first word that a finding would change, and what it would be.
std::string first_repair(const CorpusReport& report, std::size_t finding,
                         const translation::RawCorpus& corpus) {
  const auto repair = findings[finding].repair;
  if (repair == nullptr || report.counts[finding] == 0) return "";
  std::size_t pair = 0;
  while (!report.has(pair, finding)) ++pair;
  const std::string& source = corpus.source[pair];
  const std::string& side = repair(source) ? source : corpus.target[pair];
  const std::string repaired = repair(side).value();
  const auto first = std::ranges::mismatch(side, repaired).in1 - side.begin();
  const std::size_t begin = side.rfind(' ', to_size(first)) + 1;
  const auto word = [&](const std::string& line) {
    return translation::printable(line.substr(begin, line.find(' ', begin) - begin));
  };
  return fmt::format(": \"{}\" would be \"{}\"", word(side), word(repaired));
}

std::string sentence(const translation::Shift& shift) {
  return fmt::format(
      "lines {} to {}: line i of the source seems to belong to line i {} {} of the target; their lengths are "
      "correlated with {:.2f}, and with {:.2f} as the files are (a guess)",
      shift.first + 1, shift.last + 1, shift.offset < 0 ? '-' : '+', std::abs(shift.offset), shift.shifted,
      shift.as_it_is);
}

std::string row(const char* name, auto source, auto target) {
  return fmt::format("{:<17} {:>11} {:>11}\n", name, source, target);
}

}  // namespace

std::string screen(const CorpusReport& report, const translation::InspectionSettings& settings,
                   const translation::RawCorpus& corpus) {
  const SideReport &source = report.source, &target = report.target;
  std::string text = row("", "source", "target");
  text += row("lines", report.pairs, report.pairs);
  text += row("words", source.words, target.words);
  text += row("  a line, median", source.median_words, target.median_words);
  text += row("  95 % up to", source.words_95, target.words_95);
  text += row("  at most", source.most_words, target.most_words);
  text += row("script", translation::script_name(source.script), translation::script_name(target.script));
  text +=
      fmt::format("\n{:<17} {:>11} {:>11}  {}\n", "finding", "pairs", "share", "the first lines; what it is");
  for (std::size_t finding = 0; finding < findings.size(); ++finding) {
    const auto [name, meaning, found, repair] = findings[finding];
    if (name == std::string_view("overlap") && report.validation_pairs == 0) continue;
    const Index count = report.counts[finding];
    text +=
        fmt::format("{:<17} {:>11} {:>9.2f} %  {}{}", name, count,
                    100 * static_cast<double>(count) / static_cast<double>(std::max<Index>(report.pairs, 1)),
                    first_places(report, finding, corpus), count > 0 ? "; " : "");
    text += fmt::format(fmt::runtime(meaning), fmt::arg("words", settings.most_words),
                        fmt::arg("ratio", settings.ratio), fmt::arg("median", report.ratio),
                        fmt::arg("identical", settings.identical_words)) +
            first_repair(report, finding, corpus) + "\n";
  }
  if (report.validation_pairs > 0)
    text += fmt::format("\nvalidation: {} of {} pairs have a side that the corpus has, too\n",
                        report.validation_overlap, report.validation_pairs);
  for (const translation::Shift& shift : report.shifts) text += fmt::format("\nshift: {}\n", sentence(shift));
  return text;
}

std::string findings_of_training(const translation::ParallelText& training,
                                 const translation::ParallelText& validation,
                                 const translation::Settings& settings) {
  const CorpusReport report = inspect(
      training, validation, {.placeholders = settings.rules.of<translation::TermSettings>().placeholders});
  std::vector<std::string> found;
  for (std::size_t finding = 0; finding < findings.size(); ++finding)
    if (report.counts[finding] > 0)
      found.push_back(fmt::format("{} {}", findings[finding].name, report.counts[finding]));
  if (found.empty()) return "";
  std::string text = fmt::format(
      "{:<12} {} (pairs of the training corpus; regard corpus explains them and shows the lines)\n",
      "findings", fmt::join(found, ", "));
  if (report.validation_overlap > 0)
    text += fmt::format(
        "{:<12} {} of {} pairs of the validation corpus have a side that the training corpus has, too\n",
        "overlap", report.validation_overlap, report.validation_pairs);
  for (const translation::Shift& shift : report.shifts)
    text += fmt::format("{:<12} {}\n", "shift", sentence(shift));
  return text;
}

}  // namespace regard::program
