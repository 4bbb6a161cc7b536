#include "apps/experiments/rules/catalogue.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "autograd/machine/error.h"
#include "autograd/machine/files.h"

namespace regard::experiments {

namespace {
constexpr unsigned char claims[] = {
// the files of claims/, one after another, as a JSON list
#include "claims.inc"
};
}  // namespace

std::span<const Chapter> chapters() {
  static constexpr std::array list{Chapter{'A', "Why attention"},
                                   Chapter{'B', "Alignment and interpretation"},
                                   Chapter{'C', "Scores and windows"},
                                   Chapter{'D', "Position"},
                                   Chapter{'E', "Cost"},
                                   Chapter{'F', "Training"},
                                   Chapter{'G', "Search"},
                                   Chapter{'H', "Structure"}};
  return list;
}

const std::vector<Experiment>& all_experiments() {
  static const std::vector<Experiment> all = [] {
    std::vector<Experiment> list;
    const std::string text(std::begin(claims), std::end(claims));
    for (const translation::Json& json : translation::parse_json(text, "claims"))
      list.push_back(read_experiment(json, "claim " + json.at("id").get<std::string>()));
    std::ranges::sort(list, {}, [](const Experiment& one) {  // C2 before C10
      return std::tuple(one.id.at(0), std::stoi(one.id.substr(1)), one.id);
    });
    Index compared = 0;
    for (const Experiment& experiment : list) compared += count(experiment.rule);
    for (Experiment& experiment : list) experiment.rule.compared = compared;
    return list;
  }();
  return all;
}

std::vector<Experiment> find_experiments(const std::string& name) {
  if (name.ends_with(".json")) return {read_experiment(translation::parse_json(read_file(name), name), name)};
  std::vector<Experiment> found;
  std::string known;
  for (const Experiment& experiment : all_experiments()) {
    known += (known.empty() ? "" : ", ") + experiment.id;
    const bool of_many = name == "all" || experiment.id.substr(0, 1) == name;
    if (experiment.id == name || (of_many && experiment.text_of.empty())) found.push_back(experiment);
  }
  if (found.empty()) fail("there is no experiment {}; choose one of {}, or a file.json", name, known);
  return found;
}

}  // namespace regard::experiments
