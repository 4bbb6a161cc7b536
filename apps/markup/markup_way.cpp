// `regard translate --markup`
#include <fmt/format.h>
#include <iostream>

#include "apps/markup/translate_marked.h"
#include "apps/regard/streams.h"
#include "apps/regard/ways_to_translate.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

class MarkupWay : public TranslateWay {
 public:
  void add_options(const Command& command) override {
    command.group("Markup").option(
        "--markup", markup_,
        "Lines have tags of HTML or XML, entities such as &amp;, or placeholders such as {0}: take the "
        "markup off, translate, and put it back around the words that translate its content, by the "
        "decoder's attention",
        {.reads_input = true,
         .excludes = {"FILES", "--n-best", "--scores", "--alignments", "--attention", "--attention-images",
                      "--attention-json", "--prefix", "--skip-too-long"}});
  }
  std::string example() const override {
    return "  regard translate build/model --markup < page.html.lines > translated.html.lines\n";
  }

  bool reads_text() const override { return markup_; }
  void translate_text(const TranslateRun& run) const override {
    if (run.translator.model().settings.model.reads_files())
      fail("--markup is for text, but {} reads images; leave it out", run.origin);
    Index number = 0;
    translate_stream([&](const std::vector<std::string>& block) { return translate(run, block, number); },
                     "sentence", run.processes);
  }

 private:
  static std::string translate(const TranslateRun& run, const std::vector<std::string>& lines,
                               Index& number) {
    std::vector<markup::Plain> plain;
    Sources sources;
    std::string problem;
    try {
      for (const std::string& line : lines) {
        plain.push_back(markup::take_off(translation::clean_line(line, "standard input", ++number)));
        sources.push_back(run.translator.read(plain.back().text, number));
      }
    } catch (const markup::TooDeep& error) {
      problem = fmt::format("standard input, line {}: {}", number, error.what());
    } catch (const Error& error) {
      problem = error.what();
    }
    std::vector<std::string> marked;
    const auto put_back = [&](const Results& results) {
      marked = markup::put_back(run.translator, plain, results);
    };
    const Results results = run.translate(std::move(sources), put_back);
    if (!run.processes.first()) return problem;
    for (std::size_t i = 0; i < results.size(); ++i) {
      warn_of(results[i], results[i].source.line);
      std::cout << marked[i] << '\n';
    }
    flush_output();
    return problem;
  }

  bool markup_ = false;
};

}  // namespace

std::shared_ptr<TranslateWay> markup_way() { return std::make_shared<MarkupWay>(); }

}  // namespace regard::program
