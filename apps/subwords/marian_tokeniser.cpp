#include "apps/subwords/marian_tokeniser.h"

#include <algorithm>
#include <sentencepiece_processor.h>

#include "apps/subwords/sentencepiece_file.h"
#include "apps/translation/files/utf8.h"

namespace regard::translation {

namespace {

using sentencepiece::SentencePieceProcessor;

std::vector<std::string> pieces(const SentencePieceProcessor& model, std::string_view text) {
  check_utf8(text);
  std::vector<std::string> tokens;
  constexpr std::string_view begin = ">>", end = "<<";
  std::size_t tag = 0;
  while (tag < text.size() && is_blank(character_at(text, tag).value)) tag += character_at(text, tag).size;
  if (text.substr(tag).starts_with(begin))
    if (const std::size_t found = text.find(end, tag); found != std::string_view::npos) {
      tokens.emplace_back(text.substr(tag, found + end.size() - tag));
      text.remove_prefix(found + end.size());
    }
  std::vector<std::string> rest;
  check_status(model.Encode(text, &rest), "cut a sentence");
  tokens.insert(tokens.end(), rest.begin(), rest.end());
  return tokens;
}

}  // namespace

MarianTokeniser::MarianTokeniser(const std::string& source, const std::string& name_of_source,
                                 const std::string& target, const std::string& name_of_target)
    : source_(load_checked(source, name_of_source)), target_(load_checked(target, name_of_target)) {}

MarianTokeniser::~MarianTokeniser() = default;

std::vector<std::string> MarianTokeniser::split(std::string_view text) const {
  return pieces(*source_, text);
}

std::vector<std::string> MarianTokeniser::split_target(std::string_view text) const {
  return pieces(*target_, text);
}

std::string MarianTokeniser::join(const std::vector<std::string>& tokens) const {
  std::string text;
  check_status(target_->Decode(tokens, &text), "join its pieces");
  // A piece that this model lacks, such as one of the source in a joint vocabulary, keeps its mark.
  for (std::size_t at = 0; (at = text.find(visible_blank, at)) != std::string::npos;)
    text.replace(at, visible_blank.size(), " ");
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> pieces_of(const std::string& bytes, const std::string& name) {
  const auto model = load_checked(bytes, name);
  std::vector<std::string> result;
  for (int id = 0; id < model->GetPieceSize(); ++id) result.push_back(model->IdToPiece(id));
  return result;
}

}  // namespace regard::translation
