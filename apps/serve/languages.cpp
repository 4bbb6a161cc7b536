#include "apps/serve/languages.h"

#include <algorithm>
#include <filesystem>

#include "autograd/machine/error.h"

namespace regard::serve {

namespace {

/// "fr", "pt_BR", "zh-Hans" has no hyphen here: the hyphen stands between source and target.
bool is_code(const std::string& code) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return code.size() >= 2 && code.size() <= 12 && std::ranges::all_of(code, is_letter);
}

std::vector<std::string> parts(const std::string& text, char mark) {
  std::vector<std::string> found(1);
  for (const char c : text)
    if (c == mark)
      found.emplace_back();
    else
      found.back() += c;
  return found;
}

}  // namespace

Served read_served(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const bool given = equals != std::string::npos && argument.find('/') > equals;
  Served served{.directory = given ? argument.substr(equals + 1) : argument, .source = {}, .targets = {}};
  const std::filesystem::path path(served.directory);
  const std::string name = given                 ? argument.substr(0, equals)
                           : path.has_filename() ? path.filename().string()
                                                 : path.parent_path().filename().string();
  const std::vector<std::string> codes = parts(name, '-');
  if (codes.size() >= 2 && (codes.size() == 2 || !given)) {
    served.source = codes[codes.size() - 2];
    served.targets = parts(codes.back(), ',');
  }
  if (!is_code(served.source) || !std::ranges::all_of(served.targets, is_code))
    fail(
        "{}: the languages of the model are not known; give them before the directory, as in en-fr={} or "
        "en-fr,de={}",
        argument, served.directory, served.directory);
  return served;
}

}  // namespace regard::serve
