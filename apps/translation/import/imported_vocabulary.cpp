#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "apps/translation/import/imported_model.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

constexpr std::uint64_t longest_vocabulary = std::uint64_t{64} << 20;  // bytes
constexpr std::uint64_t most_tokens = 10'000'000;

/// Receives the events of the parser, so that the file never becomes a tree of values.
class VocabularyReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit VocabularyReader(std::string path) : path_(std::move(path)) {}

  std::vector<std::string> tokens;

  bool start_object(std::size_t) override {
    if (open_) refuse("an object inside its object");
    return open_ = true;
  }
  bool key(std::string& token) override {
    token_ = token;
    return true;
  }
  bool number_unsigned(std::uint64_t id) override {
    if (!open_) refuse("no object");
    if (id >= most_tokens) refuse(fmt::format("the id {} for \"{}\"", id, printable(token_)));
    if (!seen_.insert(token_).second) refuse(fmt::format("the token \"{}\" twice", printable(token_)));
    if (id >= tokens.size()) tokens.resize(id + 1);
    if (!tokens[id].empty())
      refuse(fmt::format("the id {} twice: \"{}\" and \"{}\"", id, printable(tokens[id]), printable(token_)));
    tokens[id] = token_;
    return true;
  }
  bool end_object() override { return true; }
  bool null() override { return no_id(); }
  bool boolean(bool) override { return no_id(); }
  bool number_integer(std::int64_t) override { return no_id(); }
  bool number_float(double, const std::string&) override { return no_id(); }
  bool string(std::string&) override { return no_id(); }
  bool binary(nlohmann::json::binary_t&) override { return no_id(); }
  bool start_array(std::size_t) override { return no_id(); }
  bool end_array() override { return no_id(); }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception&) override {
    refuse(fmt::format("no JSON at byte {}", byte));
  }

 private:
  [[noreturn]] void refuse(const std::string& found) const {
    fail("{} is no vocabulary, which is one object of tokens and their ids: it has {}", path_, found);
  }
  bool no_id() const { refuse(fmt::format("no id for \"{}\"", printable(token_))); }

  std::string path_, token_;
  std::unordered_set<std::string> seen_;
  bool open_ = false;
};

}  // namespace

std::vector<std::string> read_vocabulary_json(const std::string& path) {
  const std::string text = read_limited(path, longest_vocabulary);
  VocabularyReader reader(path);
  nlohmann::json::sax_parse(text, &reader);
  return std::move(reader.tokens);
}

std::int32_t id_of(const std::vector<std::string>& tokens, const std::string& token,
                   const std::string& path) {
  const auto found = std::ranges::find(tokens, token);
  if (found == tokens.end()) fail("{} has no {}, which every model needs", path, token);
  return static_cast<std::int32_t>(found - tokens.begin());
}

ImportedVocabulary our_order(const std::vector<std::string>& tokens, Index rows, const SpecialRows& special,
                             const std::string& path) {
  if (std::ssize(tokens) > rows)
    fail("{} has ids up to {}, but the model has {} rows; the files do not belong together", path,
         tokens.size() - 1, rows);
  const auto begin_token = std::ranges::find(tokens, "<s>");
  const auto own_begin = static_cast<std::int32_t>(begin_token - tokens.begin());
  const bool has_begin =
      begin_token != tokens.end() && special.begin != transformer::no_row && own_begin != special.begin;
  ImportedVocabulary result{.vocabulary = Vocabulary::from_counts({}),
                            .stored = {.size = rows,
                                       .rows = {has_begin ? own_begin : transformer::no_row, special.begin,
                                                special.end, special.unknown}},
                            .has_begin = has_begin};
  std::vector<std::int32_t>& order = result.stored.rows;
  TokenCounts counts;  // each is counted once, so the vocabulary keeps their order
  for (std::int32_t row = 0; row < rows; ++row) {
    if (std::ranges::find(order.begin(), order.begin() + special::count, row) !=
        order.begin() + special::count)
      continue;
    const std::string token = row < std::ssize(tokens) ? tokens[to_size(row)] : "";
    const bool is_special = token == "<pad>" || token == "<s>" || token == "</s>" || token == "<unk>";
    counts.add(may_be_token(token) && !is_special ? token : name_of_row(row));
    order.push_back(row);
  }
  result.vocabulary = Vocabulary::from_counts(counts);
  if (result.vocabulary.size() != std::ssize(order))
    fail("{} has a token that two rows share, or a second special token", path);
  return result;
}

}  // namespace regard::translation
