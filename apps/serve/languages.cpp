#include "apps/serve/languages.h"

#include <algorithm>
#include <filesystem>

#include "apps/translation/text/parts.h"
#include "autograd/machine/error.h"

namespace regard::serve {

namespace {

/// "fr", "pt_BR"; with hyphens also "zh-Hans".
bool is_code(const std::string& code, bool hyphens) {
  const auto fits = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (hyphens && c == '-');
  };
  return code.size() >= 2 && code.size() <= 12 && std::ranges::all_of(code, fits);
}

/// The name of a directory may end in a region, en-pt-BR, which is no language.
bool is_region(const std::string& code) { return !code.empty() && code[0] >= 'A' && code[0] <= 'Z'; }

std::vector<std::string> parts(std::string_view text, char mark) {
  const auto found = translation::split_at(text, mark);
  return {found.begin(), found.end()};
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
  const std::size_t colon = given ? name.find(':') : name.npos;
  if (colon != name.npos) {
    served.source = name.substr(0, colon);
    served.targets = parts(std::string_view(name).substr(colon + 1), ',');
  } else if (codes.size() >= 2 && (codes.size() == 2 || !given) && (given || !is_region(codes.back()))) {
    served.source = codes[codes.size() - 2];
    served.targets = parts(codes.back(), ',');
  }
  const auto fits = [&](const std::string& code) { return is_code(code, colon != name.npos); };
  if (!fits(served.source) || !std::ranges::all_of(served.targets, fits))
    fail(
        "{}: the languages of the model are not known; give them before the directory, as in en-fr={} or "
        "en-fr,de={}, and with a colon if a code has a hyphen: en:pt-BR={}",
        argument, served.directory, served.directory, served.directory);
  if (served.directory.empty()) fail("{}: the directory of the model is missing behind =", argument);
  return served;
}

}  // namespace regard::serve
