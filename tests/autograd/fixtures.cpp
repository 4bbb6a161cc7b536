#include "tests/autograd/fixtures.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "autograd/error.h"

namespace regard::tests {

std::map<std::string, Tensor> read_fixture(const std::string& name) {
  const std::string path = std::string(REGARD_FIXTURES) + "/" + name;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.size() < 8) fail("cannot read the fixture {}", path);
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), 8);
  const auto header = nlohmann::json::parse(bytes.substr(8, header_size));
  std::map<std::string, Tensor> tensors;
  for (const auto& [key, entry] : header.items()) {
    if (entry.at("dtype") != "F64") fail("{}: {} does not consist of doubles", path, key);
    const auto begin = entry.at("data_offsets").at(0).get<std::size_t>();
    const auto end = entry.at("data_offsets").at(1).get<std::size_t>();
    std::vector<double> values((end - begin) / sizeof(double));
    std::memcpy(values.data(), bytes.data() + 8 + header_size + begin, end - begin);
    const Shape shape(entry.at("shape").get<std::vector<Index>>());
    tensors[key] = Tensor::from(shape, std::vector<Real>(values.begin(), values.end()));
  }
  return tensors;
}

}  // namespace regard::tests
