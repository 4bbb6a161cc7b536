#include "nn/safetensors.h"

#include <algorithm>
#include <cstring>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>
#include <zlib.h>

#include "autograd/machine/error.h"
#include "autograd/ops/linear_products.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {

// The header of a file of ours begins with these bytes; eight hexadecimal digits follow. The checksum is that
// of header and numbers with eight zeros in its own place.
constexpr std::string_view before_checksum = R"({"__metadata__":{"crc32":")";
constexpr const char* checksum_key = "crc32";
constexpr std::string_view no_checksum = "00000000";
constexpr const char* metadata_key = "__metadata__";
constexpr std::uint64_t largest_header = 100'000'000;  // a limit of the format

/// A CRC-32 of pieces, one after another.
class Checksum {
 public:
  void add(std::string_view piece) {
    if (piece.empty()) return;  // zlib would restart the sum at a null pointer
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
  }
  std::string text() const { return fmt::format("{:08x}", crc_); }

 private:
  uLong crc_ = 0;
};

/// Text from a damaged file, without control characters, which a terminal would obey.
std::string printable(const std::string& text) {
  const std::string quoted =
      nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

constexpr const char* type_of_real = sizeof(Real) == sizeof(float) ? "F32" : "F64";

const std::map<std::string, StoredType> types{{"F16", StoredType::float16},
                                              {"BF16", StoredType::bfloat16},
                                              {"F32", StoredType::float32},
                                              {"F64", StoredType::float64}};

/// Calls `take` with each name in a header and its value, or an empty list if the value has an object inside.
/// Returns false if the header is no object in JSON. Calls `refuse_twice` if an object has a name twice.
template <class Take, class Refuse>
bool for_each_entry(std::string_view text, const Take& take, const Refuse& refuse_twice) {
  using Event = nlohmann::json::parse_event_t;
  std::set<std::string> names, names_in_entry;
  std::string newest;
  const auto on_event = [&](int depth, Event event, const nlohmann::json& value) {
    if (event == Event::key) {
      const auto name = value.get<std::string>();
      if (depth == 1) newest = name;
      if (!(depth == 1 ? names : names_in_entry).insert(name).second) refuse_twice(name);
      return true;
    }
    if (event == Event::object_start && depth > 1) take(newest, nlohmann::json::array());
    if (event == Event::object_start || event == Event::array_start || depth != 1) return true;
    take(newest, value);
    names_in_entry.clear();
    return false;  // at the end of each object, the library looks through all that the header has kept
  };
  // The library also takes a byte order mark before the object, and anything behind a byte 0.
  return text.find_first_not_of(" \t\n\r") == text.find('{') && text.find('\0') == std::string_view::npos &&
         nlohmann::json::parse(text.begin(), text.end(), on_event, false).is_object();
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::string& path) : TensorFile(path), file_(path) {
  std::uint64_t header_size = 0;
  if (file_.size() < sizeof header_size) refuse("it is shorter than 8 bytes");
  std::memcpy(&header_size, file_.read(0, sizeof header_size).data(), sizeof header_size);
  if (header_size > file_.size() - sizeof header_size)
    refuse(
        fmt::format("it says that its header has {} bytes, but it has {} in all", header_size, file_.size()));
  if (header_size > largest_header)
    refuse(fmt::format("its header has {} bytes; the format allows {}", header_size, largest_header));
  const std::string text = file_.read(sizeof header_size, header_size);
  const std::uint64_t numbers = sizeof header_size + header_size;
  check_sum(text, numbers);
  const auto take = [&](const std::string& name, const nlohmann::json& entry) {
    const bool is_tensor = name != metadata_key;
    try {
      if (!is_tensor) {
        if (!entry.is_null()) metadata_ = entry.get<Metadata>();
        return;
      }
      for (const char* const key : {"shape", "data_offsets"})
        for (const nlohmann::json& number : entry.at(key))
          // get() would round it, wrap it round, or take true as 1.
          if ((number.is_number() || number.is_boolean()) && !number.is_number_unsigned())
            refuse(fmt::format("{} of tensor {} has the entry {}, which is not a whole number of at least 0",
                               key, printable(name), number.dump()));
      add(name, entry.at("dtype").get<std::string>(), entry.at("shape").get<std::vector<Index>>(),
          entry.at("data_offsets").get<std::vector<std::uint64_t>>(), numbers);
    } catch (const nlohmann::json::exception&) {
      refuse(is_tensor ? fmt::format("the entry of {} lacks dtype, shape or data_offsets, or they are of the "
                                     "wrong type",
                                     printable(name))
                       : "its metadata are no object of texts");
    }
  };
  if (!for_each_entry(text, take, [&](const std::string& name) {
        refuse(fmt::format("its header has the name {} twice", printable(name)));
      }))
    refuse("its header is no JSON object");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts{{file_.size(), file_.size()}};
  for (const auto& [name, place] : places_) parts.emplace_back(place.offset, place.offset + place.bytes);
  std::sort(parts.begin(), parts.end());
  std::uint64_t end = numbers;
  for (const auto& [first, last] : parts)
    if (const std::uint64_t before = std::exchange(end, last); first != before)
      refuse(fmt::format("byte {} of the numbers belongs to {}", std::min(first, before) - numbers,
                         first < before ? "two tensors" : "no tensor"));
  metadata_.erase(checksum_key);
}

void SafetensorsFile::refuse(const std::string& reason) const {
  fail("{} cannot be read as safetensors: {}; it may be truncated or damaged", path_, reason);
}

void SafetensorsFile::check_sum(std::string header, std::uint64_t numbers) const {
  if (!header.starts_with(before_checksum)) return;
  const std::string stored = header.substr(before_checksum.size(), no_checksum.size());
  header.replace(before_checksum.size(), stored.size(), no_checksum);
  Checksum sum;
  sum.add(header);
  constexpr std::uint64_t block = 1 << 20;
  for (std::uint64_t offset = numbers; offset < file_.size(); offset += block)
    sum.add(file_.read(offset, std::min(block, file_.size() - offset)));
  if (sum.text() != stored) refuse("its contents do not fit its checksum");
}

void SafetensorsFile::add(const std::string& name, const std::string& type, std::vector<Index> extents,
                          const std::vector<std::uint64_t>& offsets, std::uint64_t numbers) {
  const auto known = types.find(type);
  const auto size = stored_size(known == types.end() ? StoredType::float16 : known->second, extents);
  if (!size)
    refuse(fmt::format("tensor {} of shape {} does not fit into the file", printable(name),
                       to_string(Shape(extents))));
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > file_.size() - numbers ||
      (known != types.end() && offsets[1] - offsets[0] != *size))
    refuse(fmt::format("the place of tensor {} does not fit its shape {} or the file's length",
                       printable(name), to_string(Shape(extents))));
  places_.emplace(name, Place{type, numbers + offsets[0], offsets[1] - offsets[0]});
  shapes_.emplace(name, Shape(std::move(extents)));
}

