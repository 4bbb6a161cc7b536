// A training reads lines, and not these files.
#include <array>
#include <string_view>

#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

/// Throws Error if a corpus is a file that `regard extract` reads: its lines are no sentences.
void check_corpora(const Settings& settings) {
  constexpr std::array<std::string_view, 5> endings{".po", ".pot", ".xlf", ".xliff", ".tmx"};
  const DataSettings& data = settings.data;
  for (const Paths* const paths : {&data.source, &data.target, &data.tsv, &data.validation_source,
                                   &data.validation_target, &data.validation_tsv})
    for (const std::string& path : paths->files)
      for (const std::string_view ending : endings)
        if (path.ends_with(ending))
          fail("{}: a corpus has a sentence in each line; regard extract writes one from this file", path);
}

struct NoSettings {};

}  // namespace

void open_file_formats(Doors& doors) {
  doors.settings.push_back(settings_door(
      "data", +[](const Section&, NoSettings&) {}, check_corpora));
}

}  // namespace regard::translation
