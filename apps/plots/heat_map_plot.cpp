#include <algorithm>
#include <fmt/format.h>

#include "apps/plots/plots.h"

namespace regard::pictures {

std::string heat_map_plot(const std::string& title, const Attention& attention) {
  const Drawing map = draw(attention);
  return plot_frame(title, fmt::format("<g transform=\"scale({:.3f})\">\n{}</g>\n",
                                       std::min(plot_width / map.width, plot_height / map.height), map.svg));
}

}  // namespace regard::pictures
