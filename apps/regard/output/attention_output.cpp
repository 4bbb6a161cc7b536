#include "apps/regard/output/attention_output.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <limits>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "apps/pictures/heat_map.h"
#include "apps/regard/failures.h"
#include "apps/regard/streams.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

/// Returns the number of characters in a row of standard output: the environment variable COLUMNS if it is a
/// number of at least 1, or else the width of the terminal. If standard output is no terminal, a row has no
/// limit, and the result is the largest number.
std::size_t terminal_width() {
  if (const char* const given = std::getenv("COLUMNS"); given != nullptr) {
    const std::string_view text = given;
    std::size_t width = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error == std::errc() && end == text.data() + text.size() && width > 0) return width;
  }
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : std::numeric_limits<std::size_t>::max();
}

}  // namespace

void add_attention(const Command& command, AttentionOptions& options) {
  command.option("--attention", options.map,
                 "Draw below each translation which source words the decoder read when it wrote each word; "
                 "on a terminal (or with COLUMNS), the map is as wide as a row");
  command.option("--attention-images", options.images,
                 "New directory for pictures of the attention. Text: for each line a map with the tokens on "
                 "both axes, DIR/LINE.svg. Images: for each word of a caption where the decoder looked, and "
                 "one sheet of all words, DIR/1-IMAGE/sheet.svg");
  command.option("--attention-json", options.json,
                 "Write the attention weights of all layers and heads into this file: for each translation a "
                 "JSON object in a line; the manual has the format");
}

AttentionOutput::AttentionOutput(const AttentionOptions& options, translation::Translator& translator,
                                 const std::string& model, const std::string& weights,
                                 std::span<const std::string> inputs)
    : options_(options),
      translator_(translator),
      files_(translator.model().settings.source_files()),
      weights_(weights.empty() ? model : weights) {
  if (files_ && options.map)
    fail("--attention draws words, but {} reads {}s; give --attention-images DIR", model,
         files_->words().name);
  check_outputs({{"--attention-json", options.json}}, inputs);
  if (lead_to_one_file(options.json, "/dev/stdout"))
    fail("--attention-json {}: the translations go there; give another file", options.json);
  if (files_ && files_->has_form(options.json))  // standard input may name it later
    fail("--attention-json {}: this file is {} and would be replaced; give another", options.json,
         files_->words().one);
  if (options.images.empty()) return;
  translation::check_directory(options.images);
  std::error_code ignored;
  if (std::filesystem::exists(options.images, ignored) && !std::filesystem::is_empty(options.images, ignored))
    fail("--attention-images {}: the directory is not empty; give another one", options.images);
  const std::string name = std::filesystem::path(options.json).filename().string();
  if (!name.empty() && lead_to_one_file(options.json, options.images + "/" + name))
    fail("--attention-json {}: --attention-images writes this directory; give a file of another one",
         options.json);
}

void AttentionOutput::open() {
  if (options_.json.empty()) return;
  file_.open(options_.json, std::ios::binary);
  check_file();
}

void AttentionOutput::show(const translation::Translator::Source& source,
                           const translation::Translation& translation, Index rank) {
  if (source.ids.empty()) return;
  if (options_.map && !translation.text.empty()) show_map(source, translation);
  if (!options_.images.empty() && rank == 1) draw(source, translation);
  if (file_.is_open()) write(source, translation, rank);
}

void AttentionOutput::show_map(const translation::Translator::Source& source,
                               const translation::Translation& translation) {
  run_model(weights_, "shorter sentences", [&] {
    std::cout << '\n'
              << pictures::heat_map(translator_.attention(source, translation), terminal_width()) << '\n';
  });
}

/// Draws the attention of a translation of text into LINE.svg, that over a file into a directory LINE-FILE.
void AttentionOutput::draw(const translation::Translator::Source& source,
                           const translation::Translation& translation) {
  complete_before_stopping([&] {
    run_model(weights_, files_ ? files_->words().smaller : "shorter sentences", [&] {
      const translation::Translator::Attention attention = translator_.attention(source, translation);
      if (!files_) {
        translation::make_directories(options_.images);
        return translation::write_file(fmt::format("{}/{}.svg", options_.images, source.line),
                                       pictures::heat_map_svg(attention));
      }
      files_->draw(fmt::format("{}/{}-{}", options_.images, source.line,
                               std::filesystem::path(source.text).stem().string()),
                   source.text, translation.text, attention.target_tokens, attention.weights,
                   attention.plane.value());
    });
  });
}

/// A line of the file is written as soon as its translation is there, so a run that fails leaves whole lines.
void AttentionOutput::write(const translation::Translator::Source& source,
                            const translation::Translation& translation, Index rank) {
  run_model(weights_, "shorter sentences", [&] {
    file_ << translator_.attention_json(source, translation, rank) << '\n' << std::flush;
    check_file();
  });
}

void AttentionOutput::check_file() const {
  if (!file_) fail("cannot write {}: {}", options_.json, std::strerror(errno));
}

}  // namespace regard::program
