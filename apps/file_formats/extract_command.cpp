// `regard extract`: a corpus from translated files.

#include "apps/file_formats/unit.h"
#include "apps/regard/command_line.h"
#include "apps/regard/streams.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

struct Extract {
  std::vector<std::string> files;
  std::string source, target;
  files::Languages languages;
};

/// A text as a line of a corpus: one blank for blanks and line ends in a row, none at its ends.
std::string line_of(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank) line += c;
    if (blank && !line.empty() && !line.ends_with(' ')) line += ' ';
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

int run(const Extract& settings) {
  const OutputFiles output({{"--source", settings.source}, {"--target", settings.target}}, settings.files);
  std::string source, target;
  std::size_t all = 0, pairs = 0;
  for (const std::string& path : settings.files) {
    const std::string bytes = files::read_text_file(path);
    for (const files::Unit& unit : files::read_units(path, bytes, settings.languages)) {
      ++all;
      const std::string line = line_of(unit.pair.first), other = line_of(unit.pair.second);
      if (line.empty() || other.empty()) continue;
      ++pairs;
      source += line + '\n';
      target += other + '\n';
    }
  }
  if (pairs == 0) fail("none of the {} texts has a translation, so nothing was written", all);
  output.write({{settings.source, {source}}, {settings.target, {target}}});
  report("{} of {} texts have a translation; they are in {} and {}\n", pairs, all, settings.source,
         settings.target);
  return 0;
}

}  // namespace

void add_extract(const Command& program) {
  const Command command = program.add(
      "extract",
      "Write the texts of PO, XLIFF and TMX files that have a translation as a corpus: two files with "
      "a line for each");
  Extract& extract = command.runs<Extract>(run);
  command.option("FILES", extract.files, "The files: .po, .xlf, .xliff, .tmx", required);
  command.option("--source", extract.source, "The file for the texts", required);
  command.option("--target", extract.target, "The file for their translations", required);
  command.option("--source-language", extract.languages.source,
                 "Code of the language of the texts in TMX; default: the one that its header names");
  command.option("--target-language", extract.languages.target,
                 "Code of the language of the translations in TMX; default: the only other one in it");
  command.footer("Example:\n  regard extract de.po memory.tmx --source train.en --target train.de");
}

}  // namespace regard::program
