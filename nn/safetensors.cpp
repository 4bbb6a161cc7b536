#include "nn/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "autograd/error.h"
#include "nn/files.h"

namespace regard::inline REGARD_PRECISION::nn {

static_assert(std::endian::native == std::endian::little, "safetensors holds little-endian numbers");

namespace {

constexpr const char* type_of_real = sizeof(Real) == sizeof(float) ? "F32" : "F64";

/// One file being read: its bytes, and complaints that name it.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), bytes_(read_file(path)) {}

  std::map<std::string, Tensor> tensors() const {
    std::uint64_t header_size = 0;
    if (bytes_.size() < sizeof header_size) refuse("it is shorter than 8 bytes");
    std::memcpy(&header_size, bytes_.data(), sizeof header_size);
    if (header_size > bytes_.size() - sizeof header_size)
      refuse(fmt::format("it says that its header has {} bytes, but it has {} in all", header_size,
                         bytes_.size()));
    const char* const header_begin = bytes_.data() + sizeof header_size;
    const auto header = nlohmann::json::parse(header_begin, header_begin + header_size, nullptr, false);
    if (!header.is_object()) refuse("its header is no JSON object");
    const std::string_view numbers(header_begin + header_size,
                                   bytes_.size() - sizeof header_size - header_size);
    std::map<std::string, Tensor> result;
    for (const auto& [name, entry] : header.items())
      if (name != "__metadata__") result.emplace(name, tensor(name, entry, numbers));
    return result;
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    fail("{} cannot be read as safetensors: {}; it may be truncated or damaged", path_, reason);
  }

  Tensor tensor(const std::string& name, const nlohmann::json& entry, std::string_view numbers) const {
    std::string type;
    std::vector<std::int64_t> extents;
    std::vector<std::uint64_t> offsets;
    try {
      type = entry.at("dtype").get<std::string>();
      extents = entry.at("shape").get<std::vector<std::int64_t>>();
      offsets = entry.at("data_offsets").get<std::vector<std::uint64_t>>();
    } catch (const nlohmann::json::exception&) {
      refuse(fmt::format("the entry of {} lacks dtype, shape or data_offsets, or they are of the wrong type",
                         name));
    }
    if (type != "F32" && type != "F64")
      fail("{}: tensor {} is of type {}; only F32 and F64 can be read", path_, name, type);
    const std::uint64_t item = type == "F32" ? sizeof(float) : sizeof(double);
    constexpr std::uint64_t most = std::uint64_t{1} << 62;  // bytes: far beyond any file, far below overflow
    std::uint64_t size = item;                              // what the shape stands for
    for (const std::int64_t extent : extents) {
      if (extent < 0 || (extent > 0 && size > most / static_cast<std::uint64_t>(extent)))
        refuse(
            fmt::format("tensor {} of shape {} does not fit into the file", name, to_string(Shape(extents))));
      size *= static_cast<std::uint64_t>(extent);
    }
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > numbers.size() ||
        offsets[1] - offsets[0] != size)
      refuse(fmt::format("the place of tensor {} does not fit its shape {} or the file's length", name,
                         to_string(Shape(extents))));
    const Tensor tensor = Tensor::empty(Shape(std::move(extents)));
    const char* const from = numbers.data() + offsets[0];
    if (type == "F32")
      convert<float>(from, tensor);
    else
      convert<double>(from, tensor);
    return tensor;
  }

  template <class Stored>
  static void convert(const char* from, const Tensor& tensor) {
    for (Real& value : tensor.values()) {
      Stored stored;
      std::memcpy(&stored, from, sizeof stored);
      value = static_cast<Real>(stored);
      from += sizeof stored;
    }
  }

  std::string path_;
  std::string bytes_;
};

}  // namespace

void save_safetensors(const std::string& path, const std::vector<NamedParameter>& tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::uint64_t offset = 0;
  std::vector<std::string_view> pieces(2);
  for (const auto& [name, tensor] : tensors) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(tensor.size()) * sizeof(Real);
    header[name] = {{"dtype", type_of_real},
                    {"shape", tensor.shape().extents()},
                    {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
    pieces.emplace_back(reinterpret_cast<const char*>(tensor.data()), bytes);
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // so that the numbers are aligned
  const std::uint64_t header_size = text.size();
  pieces[0] = {reinterpret_cast<const char*>(&header_size), sizeof header_size};
  pieces[1] = text;
  write_file(path, pieces);
}

std::map<std::string, Tensor> load_safetensors(const std::string& path) { return Reader(path).tensors(); }

void load_parameters(Module& module, const std::string& path) {
  std::map<std::string, Tensor> stored = load_safetensors(path);
  const std::vector<NamedParameter> parameters = module.parameters();
  std::vector<std::string> faults;
  for (const auto& [name, tensor] : parameters) {
    const auto found = stored.find(name);
    if (found == stored.end())
      faults.push_back(fmt::format("{} is missing", name));
    else if (found->second.shape() != tensor.shape())
      faults.push_back(fmt::format("{} has shape {} instead of {}", name, to_string(found->second.shape()),
                                   to_string(tensor.shape())));
  }
  for (const auto& entry : stored)
    if (std::none_of(parameters.begin(), parameters.end(),
                     [&](const NamedParameter& parameter) { return parameter.name == entry.first; }))
      faults.push_back(fmt::format("{} is not part of this model", entry.first));
  if (!faults.empty()) {
    constexpr std::size_t shown = 5;
    const std::size_t others = faults.size() - std::min(faults.size(), shown);
    faults.resize(std::min(faults.size(), shown));
    if (others > 0) faults.push_back(fmt::format("and {} more", others));
    fail("{} does not fit the model: {}", path, fmt::join(faults, "; "));
  }
  for (const auto& [name, tensor] : parameters)
    std::memcpy(tensor.data(), stored.at(name).data(),
                static_cast<std::size_t>(tensor.size()) * sizeof(Real));
}

}  // namespace regard::inline REGARD_PRECISION::nn
