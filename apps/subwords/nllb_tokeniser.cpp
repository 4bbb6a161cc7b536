#include "apps/subwords/nllb_tokeniser.h"

#include <sentencepiece_processor.h>
#include <sstream>
#include <utility>

#include "apps/subwords/sentencepiece_file.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

class FirstToken : public transformer::TokenRule {
 public:
  explicit FirstToken(std::int32_t first) : first_(first) {}
  bool allows(std::span<const std::int32_t> tokens, std::int32_t next) const override {
    return !tokens.empty() || next == first_;
  }
  std::vector<std::int32_t> demands() const override { return {first_}; }

 private:
  std::int32_t first_;
};

}  // namespace

Direction Direction::of(const std::string& text, const std::string& file) {
  Direction direction;
  std::string more;
  std::istringstream words(text);
  if (!(words >> direction.source >> direction.target) || words >> more)
    fail(
        "{} must have two codes of languages, one in each line: the source's, such as eng_Latn, and the "
        "target's",
        file);
  return direction;
}

NllbTokeniser::NllbTokeniser(const std::string& bytes, const std::string& name, Direction direction)
    : model_(load_checked(bytes, name)), direction_(std::move(direction)) {}

NllbTokeniser::~NllbTokeniser() = default;

std::vector<std::string> NllbTokeniser::pieces(std::string_view text) const {
  check_utf8(text);
  std::vector<std::string> tokens;
  check_status(model_->Encode(text, &tokens), "cut a sentence");
  return tokens;
}

std::vector<std::string> NllbTokeniser::split(std::string_view text) const {
  std::vector<std::string> tokens = pieces(text);
  if (!tokens.empty()) tokens.insert(tokens.begin(), direction_.source);
  return tokens;
}

std::vector<std::string> NllbTokeniser::split_target(std::string_view text) const {
  std::vector<std::string> tokens = pieces(text);
  tokens.insert(tokens.begin(), direction_.target);
  return tokens;
}

std::string NllbTokeniser::join(const std::vector<std::string>& tokens) const {
  const bool has_code = !tokens.empty() && tokens.front() == direction_.target;
  std::string text;
  check_status(model_->Decode(std::vector(tokens.begin() + (has_code ? 1 : 0), tokens.end()), &text),
               "join its pieces");
  return text;
}

transformer::MakeTokenRule begin_with_language(const Settings& /*settings*/, const Tokeniser& tokeniser,
                                               const Vocabularies& vocabularies) {
  const auto* const nllb = dynamic_cast<const NllbTokeniser*>(&tokeniser.of_form());
  if (nllb == nullptr) return {};
  const auto rule = std::make_shared<const FirstToken>(vocabularies.target.id(nllb->direction().target));
  return [rule](std::span<const std::int32_t> /*source*/) { return rule; };
}

}  // namespace regard::translation
