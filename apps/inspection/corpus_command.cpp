#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>

#include "apps/inspection/corpus_report.h"
#include "apps/inspection/raw_corpus.h"
#include "apps/regard/command_line.h"
#include "apps/regard/options.h"
#include "apps/regard/streams.h"
#include "apps/terms/placeholders_option.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/files/warning.h"
#include "autograd/machine/error.h"
#include "autograd/machine/files.h"

namespace regard::program {

namespace {

using translation::CorpusReport;
using translation::findings;
using translation::Paths;
using translation::RawCorpus;

/// The files of a corpus: one with lines "source TAB target", or one for each side.
RawCorpus read(const std::vector<std::string>& files, const char* option) {
  if (files.size() == 2) return RawCorpus(files[0], files[1], {});
  if (files.size() == 1) return RawCorpus({}, {}, files[0]);
  fail("{}: give a file for each side, or one file with lines \"source TAB target\"", option);
}

struct Corpus {
  std::vector<std::string> files, source, target, tsv, validation, output;
  std::vector<std::string> lines, drop;  ///< names of findings
  translation::InspectionSettings inspection;
  std::optional<int> threads;
};

/// The places in `findings` of those with these names.
std::vector<std::size_t> findings_in(const std::vector<std::string>& names, const char* option) {
  std::vector<std::size_t> result;
  for (const std::string& name : names) {
    result.push_back(translation::finding_named(name));
    if (result.back() < findings.size()) continue;
    std::vector<std::string> all;
    for (const translation::Finding& known : findings) all.push_back(known.name);
    fail("{}: there is no finding \"{}\"; the findings are {}", option, translation::printable(name),
         fmt::join(all, ", "));
  }
  return result;
}

std::string printed(const std::string& side) { return translation::printable(side, 1000); }

/// Prints a line for each pair with one of the findings.
void print_lines(const CorpusReport& report, const RawCorpus& corpus,
                 const std::vector<std::size_t>& listed) {
  for (const std::size_t finding : listed)
    for (std::size_t pair = 0; pair < report.findings.size(); ++pair)
      if (report.has(pair, finding)) {
        const std::string &source = corpus.source[pair], &target = corpus.target[pair];
        fmt::print("{}\t{}\t{}\t{}", findings[finding].name, corpus.place(pair), printed(source),
                   printed(target));
        if (const auto repair = findings[finding].repair)
          fmt::print("\t{}\t{}", printed(repair(source).value_or(source)),
                     printed(repair(target).value_or(target)));
        fmt::print("\n");
      }
}

/// Writes the pairs with none of the findings. Each other pair counts for the first finding that it has.
void write_filtered(const CorpusReport& inspected, const RawCorpus& corpus,
                    const std::vector<std::size_t>& named, const std::vector<std::string>& paths,
                    const OutputFiles& output) {
  std::vector<NewFile> files;
  for (const std::string& path : paths) files.push_back({path, {}});
  std::vector<Index> dropped(named.size(), 0);
  Index kept = 0;
  for (std::size_t pair = 0; pair < inspected.findings.size(); ++pair) {
    const auto first = std::ranges::find_if(named, [&](std::size_t of) { return inspected.has(pair, of); });
    if (first != named.end()) {
      ++dropped[static_cast<std::size_t>(first - named.begin())];
      continue;
    }
    ++kept;
    files.front().pieces.insert(files.front().pieces.end(),
                                {corpus.source[pair], files.size() == 1 ? "\t" : "\n"});
    files.back().pieces.insert(files.back().pieces.end(), {corpus.target[pair], "\n"});
  }
  if (kept == 0) fail("--drop drops all {} pairs, so nothing was written", inspected.pairs);
  output.write(files);
  for (std::size_t i = 0; i < named.size(); ++i)
    report("{:<17} {} dropped\n", findings[named[i]].name, dropped[i]);
  report("{} of {} pairs written to {}\n", kept, inspected.pairs, fmt::join(paths, " and "));
}

RawCorpus read(const Corpus& settings) {
  if (!settings.files.empty()) return read(settings.files, "regard corpus");
  if (settings.source.empty() && settings.tsv.empty())
    fail("give the files of a corpus: regard corpus SOURCE TARGET; see regard corpus --help");
  return RawCorpus(settings.source, settings.target, settings.tsv);
}

std::vector<std::string> inputs(const Corpus& settings) {
  std::vector<std::string> inputs;
  for (const auto* paths :
       {&settings.files, &settings.source, &settings.target, &settings.tsv, &settings.validation})
    inputs.insert(inputs.end(), paths->begin(), paths->end());
  return inputs;
}

/// The files of the filtered corpus; none if none is wanted.
std::vector<Output> outputs(const Corpus& settings, const RawCorpus& corpus) {
  if (settings.drop.empty()) return {};
  const std::size_t files = settings.tsv.empty() && settings.files.size() != 1 ? 2 : 1;
  if (settings.output.size() != files)
    fail("--output: give {}, like the corpus", files == 1 ? "one file" : "two files");
  if (!corpus.unpaired.empty())
    fail("{}; cut the longer one first, so that each line has its translation", corpus.unpaired.front());
  std::vector<Output> written;
  for (const std::string& path : settings.output) written.push_back({"--output", path});
  return written;
}

void check(const translation::InspectionSettings& settings) {
  if (!(settings.ratio > 1 && std::isfinite(settings.ratio)))
    fail("--ratio {}: it must be a number above 1", settings.ratio);
  if (settings.most_words < 1) fail("--max-words {}: it must be at least 1", settings.most_words);
  if (settings.identical_words < 1)
    fail("--identical-words {}: it must be at least 1", settings.identical_words);
}

int run(const Corpus& settings) {
  set_given_threads(settings.threads);
  const std::vector<std::size_t> listed = findings_in(settings.lines, "--lines");
  const std::vector<std::size_t> dropped = findings_in(settings.drop, "--drop");
  check(settings.inspection);
  check_placeholders(settings.inspection.placeholders);
  if (settings.validation.empty())
    for (const auto* names : {&settings.lines, &settings.drop})
      if (std::ranges::count(*names, "overlap") > 0)
        fail("overlap is with a validation corpus; give it with --validation");
  const RawCorpus corpus = read(settings);
  const OutputFiles output(outputs(settings, corpus), inputs(settings));
  std::optional<RawCorpus> validation;
  if (!settings.validation.empty()) validation = read(settings.validation, "--validation");
  const translation::ParallelText none;
  const CorpusReport found = inspect(corpus, validation ? *validation : none, settings.inspection);
  for (const std::string& sentence : corpus.unpaired) translation::warn("{}", sentence);
  if (validation)
    for (const std::string& sentence : validation->unpaired) translation::warn("{}", sentence);
  if (!listed.empty())
    print_lines(found, corpus, listed);
  else if (dropped.empty())
    fmt::print("{}", screen(found, settings.inspection, corpus));
  if (!dropped.empty()) write_filtered(found, corpus, dropped, settings.output, output);
  return 0;
}

}  // namespace

void add_corpus(const Command& program) {
  const Command command =
      program.add("corpus", "Show what is unusual in a corpus, and write a copy without some of it");
  Corpus& corpus = command.runs<Corpus>(run);
  command.option("FILE", corpus.files,
                 "The two sides of the corpus, or one file with lines \"source TAB target\"; plain or gzip");
  command.option("--source", corpus.source, "Several files, read one after the other, in place of FILE",
                 {.several = true, .excludes = {"FILE"}});
  command.option("--target", corpus.target, "As many files with their translations",
                 {.several = true, .excludes = {"FILE"}});
  command.option("--tsv", corpus.tsv, "Several files with both sides",
                 {.several = true, .excludes = {"FILE", "--source", "--target"}});
  command.option("--validation", corpus.validation,
                 "Validation corpus, one or two files, for the overlap with it", {.several = true});
  command.option("--ratio", corpus.inspection.ratio, "The factor of the finding ratio", show_default);
  command.option("--max-words", corpus.inspection.most_words, "The most words of a side for the finding long",
                 show_default);
  command.option("--identical-words", corpus.inspection.identical_words,
                 "The fewest words of a side for the finding identical: a name is the same in many languages",
                 show_default);
  add_placeholders(command, corpus.inspection.placeholders);
  command.option(
      "--lines", corpus.lines,
      "Print the pairs with these findings, such as ratio,numbers, and not the screen: finding, tab, line, "
      "tab, source, tab, target; for mojibake also both sides repaired",
      {.commas = true, .value_name = "FINDINGS"});
  command.option("--drop", corpus.drop,
                 "Write a copy without the pairs that have these findings, to --output",
                 {.commas = true, .value_name = "FINDINGS"});
  command.only_with("--drop").option("--output", corpus.output,
                                     "The files of the copy: one for each side, or one", {.several = true});
  add_threads(command, corpus.threads);
  command.footer(
      "Examples:\n"
      "  regard corpus train.en train.de --validation val.en val.de\n"
      "  regard corpus train.en train.de --lines language,swapped | less\n"
      "  regard corpus train.en train.de --drop duplicates,ratio --output clean.en clean.de");
}

}  // namespace regard::program
