#include "nn/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/ranges.h>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <zlib.h>

#include "autograd/error.h"
#include "autograd/low_precision_weight.h"
#include "autograd/memory.h"

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

/// The scales of the rows of a tensor in I8 have its name and this suffix.
constexpr const char* scales_suffix = "_scale";

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
    std::map<std::string, Stored> quantised;
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") {
        if (metadata != nullptr) *metadata = texts(entry);
        continue;
      }
      Stored stored = place(name, entry, numbers);
      if (stored.type == "I8")
        quantised.emplace(name, std::move(stored));
      else
        result.emplace(name, tensor(stored));
    }
    for (const auto& [name, stored] : quantised) join_scales(result, name, stored);
    if (metadata != nullptr) metadata->erase(checksum_key);
    return result;
  }

 private:
  /// A tensor as the header describes it.
  struct Stored {
    std::string type;
    Shape shape;
    std::string_view bytes;
  };

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

  /// Where the header says that a tensor is.
  Stored place(const std::string& name, const nlohmann::json& entry, std::string_view numbers) const {
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
    if (type != "F32" && type != "F64" && type != "I8")
      fail("{}: tensor {} is of type {}; only F32, F64 and I8 can be read", path_, printable(name),
           printable(type));
    const std::uint64_t item = type == "I8" ? 1 : type == "F32" ? sizeof(float) : sizeof(double);
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
    return {type, Shape(std::move(extents)), numbers.substr(offsets[0], size)};
  }

  static Tensor tensor(const Stored& stored) {
    const Tensor tensor = Tensor::empty(stored.shape);
    if (stored.type == "F32")
      convert<float>(stored.bytes.data(), tensor);
    else
      convert<double>(stored.bytes.data(), tensor);
    return tensor;
  }

  /// Makes a weight of the 8-bit numbers of a tensor and of the scales of its rows.
  void join_scales(std::map<std::string, Tensor>& tensors, const std::string& name,
                   const Stored& stored) const {
    const auto scales = tensors.find(name + scales_suffix);
    if (sizeof(Real) != sizeof(float))
      fail("{}: the double library reads no I8, as tensor {}", path_, printable(name));
    const Shape& shape = stored.shape;
    if (shape.rank() != 2 || scales == tensors.end() || scales->second.shape() != Shape{shape[0]})
      refuse(fmt::format(
          "tensor {} of shape {} is I8 and needs the scales of its rows in a tensor {}{} of type F32",
          printable(name), to_string(shape), printable(name), scales_suffix));
    for (const Real scale : scales->second.values())
      if (!(scale >= 0 && scale <= std::numeric_limits<Real>::max()))
        refuse(fmt::format("tensor {}{} has the scale {}", printable(name), scales_suffix, scale));
    const QuantisedRows rows{allocate(stored.bytes.size()), allocate(to_size(shape[0]) * sizeof(float))};
    std::memcpy(rows.bytes.get(), stored.bytes.data(), stored.bytes.size());
    std::memcpy(rows.scales.get(), scales->second.data(), to_size(shape[0]) * sizeof(float));
    tensors.erase(scales);
    const LowPrecisionWeight::Uses as_stored{.product = false, .lookup = true};
    tensors.emplace(name,
                    Tensor::of(std::make_shared<LowPrecisionWeight>(rows, shape[0], shape[1], as_stored)));
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
  std::vector<std::pair<std::string, std::shared_ptr<const LowPrecisionWeight>>> quantised;
  const auto add = [&](const std::string& name, const char* type, const Shape& shape, const void* numbers,
                       std::size_t item) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(shape.size()) * item;
    header[name] = {{"dtype", type}, {"shape", shape.extents()}, {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
    pieces.emplace_back(static_cast<const char*>(numbers), bytes);
  };
  for (const auto& [name, tensor] : tensors) {
    if (const auto& low = tensor.low_precision(); low && low->quantised().bytes) {
      // The scales first: numbers of four bytes stay aligned.
      add(name + scales_suffix, "F32", Shape{low->out()}, low->quantised().scale(), sizeof(float));
      quantised.emplace_back(name, low);
    } else {
      add(name, type_of_real, tensor.shape(), tensor.data(), sizeof(Real));
    }
  }
  for (const auto& [name, low] : quantised)
    add(name, "I8", Shape{low->out(), low->in()}, low->quantised().q(), 1);
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
  for (const auto& [name, tensor] : tensors) {
    const Tensor& from = stored.at(name);
    if (from.low_precision())
      tensor.replace_by(from.low_precision());
    else
      std::memcpy(tensor.data(), from.data(), to_size(tensor.size()) * sizeof(Real));
  }
}

void load_parameters(Module& module, const std::string& path) {
  copy_tensors(load_safetensors(path), module.parameters(), path);
}

}}}  // namespace regard::REGARD_PRECISION::nn
