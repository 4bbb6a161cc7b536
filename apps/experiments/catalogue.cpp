#include "apps/experiments/catalogue.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "autograd/error.h"

namespace regard::experiments {

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
  static const std::vector<Experiment> list{
      reversed_source(),   alignment(),      weights_as_explanation(),
      low_attention(),     hard_attention(), heads_specialise(),
      most_heads_can_go(), beam_width(),     list_of_partial_sentences(),
      context_by_layer(),  captions(),
  };
  return list;
}

const Experiment& find_experiment(const std::string& id) {
  std::string known;
  for (const Experiment& experiment : all_experiments()) {
    if (experiment.id == id) return experiment;
    known += (known.empty() ? "" : ", ") + experiment.id;
  }
  fail("there is no experiment {}; choose one of {}", id, known);
}

}  // namespace regard::experiments
