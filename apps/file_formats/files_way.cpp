// `regard translate --files`
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "apps/documents/long_sentences.h"
#include "apps/file_formats/file_text.h"
#include "apps/markup/translate_marked.h"
#include "apps/regard/failures.h"
#include "apps/regard/streams.h"
#include "apps/regard/ways_to_translate.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using files::FileText;

class FilesWay : public TranslateWay {
 public:
  void add_options(const Command& command) override {
    const Command group = command.group("Files");
    group.option(
        "--files", paths_,
        "Translate these files: .po, .pot, .xlf, .xliff (1.2), .tmx, .html, .htm, .txt. Only "
        "translations change in them; all else stays byte for byte. (FILES without an option are for "
        "models that read images)",
        {.several = true,
         .reads_input = true,
         .excludes = {"FILES", "--n-best", "--scores", "--alignments", "--attention", "--attention-images",
                      "--attention-json", "--prefix", "--skip-too-long"}});
    const Command of_files = group.only_with("--files");
    of_files.option("--output", directory_, "The directory for the translated files, which keep their names");
    of_files.option("--again", settings_.again,
                    "In PO, XLIFF and TMX, translate also what has a translation already");
    of_files.option("--first-word", settings_.first_word,
                    "Word that the model reads before each sentence, such as \">>fra<<\" for a model with "
                    "several target languages");
    of_files.option("--source-language", settings_.languages.source,
                    "Code of the language that is translated in TMX; default: the one that its header names");
    of_files.option("--target-language", settings_.languages.target,
                    "Code of the language of the translations in TMX; default: the only other one in it");
  }
  std::string example() const override {
    return "  regard translate build/model --files de.po index.html --output build/translated\n";
  }

  bool reads_text() const override { return !paths_.empty(); }
  void translate_text(const TranslateRun& run) const override {
    if (run.translator.model().settings.model.reads_files())
      fail("--files is for text, but {} reads images; leave it out", run.origin);
    if (directory_.empty()) fail("--files: give the directory for the translated files, --output DIR");
    check_directory();
    const documents::Boundaries boundaries;
    const documents::Limit limit =
        documents::with_first_word(documents::limit_of(run.translator.model()), settings_.first_word);
    const files::SentenceEnds ends = [&](const std::string& text) {
      return documents::sentence_ends(text, boundaries, limit);
    };
    std::vector<std::unique_ptr<FileText>> texts;  // all are read before the first is translated
    for (const std::string& path : paths_)
      texts.push_back(std::make_unique<FileText>(
          path, settings_, ends,
          [&](const std::string& sentence, Index line) { return run.translator.read(sentence, line); }));
    for (const auto& text : texts) translate(run, *text);
  }

 private:
  std::string output_of(const std::string& path) const {
    return (std::filesystem::path(directory_) / std::filesystem::path(path).filename()).string();
  }

  void check_directory() const {
    for (auto path = paths_.begin(); path != paths_.end(); ++path)
      for (auto before = paths_.begin(); before != path; ++before)
        if (output_of(*before) == output_of(*path))
          fail("--files: {} and {} have one name, so one would replace the other in {}", *before, *path,
               directory_);
    translation::check_directory(directory_);
    if (!translation::path_exists(directory_)) return;
    std::vector<Output> outputs;
    for (const std::string& path : paths_) outputs.push_back({"--output", output_of(path)});
    check_outputs(outputs, paths_);
  }

  void translate(const TranslateRun& run, const FileText& file) const {
    std::vector<std::string> translations;
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t all = file.sources().size();
    while (translations.size() < all) {
      const std::size_t first = translations.size(), count = std::min(lines_at_a_time, all - first);
      const auto of_block = [&](const auto& of_file) { return std::span(of_file).subspan(first, count); };
      const auto block = of_block(file.sources());
      const Results results = run.translate({block.begin(), block.end()}, [&](const Results& found) {
        for (std::string& text : markup::put_back(run.translator, of_block(file.sentences()), found))
          translations.push_back(std::move(text));
      });
      if (!run.processes.first()) continue;
      for (const auto& result : results) {
        const std::string place = fmt::format("{}, line {}", file.path(), result.source.line);
        warn_of_unknown_words(place, result.source.unknown_words);
        if (!result.remark.empty()) translation::remark("{}: {}", place, result.remark);
      }
      if (translations.size() < all)
        translation::remark("{}: {} of {} sentences", file.path(), translations.size(), all);
    }
    if (!run.processes.first()) return;
    const std::string bytes = file.with(translations, [&](const std::string& clause) {
      translation::warn("{}, {}, so this text stays as it is", file.path(), clause);
    });
    complete_before_stopping([&] {
      translation::make_directories(directory_);
      translation::write_file(output_of(file.path()), bytes);
    });
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    translation::remark("{}: {} sentence{} in {:.1f} s -> {}", file.path(), all, all == 1 ? "" : "s",
                        time.count(), output_of(file.path()));
  }

  std::vector<std::string> paths_;
  std::string directory_;
  files::FileSettings settings_;
};

}  // namespace

std::shared_ptr<TranslateWay> files_way() { return std::make_shared<FilesWay>(); }

}  // namespace regard::program
