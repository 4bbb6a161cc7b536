#include "apps/exchange/model_bin.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "autograd/machine/error.h"
#include "autograd/machine/files.h"

namespace regard::exchange {

static_assert(std::endian::native == std::endian::little, "model.bin holds little-endian numbers");
static_assert(sizeof(Real) == sizeof(float), "the translator computes in float");

namespace {

template <class Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

/// A string: its length with the NUL at its end, its bytes, NUL.
std::string with_length(const std::string& text) {
  return bytes_of(static_cast<std::uint16_t>(text.size() + 1)) + text + '\0';
}

std::string count(std::size_t number) {
  if (number > std::numeric_limits<std::uint32_t>::max())
    fail("the format ctranslate2 cannot express a tensor of {} bytes; it counts them in 32 bits", number);
  return bytes_of(static_cast<std::uint32_t>(number));
}

/// Whole numbers and the factor with which they were made of a row. The greatest absolute value becomes 127.
float quantise(std::span<const float> row, std::string& numbers) {
  constexpr float greatest = 127;
  float most = 0;
  for (const float value : row) most = std::max(most, std::abs(value));
  // A row of zeros has any scale. The scale of a tiny row must be finite.
  most = most == 0 ? greatest : std::max(most, greatest / std::numeric_limits<float>::max());
  const float scale = greatest / most;
  for (const float value : row)
    numbers += static_cast<char>(static_cast<std::int8_t>(std::nearbyint(value * scale)));
  return scale;
}

}  // namespace

void ModelBin::tensor(const std::string& name, const Tensor& tensor) {
  std::vector<std::uint32_t> shape;
  for (const Index extent : tensor.shape().extents()) shape.push_back(static_cast<std::uint32_t>(extent));
  tensors_.push_back(tensor);
  const std::span<const float> values = tensor.values();
  const std::string_view bytes{reinterpret_cast<const char*>(values.data()), values.size_bytes()};
  variables_[name] = {std::move(shape), Type::float32, bytes};
}

void ModelBin::weight(const std::string& name, const Tensor& weight) {
  if (precision_ == WeightPrecision::float32 || weight.rank() != 2) return tensor(name, weight);
  const auto rows = static_cast<std::uint32_t>(weight.size(0)),
             width = static_cast<std::uint32_t>(weight.size(1));
  std::string numbers, scales;
  for (std::size_t row = 0; row < rows; ++row)
    scales += bytes_of(quantise(weight.values().subspan(row * width, width), numbers));
  variables_[name] = {{rows, width}, Type::int8, keep(std::move(numbers))};
  variables_[name + "_scale"] = {{rows}, Type::float32, keep(std::move(scales))};
}

void ModelBin::write(const std::string& path) const {
  constexpr std::uint32_t binary_version = 6, revision = 7;
  std::deque<std::string> headers;
  std::vector<std::string_view> pieces;
  std::string text = bytes_of(binary_version) + with_length("TransformerSpec") + bytes_of(revision) +
                     count(variables_.size());
  for (const auto& [name, variable] : variables_) {
    text += with_length(name) + static_cast<char>(variable.shape.size());
    for (const std::uint32_t extent : variable.shape) text += bytes_of(extent);
    text += static_cast<char>(variable.type) + count(variable.bytes.size());
    pieces.push_back(headers.emplace_back(std::exchange(text, {})));
    pieces.push_back(variable.bytes);
  }
  text = count(aliases_.size());
  for (const auto& [name, of] : aliases_) text += with_length(name) + with_length(of);
  pieces.push_back(text);
  write_file(path, pieces);
}

}  // namespace regard::exchange
