#include "apps/bench/profile.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "apps/regard/line_reader.h"
#include "apps/regard/model_failures.h"
#include "apps/regard/search.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/translator/translator.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/parallel.h"

namespace regard::program {

namespace {
std::vector<std::string> read_standard_input() {
  std::vector<std::string> lines;
  LineReader reader(STDIN_FILENO);
  for (auto some = reader.read(lines_at_a_time); !some.empty(); some = reader.read(lines_at_a_time))
    for (const std::string& line : some)
      lines.push_back(translation::clean_line(line, "standard input", to_index(lines.size()) + 1));
  if (lines.empty()) fail("standard input holds no sentences to translate");
  return lines;
}
}  // namespace

int run(const ProfileTrain& command) {
  if (command.threads) set_threads(*command.threads);
  bench::profile_training(command.training, command.trace);
  return 0;
}

/// Everything between words and words is in the figures; reading the model and the text is not.
int run(const ProfileTranslate& command) {
  translation::check_output("--trace", command.trace,
                            translation::ModelDirectory(command.model).files_to_translate());
  translation::Translator translator(translation::TranslationModel::load(command.model));
  const transformer::SearchOptions options = search_options(command.search, translator.model().settings);
  check_search(options, translator.model());
  const std::vector<std::string> lines = read_standard_input();
  const bench::Ceilings ceilings = bench::measure_ceilings();

  Profile profile;
  for (std::size_t begin = 0; begin < lines.size(); begin += lines_at_a_time) {
    const Span span("translate", Span::Kind::region);
    const std::size_t end = std::min(begin + lines_at_a_time, lines.size());
    const std::vector<std::string> some(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                                        lines.begin() + static_cast<std::ptrdiff_t>(end));
    run_model(command.model, "a smaller --beam or shorter sentences",
              [&] { translator.translate(some, options, to_index(begin) + 1); });
  }
  profile.stop();
  fmt::print("sentences    {}, beam {}, {} threads, {:.1f} sentences/s\n\n", lines.size(), options.beam,
             threads(), 1e9 * static_cast<double>(lines.size()) / static_cast<double>(profile.duration()));
  fmt::print("{}", bench::profile_table(profile, ceilings));
  bench::write_trace(profile, command.trace);
  return 0;
}

}  // namespace regard::program
