#include "apps/images/resize.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/machine/error.h"

namespace regard::images {
namespace {

/// The old entries of one axis from which a new entry is computed, and their weights, whose sum is 1.
struct Mean {
  Index first = 0;
  std::vector<double> weights;
};

/// With s = old / new, new entry i has its centre at c = (i + 1/2) s, and old entry j the weight
/// max(0, 1 - |j + 1/2 - c| / max(s, 1)) before the weights are divided by their sum.
std::vector<Mean> means(Index old_size, Index new_size) {
  const double scale = static_cast<double>(old_size) / static_cast<double>(new_size);
  const double reach = std::max(scale, 1.0);
  std::vector<Mean> result(to_size(new_size));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    Mean& mean = result[i];
    mean.first = std::max<Index>(static_cast<Index>(std::floor(centre - reach)), 0);
    double sum = 0;
    for (Index j = mean.first; j < old_size && static_cast<double>(j) < centre + reach; ++j) {
      mean.weights.push_back(std::max(0.0, 1 - std::abs(static_cast<double>(j) + 0.5 - centre) / reach));
      sum += mean.weights.back();
    }
    for (double& weight : mean.weights) weight /= sum;
  }
  return result;
}

}  // namespace

transformer::Image resized(const transformer::Image& image, Index height, Index width) {
  if (height < 1 || width < 1) fail("an image of {} x {} pixels is not possible", width, height);
  if (image.height == height && image.width == width) return image;
  const std::vector<Mean> columns = means(image.width, width), rows = means(image.height, height);
  transformer::Image result{.height = height, .width = width};
  result.pixels.reserve(to_size(height * width * 3));
  std::vector<double> row(to_size(image.width * 3));  // one new row, as wide as the old ones
  for (const Mean& of_rows : rows) {
    std::ranges::fill(row, 0.0);
    for (std::size_t k = 0; k < of_rows.weights.size(); ++k) {
      const std::uint8_t* const old_row = image.pixels.data() + (to_size(of_rows.first) + k) * row.size();
      for (std::size_t i = 0; i < row.size(); ++i) row[i] += of_rows.weights[k] * old_row[i];
    }
    for (const Mean& of_columns : columns)
      for (std::size_t colour = 0; colour < 3; ++colour) {
        double value = 0;
        for (std::size_t k = 0; k < of_columns.weights.size(); ++k)
          value += of_columns.weights[k] * row[(to_size(of_columns.first) + k) * 3 + colour];
        result.pixels.push_back(static_cast<std::uint8_t>(std::lround(value)));
      }
  }
  return result;
}

}  // namespace regard::images
