#include "apps/exchange/vocabulary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "apps/exchange/keys.h"
#include "apps/exchange/yaml.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::exchange {

namespace {

using translation::printable;
using translation::TokenCounts;
using translation::Vocabulary;
namespace special = translation::special;

/// The name of row `row` of the file's matrices if it has no token.
std::string name_of_row(Index row) { return fmt::format("<row {}>", row); }

/// The tokens of a file in the order of their ids.
class TokenList {
 public:
  explicit TokenList(std::string path) : path_(std::move(path)) {}

  void add(const std::string& token, const Json& id) {
    constexpr std::uint64_t most = 10'000'000;
    if (!id.is_number_integer() || id < 0 || id >= most)
      refuse(fmt::format("no id for \"{}\"", printable(token)));
    const auto row = id.get<std::size_t>();
    if (row >= tokens_.size()) tokens_.resize(row + 1);
    if (!tokens_[row].empty() || !seen_.insert(token).second)
      refuse(fmt::format("the token \"{}\" or its id {} twice", printable(token), row));
    tokens_[row] = token;
  }
  [[noreturn]] void refuse(const std::string& found) const {
    fail("{} is no vocabulary, which is one object of tokens and their ids: it has {}", path_, found);
  }
  std::vector<std::string> take() { return std::move(tokens_); }

 private:
  std::string path_;
  std::vector<std::string> tokens_;
  std::unordered_set<std::string> seen_;
};

/// Adds the entries of an object while it is parsed, so that the file never becomes a tree of values.
void parse_json_vocabulary(const std::string& text, TokenList& tokens) {
  std::string token;
  const auto read_event = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::key)
      token = parsed.get<std::string>();
    else if (event == Event::value && depth == 1)
      tokens.add(token, parsed);
    else if (event == Event::array_start || event == Event::value ||
             (event == Event::object_start && depth > 0))
      tokens.refuse("other values");
    return event == Event::object_start || event == Event::object_end;
  };
  try {
    [[maybe_unused]] const Json nothing = Json::parse(text, read_event);
  } catch (const Json::parse_error& error) {
    tokens.refuse(fmt::format("no JSON at byte {}", error.byte));
  }
}

}  // namespace

std::vector<std::string> read_vocabulary(const std::string& path) {
  constexpr std::uint64_t longest = std::uint64_t{64} << 20, longest_yaml = 16 << 20;  // bytes
  TokenList tokens(path);
  if (path.ends_with(".yml"))
    for (const auto& [token, id] : parse_yaml(read_limited(path, longest_yaml), path)) tokens.add(token, id);
  else
    parse_json_vocabulary(read_limited(path, longest), tokens);
  return tokens.take();
}

std::int32_t id_of(const std::vector<std::string>& tokens, const std::string& token,
                   const std::string& path) {
  const auto found = std::ranges::find(tokens, token);
  if (found == tokens.end()) fail("{} has no {}, which every model needs", path, token);
  return static_cast<std::int32_t>(found - tokens.begin());
}

ImportedVocabulary our_order(const std::vector<std::string>& tokens, Index rows,
                             const SpecialRows& special_rows, const std::string& path) {
  if (std::ssize(tokens) > rows)
    fail("{} has ids up to {}, but the model has {} rows; the files do not belong together", path,
         tokens.size() - 1, rows);
  const auto begin_token = std::ranges::find(tokens, "<s>");
  const auto own_begin = static_cast<std::int32_t>(begin_token - tokens.begin());
  const bool has_begin =
      begin_token != tokens.end() && special_rows.begin != foreign::no_row && own_begin != special_rows.begin;
  std::vector<std::int32_t> order{has_begin ? own_begin : foreign::no_row, special_rows.begin,
                                  special_rows.end, special_rows.unknown};
  const std::vector<std::int32_t> special_order = order;
  TokenCounts counts;  // each is counted once, so the vocabulary keeps their order
  for (std::int32_t row = 0; row < rows; ++row) {
    if (std::ranges::count(special_order, row) > 0) continue;
    const std::string token = row < std::ssize(tokens) ? tokens[to_size(row)] : "";
    const bool is_special = token == "<pad>" || token == "<s>" || token == "</s>" || token == "<unk>";
    counts.add(translation::may_be_token(token) && !is_special ? token : name_of_row(row));
    order.push_back(row);
  }
  Vocabulary vocabulary = Vocabulary::from_counts(counts);
  if (vocabulary.size() != std::ssize(order))
    fail("{} has a token that two rows share, or a second special token", path);
  return {std::move(vocabulary), {.size = rows, .rows = std::move(order)}, has_begin};
}

std::vector<std::int32_t> their_order(const Vocabulary& vocabulary, Index smaller, bool with_pad) {
  std::vector<std::int32_t> ids{special::end, special::unknown};
  if (with_pad) ids.push_back(special::pad);
  const auto place_of_pad = to_index(ids.size()) + smaller - special::count;
  for (Index id = special::count; id < vocabulary.size(); ++id) ids.push_back(static_cast<std::int32_t>(id));
  ids.insert(ids.begin() + place_of_pad, special::begin);
  return ids;
}

std::optional<std::vector<std::int32_t>> order_of_pieces(const Vocabulary& vocabulary,
                                                         const std::vector<std::string>& pieces) {
  std::vector<std::int32_t> order;
  for (const std::string& piece : pieces) {
    const std::int32_t unnamed = vocabulary.id(name_of_row(to_index(order.size())));
    const std::int32_t id = piece == "</s>"               ? special::end
                            : piece == "<unk>"            ? special::unknown
                            : unnamed != special::unknown ? unnamed
                            : piece == "<pad>"            ? special::pad
                            : piece == "<s>"              ? special::begin
                                                          : vocabulary.id(piece);
    if (id == special::unknown && piece != "<unk>") return std::nullopt;
    order.push_back(id);
  }
  const bool has_pad = std::ranges::count(order, special::pad) > 0;
  if (std::ssize(order) != vocabulary.size() - (has_pad ? 0 : special::end)) return std::nullopt;
  return order;
}

std::string vocabulary_yaml(const Vocabulary& vocabulary, const std::vector<std::int32_t>& order) {
  std::string yaml;
  for (std::size_t row = 0; row < order.size(); ++row)
    if (const std::string& token = vocabulary.token(order[row]); token != name_of_row(to_index(row))) {
      std::string quoted = translation::dump_json(token, "the vocabulary");
      quoted.pop_back();  // the line end
      yaml += fmt::format("{}: {}\n", quoted, row);
    }
  return yaml;
}

std::string vocabulary_json(const Vocabulary& vocabulary, const std::vector<std::int32_t>& order) {
  Json json = Json::object();
  for (std::size_t row = 0; row < order.size(); ++row) {
    const std::int32_t id = order[row];
    const std::string& token = vocabulary.token(id);
    if (id == special::begin)
      json["<pad>"] = row;
    else if (id == special::pad)
      json["<s>"] = row;
    else if (token != name_of_row(to_index(row)))
      json[token] = row;
  }
  return translation::dump_json(json, "the vocabulary");
}

}  // namespace regard::exchange
