#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"

namespace regard::translation {

/// Another form of a text, in which any tokeniser cuts it, such as one without capitals. Rooms have such
/// forms (Doors::text_forms). Any number of threads may call the functions of one object at the same time.
class TextForm {
 public:
  virtual ~TextForm() = default;

  /// Returns a line of text in this form. Throws Error if it is not UTF-8. If the tokeniser cuts words alone,
  /// the form of a text is that of its words between spaces.
  virtual std::string to(std::string_view text) const = 0;
  /// The way back: from(to(x)) is x. What a model writes need not be the form of any text.
  virtual std::string from(std::string_view text) const = 0;
  /// Throws Error that names the file of a tokeniser that the user gives if it cannot write this form.
  virtual void check_given(const Vocabulary& /*vocabulary*/, const std::string& /*file*/) const {}
};

/// A tokeniser around which the text has another form: sentences and translations are plain text, and the
/// tokens are those of the form.
class FormedTokeniser : public Tokeniser {
 public:
  FormedTokeniser(std::unique_ptr<Tokeniser> inner, std::unique_ptr<const TextForm> form)
      : inner_(std::move(inner)), form_(std::move(form)) {}

  std::vector<std::string> split(std::string_view text) const override {
    return inner_->split(form_->to(text));
  }
  std::vector<std::string> split_target(std::string_view text) const override {
    return inner_->split_target(form_->to(text));
  }
  bool cuts_words_alone() const override { return inner_->cuts_words_alone(); }
  std::string join(const std::vector<std::string>& tokens) const override {
    return form_->from(inner_->join(tokens));
  }
  std::string plain(std::string_view text) const override { return inner_->plain(text); }
  std::string about() const override { return inner_->about(); }
  const Tokeniser& of_form() const override { return *inner_; }

 private:
  std::unique_ptr<Tokeniser> inner_;
  std::unique_ptr<const TextForm> form_;
};

}  // namespace regard::translation
