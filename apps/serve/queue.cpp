#include "apps/serve/queue.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <utility>

#include "apps/markup/html.h"
#include "apps/markup/translate_marked.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/text/parts.h"
#include "autograd/machine/error.h"

namespace regard::serve {

namespace {

std::size_t size_of(const std::vector<std::string>& texts) {
  std::size_t size = 0;
  for (const std::string& text : texts) size += text.size();
  return size;
}

/// The work for a text: its bytes, and about as much as a few words for what any text takes.
std::size_t work_for(const std::string& text) { return text.size() + 64; }

using Results = std::span<const translation::Translator::Result>;

/// A text on its way through a model.
class Text {
 public:
  virtual ~Text() = default;
  /// Its sentences.
  const std::vector<translation::Translator::Source>& sources() const { return sources_; }
  /// The text again, with the translations of its sentences.
  virtual std::string with(Results results) const = 0;

 protected:
  std::vector<translation::Translator::Source> sources_;
};

/// The word that a model reads first; empty: none.
std::string tag_of(const Job& job) { return job.model->has_tags ? ">>" + job.target + "<<" : ""; }

/// Lines, cut into sentences.
class Lines : public Text {
 public:
  /// Throws Error that says what cannot be read.
  Lines(const Job& job, const std::string& text, const documents::Boundaries& boundaries)
      : ends_with_line_(text.ends_with('\n')),
        document_({.tag = tag_of(job)}, documents::limit_of(job.model->translator->model()), boundaries) {
    const auto parts = translation::split_at(text, '\n');
    std::vector<std::string> lines(parts.begin(), parts.end());
    if (lines.back().empty()) lines.pop_back();
    paragraphs_ = document_.add(lines);
    std::ranges::move(document_.finish(), std::back_inserter(paragraphs_));
    for (const documents::Paragraph& paragraph : paragraphs_)
      for (const documents::Sentence& sentence : paragraph.sentences)
        if (sentence.translated)
          sources_.push_back(job.model->translator->read(sentence.text, sentence.line));
  }

  std::string with(Results results) const override {
    std::vector<std::string> all;
    for (const auto& result : results) all.push_back(result.n_best.front().text);
    std::span<const std::string> translations = all;
    std::string text;
    for (const documents::Paragraph& paragraph : paragraphs_) {
      const auto count = static_cast<std::size_t>(
          std::ranges::count(paragraph.sentences, true, &documents::Sentence::translated));
      text += document_.text(paragraph, translations.first(count));
      translations = translations.subspan(count);
    }
    if (!ends_with_line_ && text.ends_with('\n')) text.pop_back();
    return text;
  }

 private:
  bool ends_with_line_;
  documents::Document document_;
  std::vector<documents::Paragraph> paragraphs_;
};

/// A page in HTML: what stands between block tags, cut into sentences.
class Page : public Text {
 public:
  /// Throws Error that says what cannot be read.
  Page(const Job& job, const std::string& text, const documents::Boundaries& boundaries)
      : translator_(*job.model->translator) {
    const documents::Limit limit =
        documents::with_first_word(documents::limit_of(translator_.model()), tag_of(job));
    for (markup::Part& part : markup::parts_of_html(text)) {
      const std::size_t first = sentences_.size();
      if (part.translated) {
        const markup::Plain plain = markup::take_off(part.text);
        for (markup::Plain& sentence :
             markup::cut(plain, documents::sentence_ends(plain.text, boundaries, limit)))
          sentences_.push_back(markup::with_first_word(std::move(sentence), tag_of(job)));
      }
      parts_.push_back({std::move(part.text), sentences_.size() - first});
    }
    for (const markup::Plain& sentence : sentences_) sources_.push_back(translator_.read(sentence.text));
  }

  std::string with(Results results) const override {
    const std::vector<std::string> translations = markup::put_back(translator_, sentences_, results);
    std::string text;
    std::span<const std::string> rest = translations;
    for (const auto& [kept, sentences] : parts_) {
      text += sentences == 0 ? kept : markup::joined(rest.first(sentences));
      rest = rest.subspan(sentences);
    }
    return text;
  }

