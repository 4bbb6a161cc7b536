#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "apps/bench/scaling.h"
#include "apps/bench/training.h"
#include "apps/bench/training_options.h"
#include "apps/regard/command_line.h"
#include "apps/regard/failures.h"
#include "apps/regard/options.h"
#include "apps/regard/streams.h"
#include "apps/regard/version.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/text/counted.h"
#include "apps/translation/translator/translator.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::program {

namespace {

const std::string reading =
    "Each row is an operation in one direction, with the time of its calls, without the rows inside it. For\n"
    "matrix products it shows their speed, and the share of the floor in the time: the time of the products\n"
    "alone, at the speed of a large product on this machine.\n\n";
const std::string train_example =
    "  regard profile train --preset tiny --source train.en --target train.de --steps 20\n"
    "  regard profile train --preset bahdanau2015 --source train.en --target train.de";
const std::string translate_example = "  regard profile translate build/model --beam 4 < source.txt";

constexpr const char* scaling_help =
    "Run on one thread, and predict the time on 1 to 64 threads from the times of the blocks into which the "
    "work is cut; the prediction knows nothing of the bandwidth of the memory";

struct ProfileTranslate {
  ModelOptions model;
  bool scaling = false;
  Search search;
};

std::vector<std::string> read_standard_input() {
  std::vector<std::string> lines;
  LineReader reader;
  for (auto some = reader.read(lines_at_a_time); !some.empty(); some = reader.read(lines_at_a_time))
    for (const std::string& line : some)
      lines.push_back(translation::clean_line(line, "standard input", to_index(lines.size()) + 1));
  if (lines.empty()) fail("standard input has no sentences to translate");
  return lines;
}

/// The figures cover everything from the words of a sentence to the words of its translation. They exclude
/// reading the model and the text.
int run(const ProfileTranslate& translate) {
  check_scaling(translate.scaling, translate.search.threads);
  if (translate.scaling) set_threads(1);
  translation::Translator translator = translation::Translator::load(
      translate.model.directory, load_options(translate.model, translate.search));
  const transformer::SearchOptions options = search_options(translate.search, translator.model());
  check_search(options, translator.model());
  const std::vector<std::string> lines = read_standard_input();
  const double speed = product_speed();

  Profile profile(translate.scaling ? Profile::Loops::timed : Profile::Loops::on_all_threads);
  for (std::size_t begin = 0; begin < lines.size(); begin += lines_at_a_time) {
    const Span span("translate", Span::Kind::region);
    const std::size_t end = std::min(begin + lines_at_a_time, lines.size());
    const std::vector<std::string> some(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                                        lines.begin() + static_cast<std::ptrdiff_t>(end));
    run_model(translate.model.origin(), "a smaller --beam or shorter sentences",
              [&] { translator.translate(some, options); });
  }
  profile.stop();
  fmt::print("sentences    {}, beam {}, {}, {:.1f} sentences/s\n\n", lines.size(), options.beam,
             translation::counted(threads(), "thread"),
             1e9 * static_cast<double>(lines.size()) / static_cast<double>(profile.duration()));
  fmt::print("{}", translate.scaling
                       ? bench::scaling_tables(bench::timed_operations(profile), bench::loop_costs(),
                                               to_index(lines.size()), "sentence")
                       : bench::profile_table(profile, speed));
  return 0;
}

void add_profile_translate(const Command& profile) {
  const Command command =
      profile.add("translate", "Profile the translation of standard input; prints no translations");
  ProfileTranslate& translate = command.runs<ProfileTranslate>(run);
  add_model(command, translate.model);
  command.option("--scaling", translate.scaling, scaling_help);
  add_search(command, translate.search);
  command.footer(reading + "Example:\n" + translate_example);
}

}  // namespace

void add_profile(const Command& program) {
  const Command profile = program.add("profile", "Show how much time each operation takes");
  profile.footer(reading + "Examples:\n" + train_example + "\n" + translate_example);
  add_training(profile, "Profile training steps, without those of the warm-up",
               reading + "Examples:\n" + train_example, bench::profile_training,
               [](const Command& command, bench::TrainingSettings& settings) {
                 command.option("--scaling", settings.scaling, scaling_help);
               });
  add_profile_translate(profile);
}

}  // namespace regard::program
