#include "nn/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/ranges.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <zlib.h>

#include "autograd/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

static_assert(std::endian::native == std::endian::little, "safetensors holds little-endian numbers");

namespace {

// The header of a file of ours begins with these bytes; eight hexadecimal digits follow. The checksum is that
// of header and numbers with eight zeros in its own place.
constexpr std::string_view before_checksum = R"({"__metadata__":{"crc32":")";
constexpr const char* checksum_key = "crc32";
constexpr std::string_view no_checksum = "00000000";

std::string checksum(const std::vector<std::string_view>& pieces) {
  uLong crc = 0;
  for (const std::string_view piece : pieces)
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
  return fmt::format("{:08x}", crc);
}

/// Text from a damaged file, without control characters, which a terminal would obey.
std::string printable(const std::string& text) {
  const std::string quoted =
      nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

constexpr const char* type_of_real = sizeof(Real) == sizeof(float) ? "F32" : "F64";

/// A file that is being read: its bytes, and errors that name it.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), bytes_(read_file(path)) {}

  std::map<std::string, Tensor> tensors(Metadata* metadata) const {
    std::uint64_t header_size = 0;
    if (bytes_.size() < sizeof header_size) refuse("it is shorter than 8 bytes");
    std::memcpy(&header_size, bytes_.data(), sizeof header_size);
    if (header_size > bytes_.size() - sizeof header_size)
      refuse(fmt::format("it says that its header has {} bytes, but it has {} in all", header_size,
                         bytes_.size()));
    const char* const header_begin = bytes_.data() + sizeof header_size;
    const auto header = parse(std::string_view(header_begin, header_size));
    if (!header.is_object()) refuse("its header is no JSON object");
    const std::string_view numbers(header_begin + header_size,
                                   bytes_.size() - sizeof header_size - header_size);
    check_sum(std::string(header_begin, header_size), numbers);
    std::map<std::string, Tensor> result;
    for (const auto& [name, entry] : header.items()) {
      if (name != "__metadata__")
        result.emplace(name, tensor(name, entry, numbers));
      else if (metadata != nullptr)
        *metadata = texts(entry);
    }
    if (metadata != nullptr) metadata->erase(checksum_key);
    return result;
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    fail("{} cannot be read as safetensors: {}; it may be truncated or damaged", path_, reason);
  }

  /// Returns the value of a text in JSON. Throws Error if an object in it has a name twice: the library would
  /// take the last of the two.
  nlohmann::json parse(std::string_view text) const {
    using Event = nlohmann::json::parse_event_t;
    std::vector<std::set<std::string>> names;  // of each object that is open
    return nlohmann::json::parse(
        text.begin(), text.end(),
        [&](int, Event event, const nlohmann::json& name) {
          if (event == Event::object_start) names.emplace_back();
          if (event == Event::object_end) names.pop_back();
          if (event == Event::key && !names.back().insert(name.get<std::string>()).second)
            refuse(fmt::format("its header has the name {} twice", printable(name.get<std::string>())));
          return true;
        },
        false);
  }

  void check_sum(std::string header, std::string_view numbers) const {
    if (!header.starts_with(before_checksum)) return;
    const std::string stored = header.substr(before_checksum.size(), no_checksum.size());
    header.replace(before_checksum.size(), stored.size(), no_checksum);
    if (checksum({header, numbers}) != stored) refuse("its contents do not fit its checksum");
  }

  Metadata texts(const nlohmann::json& entry) const {
    try {
      return entry.get<Metadata>();
    } catch (const nlohmann::json::exception&) {
      refuse("its metadata are no object of texts");
    }
  }

  Tensor tensor(const std::string& name, const nlohmann::json& entry, std::string_view numbers) const {
    std::string type;
    std::vector<Index> extents;
    std::vector<std::uint64_t> offsets;
    try {
      type = entry.at("dtype").get<std::string>();
      for (const char* const key : {"shape", "data_offsets"})
        for (const nlohmann::json& number : entry.at(key))
          // get() would round it, wrap it round, or take true as 1.
          if ((number.is_number() || number.is_boolean()) && !number.is_number_unsigned())
            refuse(fmt::format("{} of tensor {} has the entry {}, which is not a whole number of at least 0",
                               key, printable(name), number.dump()));
      extents = entry.at("shape").get<std::vector<Index>>();
      offsets = entry.at("data_offsets").get<std::vector<std::uint64_t>>();
    } catch (const nlohmann::json::exception&) {
      refuse(fmt::format("the entry of {} lacks dtype, shape or data_offsets, or they are of the wrong type",
                         printable(name)));
    }
    if (type != "F32" && type != "F64")
      fail("{}: tensor {} is of type {}; only F32 and F64 can be read", path_, printable(name),
           printable(type));
    const std::uint64_t item = type == "F32" ? sizeof(float) : sizeof(double);
    constexpr std::uint64_t most = std::uint64_t{1} << 62;  // bytes: far beyond any file, far below overflow
    std::uint64_t size = item;                              // bytes of a tensor of this shape
    for (const Index extent : extents) {
      if (extent < 0 || (extent > 0 && size > most / static_cast<std::uint64_t>(extent)))
        refuse(fmt::format("tensor {} of shape {} does not fit into the file", printable(name),
                           to_string(Shape(extents))));
      size *= static_cast<std::uint64_t>(extent);
    }
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > numbers.size() ||
        offsets[1] - offsets[0] != size)
      refuse(fmt::format("the place of tensor {} does not fit its shape {} or the file's length",
                         printable(name), to_string(Shape(extents))));
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

void save_safetensors(const std::string& path, const std::vector<NamedParameter>& tensors,
                      const Metadata& metadata) {
  if (metadata.contains(checksum_key))
    fail(
        "save_safetensors: '{}' among the metadata for {} is the name of the file's own checksum; take "
        "another",
        checksum_key, path);
  nlohmann::ordered_json header = {{"__metadata__", {{checksum_key, no_checksum}}}};
  for (const auto& [key, text] : metadata) header["__metadata__"][key] = text;
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
  pieces[1] = text;
  text.replace(before_checksum.size(), no_checksum.size(), checksum(pieces));
  const std::uint64_t header_size = text.size();
  pieces[0] = {reinterpret_cast<const char*>(&header_size), sizeof header_size};
  write_file(path, pieces);
}

bool saved_by_regard(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot read {}", path);
  std::string beginning(sizeof(std::uint64_t) + before_checksum.size(), '\0');
  file.read(beginning.data(), to_index(beginning.size()));
  return beginning.ends_with(before_checksum);
}

std::map<std::string, Tensor> load_safetensors(const std::string& path, Metadata* metadata) {
  return Reader(path).tensors(metadata);
}

void check_same_tensors(const std::map<std::string, Tensor>& stored,
                        const std::vector<NamedParameter>& tensors, const std::string& name_of_source,
                        const std::string& name_of_expected) {
  std::vector<std::string> faults;
  for (const auto& [name, tensor] : tensors) {
    const auto found = stored.find(name);
    if (found == stored.end())
      faults.push_back(fmt::format("{} is missing", name));
    else if (found->second.shape() != tensor.shape())
      faults.push_back(fmt::format("{} has shape {} instead of {}", name, to_string(found->second.shape()),
                                   to_string(tensor.shape())));
  }
  for (const auto& entry : stored)
    if (std::none_of(tensors.begin(), tensors.end(),
                     [&](const NamedParameter& parameter) { return parameter.name == entry.first; }))
      faults.push_back(fmt::format("{} is not part of this model", printable(entry.first)));
  if (!faults.empty()) {
    constexpr std::size_t shown = 5;
    const std::size_t others = faults.size() - std::min(faults.size(), shown);
    faults.resize(std::min(faults.size(), shown));
    if (others > 0) faults.push_back(fmt::format("and {} more", others));
    fail("{} does not fit {}: {}", name_of_source, name_of_expected, fmt::join(faults, "; "));
  }
}

void copy_tensors(const std::map<std::string, Tensor>& stored, const std::vector<NamedParameter>& tensors,
                  const std::string& name_of_source) {
  check_same_tensors(stored, tensors, name_of_source, "the model");
  for (const auto& [name, tensor] : tensors)
    std::memcpy(tensor.data(), stored.at(name).data(), to_size(tensor.size()) * sizeof(Real));
}

void load_parameters(Module& module, const std::string& path) {
  copy_tensors(load_safetensors(path), module.parameters(), path);
}

}}}  // namespace regard::REGARD_PRECISION::nn
