// `regard translate --document`
#include <algorithm>
#include <fmt/format.h>
#include <iostream>

#include "apps/regard/commands/translate.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

/// The longest source that the model has seen in training, or that it takes.
documents::Limit limit_of(const translation::TranslationModel& model) {
  const Index longest = model.sources.longest, most = model.settings.data.max_length;
  return {longest > 0 ? std::min(longest, most) : most,
          [&](const std::string& text) { return to_index(model.tokeniser->split(text).size()); }};
}

}  // namespace

DocumentTranslation::DocumentTranslation(const TranslateRun& run)
    : run_(run), document_(run.settings.text, limit_of(run.translator.model())) {}

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
    run_.warn_of(results[i], lines[i]);
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

}  // namespace regard::program
