#include "apps/exchange/npz_file.h"

#include <optional>
#include <span>
#include <sstream>
#include <vector>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::exchange {

using translation::printable;

namespace {

const std::map<std::string_view, nn::StoredType> types{
    {"<f2", nn::StoredType::float16}, {"<f4", nn::StoredType::float32}, {"<f8", nn::StoredType::float64}};

/// An array with a text, such as Marian's configuration.
constexpr std::string_view text_type = "|i1";

/// The text between two texts; nothing if one of them is missing.
std::optional<std::string_view> between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return std::nullopt;
  const std::size_t first = from + begin.size(), last = text.find(end, first);
  if (last == std::string_view::npos) return std::nullopt;
  return text.substr(first, last - first);
}

/// The numbers of "3, 4" or of "3,".
std::optional<std::vector<Index>> extents_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<Index> extents;
  char comma = 0;
  for (Index extent = 0; in >> extent; in >> comma) extents.push_back(extent);
  return in.eof() ? std::optional(extents) : std::nullopt;
}

/// What stands before the numbers of an array: as in NumPy, a multiple of 64 bytes.
std::string header_of(const char* type, const std::vector<Index>& extents) {
  constexpr std::size_t beginning = 10, block = 64;
  std::string shape;
  for (const Index extent : extents) shape += fmt::format("{}{},", shape.empty() ? "" : " ", extent);
  if (extents.size() > 1) shape.pop_back();
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  header.resize((beginning + header.size() + block) / block * block - beginning - 1, ' ');
  header += '\n';
  const std::string start("\x93NUMPY\x01\x00", 8);
  return start + static_cast<char>(header.size() % 256) + static_cast<char>(header.size() / 256) + header;
}

}  // namespace

void NpzArrays::add(const std::string& name, const Tensor& tensor) {
  static_assert(sizeof(Real) == sizeof(float));
  const std::span<const Real> numbers = tensor.values();
  std::string& bytes = members_[name + ".npy"] = header_of("<f4", tensor.shape().extents());
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

void NpzArrays::add_text(const std::string& name, const std::string& text) {
  members_[name + ".npy"] = header_of("|i1", {to_index(text.size()) + 1}) + text + '\0';
}

NpzFile::NpzFile(const std::string& path) : TensorFile(path), archive_(path) {
  constexpr std::string_view suffix = ".npy", magic = "\x93NUMPY";
  constexpr std::uint64_t beginning = 10, longest_header = 10'000;
  for (const auto& [member, size] : archive_.members()) {
    const auto damaged = [&, &name = member]() {
      fail("{}: the member {} is no array of NumPy, or is damaged", path, printable(name));
    };
    if (!member.ends_with(suffix) || size < beginning) damaged();
    const auto next = archive_.open(member);
    const std::string start = next(beginning);  // the mark, the version in two bytes, the length in two bytes
    const auto length = static_cast<std::uint64_t>(static_cast<unsigned char>(start[8])) |
                        static_cast<std::uint64_t>(static_cast<unsigned char>(start[9])) << 8;
    if (!start.starts_with(magic) || start[6] != 1 || length > longest_header || length > size - beginning)
      damaged();
    const std::string header = next(length);
    const auto type = between(header, "'descr': '", "'"), shape = between(header, "'shape': (", ")");
    const auto extents = shape ? extents_of(*shape) : std::nullopt;
    if (header.find("'fortran_order': True") != std::string::npos)
      fail("{}: {} lies in its file column by column; save it after numpy.ascontiguousarray", path,
           printable(member));
    if (!type || !extents || header.find("'fortran_order': False") == std::string::npos) damaged();
    const std::string name = member.substr(0, member.size() - suffix.size());
    const std::uint64_t numbers = beginning + length;
    const auto known = types.find(*type);
    const bool is_tensor = known != types.end();
    places_.emplace(name, Place{member, numbers, is_tensor ? std::optional(known->second) : std::nullopt});
    if (!is_tensor && *type != text_type)
      fail("{}: {} is of type {}; only <f2, <f4 and <f8 can be read", path, printable(name),
           printable(*type));
    if (!is_tensor) continue;
    const auto bytes = nn::stored_size(known->second, *extents);
    if (!bytes || *bytes != size - numbers) damaged();
    shapes_.emplace(name, Shape(*extents));
  }
}

Tensor NpzFile::read(const std::string& name) const {
  const Place& place = places_.at(name);
  const auto next = archive_.open(place.member);
  next(place.header);
  const Tensor tensor = Tensor::empty(shapes_.at(name));
  nn::convert(*place.type, next, tensor);
  return tensor;
}

std::string NpzFile::text(const std::string& name, std::uint64_t most) const {
  const auto found = places_.find(name);
  if (found == places_.end()) fail("{}: the array {} is missing; is it a model of Marian?", path_, name);
  const auto& [member, header, type] = found->second;
  const std::string text = archive_.read(member, header + most).substr(header);
  return text.substr(0, text.find('\0'));
}

}  // namespace regard::exchange
