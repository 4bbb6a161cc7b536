#include "apps/bench/profile.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "apps/regard/commands.h"
#include "apps/regard/model_failures.h"
#include "apps/regard/options/search_options.h"
#include "apps/regard/options/shared_options.h"
#include "apps/regard/streams/line_reader.h"
#include "apps/regard/streams/output_file.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/translator/translator.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/parallel.h"

namespace regard::program {

namespace {

void add_trace(const Command& command, std::string& trace) {
  command.option("--trace", trace, "Also write every span to FILE, for ui.perfetto.dev or chrome://tracing")
      .value_name("FILE");
}

const std::string reading =
    "Each row is an operation in one direction. One resource limits its speed: computation or memory. The "
    "row\n"
    "shows the speed on that resource and its share of the resource's ceiling on this machine. A share of "
    "the\n"
    "memory's ceiling above 100 % means that numbers came from a cache. The time of a row excludes the rows\n"
    "inside it.\n\n";
const std::string train_example =
    "  regard profile train --preset tiny --source train.en --target train.de --trace train.json\n"
    "  regard profile train --preset bahdanau2015 --source train.en --target train.de";
const std::string translate_example =
    "  regard profile translate build/model --beam 4 --trace translate.json < source.txt";

void write_trace(const Profile& profile, const OutputFile& file) {
  if (file) file.write(bench::trace(profile));
}

struct ProfileTrain {
  bench::TrainingSettings training;
  std::optional<int> threads;
  std::string trace;  ///< empty: none
};

int run(const ProfileTrain& train) {
  const bench::TrainingSettings& training = train.training;
  const OutputFile trace("--trace", train.trace,
                         std::vector<std::string>{training.source, training.target, training.batches});
  set_given_threads(train.threads);
  bench::profile_training(training, [&](const Profile& profile) { write_trace(profile, trace); });
  return 0;
}

void add_profile_train(const Command& profile) {
  const auto train = std::make_shared<ProfileTrain>();
  const Command command = profile.add("train", "Profile training steps, without those of the warm-up");
  add_training(command, train->training);
  add_threads(command, train->threads);
  add_trace(command, train->trace);
  command.footer(reading + "Examples:\n" + train_example);
  command.action([train] { return run(*train); });
}

struct ProfileTranslate {
  std::string model;
  Search search;
  std::string trace;  ///< empty: none
};

std::vector<std::string> read_standard_input() {
  std::vector<std::string> lines;
  LineReader reader(STDIN_FILENO);
  for (auto some = reader.read(lines_at_a_time); !some.empty(); some = reader.read(lines_at_a_time))
    for (const std::string& line : some)
      lines.push_back(translation::clean_line(line, "standard input", to_index(lines.size()) + 1));
  if (lines.empty()) fail("standard input has no sentences to translate");
  return lines;
}
/// The figures cover everything from the words of a sentence to the words of its translation. They exclude
/// reading the model and the text.
int run(const ProfileTranslate& translate) {
  std::vector<std::string> inputs = translation::ModelDirectory(translate.model).files_to_translate();
  inputs.push_back("/dev/stdin");
  const OutputFile trace("--trace", translate.trace, inputs);
  translation::Translator translator = translation::Translator::load(translate.model);
  const transformer::SearchOptions options = search_options(translate.search, translator.decoding());
  check_search(options, translator.model());
  const std::vector<std::string> lines = read_standard_input();
  const bench::Ceilings ceilings = bench::measure_ceilings();

  Profile profile;
  for (std::size_t begin = 0; begin < lines.size(); begin += lines_at_a_time) {
    const Span span("translate", Span::Kind::region);
    const std::size_t end = std::min(begin + lines_at_a_time, lines.size());
    const std::vector<std::string> some(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                                        lines.begin() + static_cast<std::ptrdiff_t>(end));
    run_model(translate.model, "a smaller --beam or shorter sentences",
              [&] { translator.translate(some, options, to_index(begin) + 1); });
  }
  profile.stop();
  fmt::print("sentences    {}, beam {}, {} threads, {:.1f} sentences/s\n\n", lines.size(), options.beam,
             threads(), 1e9 * static_cast<double>(lines.size()) / static_cast<double>(profile.duration()));
  fmt::print("{}", bench::profile_table(profile, ceilings));
  write_trace(profile, trace);
  return 0;
}

void add_profile_translate(const Command& profile) {
  const auto translate = std::make_shared<ProfileTranslate>();
  const Command command =
      profile.add("translate", "Profile the translation of standard input; prints no translations");
  command.option("MODEL_DIR", translate->model, "Directory that regard train wrote").required();
  add_search(command, translate->search);
  add_trace(command, translate->trace);
  command.footer(reading + "Example:\n" + translate_example);
  command.action([translate] { return run(*translate); });
}

}  // namespace

void add_profile(const Command& program) {
  const Command profile = program.add("profile", "Show how much time each operation takes");
  profile.footer(reading + "Examples:\n" + train_example + "\n" + translate_example);
  add_profile_train(profile);
  add_profile_translate(profile);
}

}  // namespace regard::program
