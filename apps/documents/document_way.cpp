// `regard translate --document`
#include <algorithm>
#include <fmt/format.h>
#include <iostream>

#include "apps/documents/document.h"
#include "apps/regard/streams.h"
#include "apps/regard/ways_to_translate.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

/// Translates a text and, in the first process, writes it.
class DocumentTranslation {
 public:
  /// Throws Error as documents::Boundaries does. The run must outlive the object.
  DocumentTranslation(const TranslateRun& run, const documents::DocumentSettings& settings,
                      const std::string& language)
      : run_(run),
        boundaries_(language),
        document_(settings, documents::limit_of(run.translator.model()), boundaries_) {}

  /// Adds lines of the text and writes the paragraphs that are complete. Returns the problem of the first
  /// line that cannot be read, after writing the text before it; empty if there is none.
  std::string add(const std::vector<std::string>& lines);
  void finish() { write(document_.finish()); }

 private:
  void write(const std::vector<documents::Paragraph>& paragraphs);

  const TranslateRun& run_;
  const documents::Boundaries boundaries_;
  documents::Document document_;
  Index lines_ = 0, sentences_ = 0;  ///< read so far
};

std::string DocumentTranslation::add(const std::vector<std::string>& lines) {
  std::vector<std::string> text;
  std::string problem;
  try {
    for (const std::string& line : lines) {
      text.push_back(translation::clean_line(line, "standard input", ++lines_));
      if (line.ends_with('\r')) text.back() += '\r';
    }
  } catch (const Error& error) {
    problem = error.what();
  }
  write(document_.add(text));
  if (!problem.empty()) finish();
  return problem;
}

void DocumentTranslation::write(const std::vector<documents::Paragraph>& paragraphs) {
  std::vector<std::string> sources, translations;
  std::vector<Index> lines;
  for (const documents::Paragraph& paragraph : paragraphs)
    for (const documents::Sentence& sentence : paragraph.sentences)
      if (sentence.translated) {
        sources.push_back(sentence.text);
        lines.push_back(sentence.line);
      }
  const auto results = run_.translate(run_.translator.read_all(sources, sentences_ + 1));
  sentences_ += to_index(sources.size());
  if (!run_.processes.first()) return;
  for (const documents::Paragraph& paragraph : paragraphs)
    for (const std::string& warning : paragraph.warnings) translation::remark("{}", warning);
  for (std::size_t i = 0; i < results.size(); ++i) {
    warn_of(results[i], lines[i]);
    translations.push_back(results[i].n_best.front().text);
  }
  std::size_t next = 0;
  for (const documents::Paragraph& paragraph : paragraphs) {
    const auto count = static_cast<std::size_t>(
        std::ranges::count(paragraph.sentences, true, &documents::Sentence::translated));
    std::cout << document_.text(paragraph, std::span(translations).subspan(next, count));
    next += count;
  }
  flush_output();
}

class DocumentWay : public TranslateWay {
 public:
  /// A document has one translation and no lines of its own, so the options that write something beside each
  /// translation exclude --document.
  void add_options(const Command& command) override {
    const Command group = command.group("Documents");
    group.option(
        "--document", document_,
        "Translate standard input as a text: cut each line into sentences, translate them, and put the "
        "text together again, with its blank lines, indentation and list marks. A sentence that is "
        "longer than those of the training is translated in parts, with a warning",
        {.reads_input = true,
         .excludes = {"FILES", "--n-best", "--scores", "--alignments", "--attention", "--attention-images",
                      "--attention-json", "--prefix", "--skip-too-long"}});
    const Command document = group.only_with("--document");
    document.option("--wrapped", text_.wrapped,
                    "Sentences go on from line to line: a paragraph ends at a blank line, at a list mark or "
                    "at another indentation. Its translation has lines as long as its own");
    document.option("--language", language_,
                    "Code of the text's language, such as de or pt-BR: sentences do not end after its "
                    "abbreviations; default: the rules of all languages");
    document.option("--tag", text_.tag,
                    "Word that the model reads before each sentence, such as \">>fra<<\" for a model with "
                    "several target languages");
  }
  std::string example() const override {
    return "  regard translate build/model --document --language en < report.txt > bericht.txt\n";
  }

  bool reads_text() const override { return document_; }
  void translate_text(const TranslateRun& run) const override {
    const translation::TranslationModel& model = run.translator.model();
    if (model.settings.model.reads_files())
      fail("--document cuts text into sentences, but {} reads images; leave it out", run.origin);
    DocumentTranslation document(run, text_, language_);
    translate_stream([&](const std::vector<std::string>& block) { return document.add(block); }, "paragraph",
                     run.processes);
    document.finish();
  }

 private:
  bool document_ = false;
  documents::DocumentSettings text_;
  std::string language_;
};

}  // namespace

std::shared_ptr<TranslateWay> document_way() { return std::make_shared<DocumentWay>(); }

}  // namespace regard::program