Tensor SafetensorsFile::read(const std::string& name) const {
  const Place& place = places_.at(name);
  const auto type = types.find(place.type);
  if (type == types.end())
    fail("{}: tensor {} is of type {}; only F16, BF16, F32 and F64 can be read", path_, printable(name),
         printable(place.type));
  const Tensor tensor = Tensor::empty(shapes_.at(name));
  file_.read(place.offset, type->second, tensor);
  return tensor;
}

std::string SafetensorsFile::bytes(const std::string& name) const {
  const Place& place = places_.at(name);
  return file_.read(place.offset, place.bytes);
}

StoredTensor stored(const NamedParameter& tensor) {
  return {
      tensor.name,
      type_of_real,
      tensor.tensor.shape(),
      {reinterpret_cast<const char*>(tensor.tensor.data()), to_size(tensor.tensor.size()) * sizeof(Real)}};
}

void save_safetensors(const std::string& path, const std::vector<NamedParameter>& tensors,
                      const Metadata& metadata) {
  std::vector<StoredTensor> all(tensors.size());
  std::transform(tensors.begin(), tensors.end(), all.begin(), stored);
  save_stored_tensors(path, all, metadata);
}

void save_stored_tensors(const std::string& path, const std::vector<StoredTensor>& tensors,
                         const Metadata& metadata) try {
  if (metadata.contains(checksum_key))
    fail("save_safetensors: '{}' among the metadata for {} is the name of the file's own checksum",
         checksum_key, path);
  nlohmann::ordered_json header = {{metadata_key, {{checksum_key, no_checksum}}}};
  for (const auto& [key, text] : metadata) header[metadata_key][key] = text;
  std::uint64_t offset = 0;
  std::vector<std::string_view> pieces(2);
  for (const auto& [name, type, shape, bytes] : tensors) {
    if (header.contains(name))
      fail("save_safetensors: {} cannot have {} tensor with the name {}", path,
           name == metadata_key ? "a" : "a second", printable(name));
    header[name] = {
        {"dtype", type}, {"shape", shape.extents()}, {"data_offsets", {offset, offset + bytes.size()}}};
    offset += bytes.size();
    pieces.push_back(bytes);
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // so that the numbers are aligned
  if (text.size() > largest_header)
    fail("save_safetensors: the names for {} take {} bytes; the format allows {}", path, text.size(),
         largest_header);
  pieces[1] = text;
  Checksum sum;
  for (const std::string_view piece : pieces) sum.add(piece);
  text.replace(before_checksum.size(), no_checksum.size(), sum.text());
  const std::uint64_t header_size = text.size();
  pieces[0] = {reinterpret_cast<const char*>(&header_size), sizeof header_size};
  write_file(path, pieces);
} catch (const nlohmann::json::exception&) {
  fail("save_safetensors: a name or a text for {} is not UTF-8", path);
}

bool saved_by_regard(const std::string& path) {
  const PartlyReadFile file(path);
  constexpr std::uint64_t beginning = sizeof(std::uint64_t) + before_checksum.size();
  return file.size() >= beginning && file.read(0, beginning).ends_with(before_checksum);
}

std::map<std::string, Tensor> load_safetensors(const std::string& path, Metadata* metadata) {
  const SafetensorsFile file(path);
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, shape] : file.shapes()) tensors.emplace(name, file.read(name));
  if (metadata != nullptr) *metadata = file.metadata();
  return tensors;
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
    if (MatrixForm::of(from)) {
      MatrixForm::replace(tensor, MatrixForm::of(from));
    } else {
      std::memcpy(tensor.data(), from.data(), to_size(tensor.size()) * sizeof(Real));
      tensor.values_changed();
    }
  }
}

void take_tensors(const std::map<std::string, Tensor>& stored, const std::vector<NamedParameter>& tensors) {
  for (const auto& [name, tensor] : tensors) take_values(tensor, stored.at(name));
}

void load_parameters(Module& module, const std::string& path) {
  copy_tensors(load_safetensors(path), module.parameters(), path);
}

}}}  // namespace regard::REGARD_PRECISION::nn