 private:
  struct Part {
    std::string text;
    std::size_t sentences;  ///< 0: it stays as it is
  };
  translation::Translator& translator_;
  std::vector<Part> parts_;
  std::vector<markup::Plain> sentences_;
};

std::unique_ptr<Text> read_text(const Job& job, const std::string& text,
                                const documents::Boundaries& boundaries) {
  translation::check_utf8(text);
  if (job.html) return std::make_unique<Page>(job, text, boundaries);
  return std::make_unique<Lines>(job, text, boundaries);
}

}  // namespace

Queue::Queue(const Limits& limits) : limits_(limits), thread_([this] { work(); }) {}

Queue::~Queue() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

bool Queue::add(Job job) {
  {
    const std::lock_guard lock(mutex_);
    const std::size_t size = size_of(job.texts);
    if (!waiting_.empty() && characters_ + size > limits_.characters) return false;
    characters_ += size;
    std::size_t work = 0;
    for (const std::string& text : job.texts) work += work_for(text);
    waiting_.push_back(
        std::make_unique<Waiting>(Waiting{.job = std::move(job), .since = Clock::now(), .left = work}));
    waiting_.back()->result.translations.resize(waiting_.back()->job.texts.size());
  }
  changed_.notify_one();
  return true;
}

void Queue::work() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
    }
    translate(next_batch());
    answer_complete();
  }
}

/// Takes texts of the jobs with the least work left. All are for one model.
std::vector<Queue::Place> Queue::next_batch() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  std::vector<Waiting*> jobs;
  for (const auto& waiting : waiting_)
    if (now - waiting->since > limits_.longest_wait)
      waiting->result.error = "the request has waited too long", waiting->result.status = 503;
    else if (!waiting->complete())
      jobs.push_back(waiting.get());
  std::ranges::stable_sort(jobs, {}, &Waiting::left);
  std::vector<Place> batch;
  std::size_t work = 0;
  for (Waiting* const waiting : jobs) {
    const std::vector<std::string>& texts = waiting->job.texts;
    if (waiting->job.model != jobs.front()->job.model) continue;
    while (waiting->next < texts.size() && work < limits_.batch_work) {
      const std::size_t its_work = work_for(texts[waiting->next]);
      batch.push_back({waiting, waiting->next++});
      waiting->left -= its_work;
      work += its_work;
    }
  }
  return batch;
}

void Queue::translate(const std::vector<Place>& batch) {
  std::vector<std::pair<Place, std::unique_ptr<Text>>> texts;
  std::vector<translation::Translator::Source> sources;
  const auto refuse = [](const Place& place, const std::string& error, int status) {
    place.waiting->result.error = error;
    place.waiting->result.status = status;
  };
  for (const Place& place : batch) try {
      const Job& job = place.waiting->job;
      texts.emplace_back(place, read_text(job, job.texts[place.text], boundaries_));
      std::ranges::copy(texts.back().second->sources(), std::back_inserter(sources));
    } catch (const std::exception& error) {
      const bool one = place.waiting->job.texts.size() == 1;
      const bool wrong = dynamic_cast<const Error*>(&error) != nullptr;  // otherwise no memory is left
      refuse(place, one ? error.what() : fmt::format("entry {} of \"q\": {}", place.text + 1, error.what()),
             wrong ? 400 : 500);
    }
  if (texts.empty()) return;
  try {
    const Model& model = *texts.front().first.waiting->job.model;
    const auto results = model.translator->translate_sources(std::move(sources), model.options);
    Results rest = results;
    for (const auto& [place, text] : texts) {
      place.waiting->result.translations[place.text] = text->with(rest.first(text->sources().size()));
      rest = rest.subspan(text->sources().size());
    }
  } catch (const std::exception& error) {  // no memory, or weights that are not finite
    for (const auto& [place, text] : texts) refuse(place, error.what(), 500);
  }
}

void Queue::answer_complete() {
  std::vector<std::unique_ptr<Waiting>> complete;
  {
    const std::lock_guard lock(mutex_);
    for (auto& waiting : waiting_)
      if (waiting->complete()) {
        characters_ -= size_of(waiting->job.texts);
        complete.push_back(std::move(waiting));
      }
    std::erase(waiting_, nullptr);
  }
  for (const auto& waiting : complete) waiting->job.done(std::move(waiting->result));
}

}  // namespace regard::serve
